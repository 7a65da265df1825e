#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ropewalk/dialects/config_reader.h"

namespace ropewalk {

// hidden_size / num_attention_heads for a family or file that has no key for it, with the sizes of
// `model` already there. Throws malformed naming `source` and the numbers unless it is a whole,
// even number.
int64_t derived_head_dim(ModelEncoding& model, const std::string& source);
inline int64_t derived_head_dim(ConfigReader& config, ModelEncoding& model) {
  return derived_head_dim(model, config.source("hidden_size"));
}

// Throws malformed unless every key and value head serves the same number of query heads.
void check_kv_heads(const ModelEncoding& model, const std::string& source);
inline void check_kv_heads(const ConfigReader& config, const ModelEncoding& model,
                           std::string_view key) {
  check_kv_heads(model, config.source(key));
}

}  // namespace ropewalk
