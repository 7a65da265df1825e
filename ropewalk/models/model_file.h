#pragma once

#include <filesystem>
#include <string_view>

namespace ropewalk {

// The file of a folder that says what the model is: its config.json, else the params.json of Meta
// and Mistral, else its only GGUF (or the first part of its only one). A path that is no folder is
// itself. Throws unsupported for a folder of another kind, saying which and what to give instead.
std::filesystem::path model_file_of(const std::filesystem::path& path);

// By its first bytes, those of the formats before it too, or by its name.
bool is_gguf(const std::filesystem::path& path);

// Throws unsupported for a file that holds weights or arrays, and no description of a model.
void refuse_other_kinds(const std::filesystem::path& file);

}  // namespace ropewalk
