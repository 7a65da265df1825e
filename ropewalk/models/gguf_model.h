#pragma once

#include <filesystem>
#include <string_view>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// What a GGUF file of llama.cpp says about positions, as read_model says it of a config.json. The
// pairing is that of the file's own weights: no key states it, the architecture does, and it is not
// always that of the same model at Hugging Face (ModelType::gguf). `assume` names a model_type.
// Throws io, malformed or unsupported naming file and key.
// Source: llama_model_rope_type in llama.cpp's src/llama-model.cpp.
ModelEncoding read_gguf_model(const std::filesystem::path& path, std::string_view assume = {});

}  // namespace ropewalk
