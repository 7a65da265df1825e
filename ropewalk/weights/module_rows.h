#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ropewalk/conventions/weight_names.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/weights/attention_rows.h"

namespace ropewalk {

// The names that a model's attention tensors may have, those of its own code first, then those of
// its publisher's. None where they are not known.
std::vector<WeightNames> known_names(const ModelEncoding& model);
// Those of llama.cpp.
std::vector<WeightNames> gguf_names(const ModelEncoding& model);

// The heads of each module of a layer that holds q or k as they are rotated, by its short name, and
// the rows of the whole.
struct ModuleRows {
  std::string_view module;
  int64_t rows = 0;
  std::vector<HeadRows> heads;
  bool norm = false;  // of one head or of all, as its size says
};
std::vector<ModuleRows> modules_with_heads(const WeightNames& names, const Layer& layer);

}  // namespace ropewalk
