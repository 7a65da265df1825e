#pragma once

#include "ropewalk/models/config_reader.h"

namespace ropewalk {

// Adds the encoding "vision" of /vision_config: patches of a grid, the first half of the pairs of a
// head turned by the row of the patch, the other half by the column, with one list of frequencies
//   inv_freq_i = 10000^(-4i / head_dim), i < head_dim/4
// Source: Qwen2VLVisionRotaryEmbedding and rot_pos_emb of transformers' modeling_qwen2_vl.py; the
// same in Qwen2.5-VL, Qwen3-VL, GLM-4V and PaddleOCR-VL.
void add_vision_grid(ConfigReader& config, ModelEncoding& model);

}  // namespace ropewalk
