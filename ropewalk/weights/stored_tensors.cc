#include "ropewalk/weights/stored_tensors.h"

#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/formats/checkpoint.h"
#include "ropewalk/formats/gguf.h"
#include "ropewalk/formats/safetensors_types.h"
#include "ropewalk/models/model_file.h"

namespace ropewalk {

std::filesystem::path weights_file_of(const std::filesystem::path& path) {
  std::error_code none;
  if (!std::filesystem::is_directory(path, none)) return path;
  const auto has = [&](const char* name) { return std::filesystem::exists(path / name, none); };
  for (const char* name : {"model.safetensors", "model.safetensors.index.json",
                           "adapter_model.safetensors", "consolidated.safetensors"}) {
    if (has(name)) return path / name;
  }
  if (has("consolidated.01.safetensors")) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: expected one file of weights or an index, found "
                            "consolidated.00.safetensors and more, each a slice of every tensor",
                            escaped(path.string())));
  }
  if (has("consolidated.00.safetensors")) return path / "consolidated.00.safetensors";
  throw Error(ErrorCode::io,
              fmt::format("{}: expected model.safetensors, model.safetensors.index.json, "
                          "adapter_model.safetensors or consolidated.safetensors in this folder, "
                          "found none",
                          escaped(path.string())));
}

namespace {

StoredTensors read_gguf(const std::filesystem::path& path) {
  StoredTensors stored{.files = {path}, .gguf = true};
  const GgufFile file(path);
  for (const auto& [name, tensor] : file.tensors()) {
    const GgmlType* type = ggml_type(tensor.type);
    stored.tensors[name] = {0,
                            type == nullptr ? "" : std::string(type->name),
                            {tensor.shape.begin(), tensor.shape.end()},
                            tensor.offset,
                            tensor.offset + tensor.size_in_bytes.value_or(0)};
  }
  return stored;
}

}  // namespace

StoredTensors read_stored_tensors(const std::filesystem::path& path) {
  if (is_gguf(path)) return read_gguf(path);
  const std::filesystem::path file = weights_file_of(path);
  StoredTensors stored;
  stored.files = Checkpoint(file).files();
  if (file.extension() == ".json") stored.index = file;
  for (size_t i = 0; i < stored.files.size(); ++i) {
    const SafetensorsFile opened(stored.files[i]);
    for (const auto& [name, entry] : opened.entries()) {
      stored.tensors[name] = {i,
                              std::string(safetensors_name(entry.dtype)),
                              {entry.shape.begin(), entry.shape.end()},
                              entry.begin,
                              entry.end};
    }
    for (const auto& [name, entry] : opened.unsupported()) {
      stored.tensors[name] = {i, entry.dtype, entry.shape, entry.begin, entry.end};
    }
  }
  return stored;
}

}  // namespace ropewalk
