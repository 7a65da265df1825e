#include "cli/dump_files.h"

#include <filesystem>

#include <fmt/format.h>

#include "cli/array_files.h"
#include "ropewalk/base/error.h"
#include "ropewalk/formats/npy.h"
#include "ropewalk/formats/safetensors.h"
#include "ropewalk/formats/torch_file.h"

namespace ropewalk::cli {
namespace {

Tensor readable(Tensor tensor) {
  return tensor.dtype == DType::f64 ? converted(tensor.view(), DType::f32) : std::move(tensor);
}

// Of a SafetensorsFile or a TorchFile.
template <typename File>
std::vector<DumpTensor> of_named_tensors(const File& file, const std::string& name,
                                         const std::string& option) {
  if (!name.empty()) return {{name, readable(file.read(name))}};
  std::vector<DumpTensor> tensors;
  for (const char* usual : {"q", "k", "v"}) {
    if (file.contains(usual)) tensors.push_back({usual, readable(file.read(usual))});
  }
  if (!tensors.empty()) return tensors;
  if (file.entries().size() == 1) {
    const std::string& only = file.entries().begin()->first;
    return {{only.empty() ? "q" : only, readable(file.read(only))}};
  }
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("{}: expected a tensor q or k, or one by name as {}:NAME, found {} tensors",
                  option, file.label(), file.entries().size()));
}

std::vector<DumpTensor> load(const std::string& file, const std::string& option, bool bf16_as_v2,
                             bool complex) {
  const ArrayFile array = array_file(file);
  switch (array.format) {
    case ArrayFile::Format::safetensors:
      return of_named_tensors(SafetensorsFile(array.path), array.tensor, option);
    case ArrayFile::Format::torch:
      return of_named_tensors(TorchFile(array.path, {.complex_as_pairs = complex}), array.tensor,
                              option);
    case ArrayFile::Format::npy:
      break;
  }
  // k.npy, keys_rotated.npy, values.npy
  const std::string name = std::filesystem::path(file).filename().string();
  const NpyOptions options{.bf16_as_v2 = bf16_as_v2, .complex_as_pairs = complex};
  // A name that merely begins so, as that of a model may, is not of v: v is not to be rotated.
  const bool values = name.starts_with("v.") || name.starts_with("v_") || name.starts_with("value");
  const char* whose = name.starts_with('k') ? "k" : values ? "v" : "q";
  return {{whose, readable(read_npy(file, options))}};
}

Tensor only(std::vector<DumpTensor> tensors, const std::string& file, const std::string& option) {
  if (tensors.size() == 1) return std::move(tensors[0].tensor);
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: expected one array, found {} in {}; name it as FILE:NAME", option,
                          tensors.size(), escaped(file)));
}

}  // namespace

std::vector<DumpTensor> load_dumps(const std::string& file, const std::string& option,
                                   bool bf16_as_v2) {
  return load(file, option, bf16_as_v2, false);
}

Tensor load_dump(const std::string& file, const std::string& option, bool bf16_as_v2) {
  return only(load(file, option, bf16_as_v2, false), file, option);
}

Tensor load_complex(const std::string& file, const std::string& option, bool bf16_as_v2) {
  return only(load(file, option, bf16_as_v2, true), file, option);
}

}  // namespace ropewalk::cli
