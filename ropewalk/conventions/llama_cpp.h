#pragma once

#include <cstdint>
#include <string_view>

#include "ropewalk/encoding/terms.h"

namespace ropewalk {

// What the code of llama.cpp does for one architecture and no key of a GGUF states. Source:
// src/llama-model.cpp, src/models/.
struct LlamaCppArchitecture {
  std::string_view name;  // value of general.architecture
  // The scores get a bias; 0: the key attention.max_alibi_bias states how much.
  bool alibi = false;
  double max_bias = 0;
  AlibiForm alibi_form = AlibiForm::relative;
  int64_t alibi_layers = 0;  // only a model of so many; 0: all
  // The softmax scale is that of hidden_size / heads in a model of so many layers, that of head_dim
  // in all others.
  int64_t wide_scale_layers = 0;
  // rope.scaling.finetuned says whether the model rotates at all, not what its name says.
  bool finetuned_rotates = false;
};

// Null for an architecture without such facts.
const LlamaCppArchitecture* find_llama_cpp(std::string_view architecture);

}  // namespace ropewalk
