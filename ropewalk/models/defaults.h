#pragma once

#include <span>
#include <string>

#include "ropewalk/conventions/model_type.h"

namespace ropewalk {

// What holds where a file states nothing, and how the weights lie: that of the code which runs the
// model. One struct for each of them; resolve() takes what a row of conventions says of the model
// itself from the row, and all else from here.
struct Defaults {
  std::string code_name;  // "llama", "llama.cpp"
  std::string reason;     // "default of LlamaConfig"
  std::string code;       // "family: the code of llama"
  ModelType::Size size = {};
  int64_t head_dim = 0, kv_heads = 0, max_positions = 0, rotary_dim = 0;  // 0: none
  double rope_theta = 10000;
  bool fixed_theta = false;  // no key states the base
  double rotary_fraction = 1;
  std::span<const DefaultRope> rope = {};  // where the file has no rope block
  Pairing pairing = Pairing::half_split;
  bool writes_half_split = false, key_decides = false;  // of LatentHead
  enum class Kinds {
    have_their_own,  // base, part of the head and width of a head
    windows_have_a_base,
  } kinds = Kinds::have_their_own;

  double theta_of(const LayerKind& kind) const;
  double fraction_of(const LayerKind& kind) const;
};

// transformers' own classes, and the publishers' own code.
Defaults defaults_of(const ModelType& type);

// llama.cpp: it knows no class; its keys are in the file. `pairing` is that of the file's weights.
Defaults llama_cpp_defaults(Pairing pairing);

// "default of LlamaConfig"
std::string default_of(const ModelType& type);

}  // namespace ropewalk
