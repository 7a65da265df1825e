#pragma once

#include <cstdint>

#include "ropewalk/models/config_reader.h"

namespace ropewalk {

// hidden_size / num_attention_heads for a family or file that has no key for it, with the keys of
// `model` already read. Throws malformed naming the numbers unless it is a whole, even number.
int64_t derived_head_dim(ConfigReader& config, const ModelEncoding& model);

// Throws malformed unless every key and value head serves the same number of query heads.
void check_kv_heads(const ConfigReader& config, const ModelEncoding& model, std::string_view key);

}  // namespace ropewalk
