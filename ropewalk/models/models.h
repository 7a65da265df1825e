#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// What a Hugging Face config.json (or the directory that holds one) says about positions. Each
// field of the result carries its evidence: which key of which file, or which default. Throws io,
// malformed or unsupported naming file and key: an unknown model_type lists the known ones, a rope
// scaling that is not supported yet is refused by its name.
ModelEncoding read_model(const std::filesystem::path& path);

// The same from the text of a config.json; `label` names it in messages and evidence.
ModelEncoding read_model_config(std::string_view text, const std::string& label);

// A published model by name: "llama-2-7b", "llama-3-8b", "baichuan-7b", "baichuan-13b",
// "chatglm-6b", "chatglm2-6b", "chatglm3-6b", "glm-4-9b-chat". Throws invalid_argument listing the
// names.
ModelEncoding preset(std::string_view name);
std::vector<std::string> preset_names();

// A path that exists, else a preset.
ModelEncoding load_model(const std::string& path_or_preset);

// The families that read_model knows.
struct FamilyInfo {
  std::string name;                      // "llama"
  std::vector<std::string> model_types;  // values of /model_type
  std::string encoding;  // "RoPE half_split", "ALiBi (13B) or RoPE half_split (7B)", ...
  std::vector<std::string> presets;
};
std::vector<FamilyInfo> families();

}  // namespace ropewalk
