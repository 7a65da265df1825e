#pragma once

#include <string>
#include <vector>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// Many checkpoints keep the frequencies beside the weights (`...rotary_emb.inv_freq`), where a
// conversion or a cast can spoil them. A line for each tensor that is not what the config says,
// scaled or not, within the rounding of its type; for a folder's safetensors, or those beside a
// config.json. A checkpoint that cannot be read is a line too.
struct StoredFrequencies {
  std::vector<std::string> differences;
  std::string unread;  // why the checkpoint was not looked at, if it was not
};
StoredFrequencies check_stored_frequencies(const ModelEncoding& model, const std::string& path);

}  // namespace ropewalk
