#pragma once

#include <optional>
#include <string>

#include "ropewalk/attention/self_attention.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk::cli {

// The projections of one attention layer read from a checkpoint, as float32 tensors that own their
// memory. Fused projections (Baichuan's W_pack, ChatGLM's query_key_value) are taken apart.
struct LayerWeights {
  Tensor wq, wk, wv, wo;
  std::optional<Tensor> bq, bk, bv, bo;

  AttentionWeights view() const;
};

// Layer `layer` of a checkpoint (a .safetensors file, an index, or a folder with one) under the
// names of the model's own code. Throws malformed naming the tensor that is missing, or whose shape
// is not that of the model's heads.
LayerWeights read_layer_weights(const std::string& path, const ModelEncoding& model, int64_t layer);

}  // namespace ropewalk::cli
