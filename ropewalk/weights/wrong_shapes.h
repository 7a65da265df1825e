#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ropewalk/base/dims.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// A projection of a checkpoint whose shape is not what the model's heads say: the head_dim, heads
// or hidden_size of the config are not those of the weights.
struct WrongShape {
  std::filesystem::path file{};
  std::string tensor{};
  int64_t layer = 0;
  int64_t heads = 0, kv_heads = 0, head_dim = 0;  // of the layer, as the config says
  Dims expected{}, found{};

  bool operator==(const WrongShape&) const = default;
};

// Reads headers only, and of layers that are alike the first. Nothing for a model whose names of
// weights are not known, for a layer that does what is not computed, and for a tensor that is not
// there or is quantized: read_layer_weights tells of those. Throws what SafetensorsFile and the
// reader of an index throw.
std::vector<WrongShape> wrong_shapes(const std::filesystem::path& checkpoint,
                                     const ModelEncoding& model);

}  // namespace ropewalk
