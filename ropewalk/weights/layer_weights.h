#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ropewalk/base/tensor.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// The learned numbers of one attention layer as float32 tensors that own their memory, named as in
// AttentionWeights (attention/self_attention.h); projections that a checkpoint keeps fused are
// taken apart, rows of q, k and v in the order of the heads.
struct LayerWeights {
  std::optional<Tensor> wq, wk, wv, wo;
  std::optional<Tensor> bq, bk, bv, bo;
  std::optional<Tensor> q_norm, k_norm, q_norm_bias, k_norm_bias, output_norm, sinks;
  std::optional<Tensor> bucket_bias;
  std::optional<Tensor> w_gate, b_gate;
  std::optional<Tensor> wq_a, bq_a, q_a_norm, wkv_a, bkv_a, kv_a_norm, wkv_b;
  // Tensors of the layer's attention that were not read, frequencies and masks apart: the
  // checkpoint may be another model's.
  std::vector<std::string> unused;
};

// Layer `layer` of a checkpoint (a .safetensors file, an index, or a folder with one) under the
// names of the model's own code. Throws unsupported where these are not known, malformed naming the
// tensor that is missing, or whose shape is not that of the layer's heads, and invalid_argument for
// a layer that the model has not.
LayerWeights read_layer_weights(const std::filesystem::path& path, const ModelEncoding& model,
                                int64_t layer);

}  // namespace ropewalk
