#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// What a model's file says about positions: a config.json of Hugging Face, a GGUF of llama.cpp, the
// params.json of Meta's or Mistral's own weights, or a folder with one of them (looked for in this
// order); a config.json or params.json also from a pipe, or as "-" from standard input. Each field
// of the result carries its evidence: which key of which file, or which default. `assume` names a
// model_type to read the file as, whatever it says itself. Throws io, malformed or unsupported
// naming file and key: an unknown model_type lists the nearest ones and what the keys of the file
// suggest.
ModelEncoding read_model(const std::filesystem::path& path, std::string_view assume = {});

// The same from the text of a config.json or params.json; `label` names it in messages and
// evidence.
ModelEncoding read_model_config(std::string_view text, const std::string& label,
                                std::string_view assume = {});

// A published model by name: "llama-2-7b", "llama-3-8b", "baichuan-7b", "baichuan-13b",
// "chatglm-6b", "chatglm2-6b", "chatglm3-6b", "glm-4-9b-chat". Throws invalid_argument listing the
// names.
ModelEncoding preset(std::string_view name);
std::vector<std::string> preset_names();

// A path that exists, else a preset.
ModelEncoding load_model(const std::string& path_or_preset, std::string_view assume = {});

// One value of /model_type that read_model knows, as a row of the table of conventions.
struct TypeInfo {
  std::string name;          // "qwen3"
  std::string architecture;  // value of /architectures/0: "Qwen3ForCausalLM"
  // Other values of /model_type, /architectures/0 and general.architecture that are read as it.
  std::vector<std::string> other_names, other_architectures, other_gguf_architectures;
  std::string part, part_type;    // a model of several parts: where its text is, and of which type
  std::string kind;               // "rope", "alibi", "learned", "parts", ...: what it answers
  std::string encoding;           // in words
  std::string pairing;            // of the Hugging Face weights; "" where nothing turns
  std::string gguf_architecture;  // "" where llama.cpp has none
  std::string gguf_pairing;       // of the same weights in a GGUF
  std::string attention;          // what its layers do to q, k and the scores, in words
  bool reads_weights = false;     // the names of its attention tensors are known
  bool permuted = false;          // the rows of Q and K are moved on the way to the GGUF
};

// The families that read_model knows.
struct FamilyInfo {
  std::string name;  // "llama"
  std::vector<TypeInfo> types;
  std::vector<std::string> presets;
};
std::vector<FamilyInfo> families();

}  // namespace ropewalk
