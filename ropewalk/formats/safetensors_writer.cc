#include <deque>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ropewalk/base/error.h"
#include "ropewalk/formats/byte_order.h"
#include "ropewalk/formats/file_errors.h"
#include "ropewalk/formats/safetensors.h"
#include "ropewalk/formats/safetensors_types.h"

namespace ropewalk {
namespace {

using NamedTensors = std::vector<std::pair<std::string, ConstTensorView>>;

// A JSON string; `what` names it when it is not UTF-8.
std::string quoted(const std::string& text, std::string_view what, const std::string& label) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: {} \"{}\" is not UTF-8", label, what, escaped(text)));
  }
}

void check_names(const NamedTensors& tensors, const std::string& label) {
  std::set<std::string_view> names;
  for (const auto& [name, view] : tensors) {
    const std::string where = fmt::format("{}: tensor \"{}\"", label, escaped(name));
    if (name == "__metadata__") {
      throw Error(ErrorCode::invalid_argument, where + ": the format keeps this name for itself");
    }
    if (!names.insert(name).second) {
      throw Error(ErrorCode::invalid_argument, where + ": given twice");
    }
    check_view(view, where.c_str());
  }
}

std::string header_text(const NamedTensors& tensors,
                        const std::map<std::string, std::string>& metadata,
                        const std::string& label) {
  std::string text = "{";
  if (!metadata.empty()) {
    std::string_view separator = "";
    text += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata) {
      text += fmt::format("{}{}:{}", separator, quoted(key, "metadata key", label),
                          quoted(value, "metadata value", label));
      separator = ",";
    }
    text += '}';
  }
  uint64_t offset = 0;
  for (const auto& [name, view] : tensors) {
    const uint64_t size =
        static_cast<uint64_t>(num_elements(view.shape)) * size_in_bytes(view.dtype);
    text += fmt::format(
        R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", text.size() > 1 ? "," : "",
        quoted(name, "tensor", label), safetensors_name(view.dtype),
        fmt::join(view.shape.begin(), view.shape.end(), ","), offset, offset + size);
    offset += size;
  }
  text += '}';
  text.append((8 - text.size() % 8) % 8, ' ');
  if (text.size() > kLongestSafetensorsHeader) {
    throw Error(ErrorCode::resource_limit,
                fmt::format("{}: header of {} bytes, larger than the limit of {}", label,
                            text.size(), kLongestSafetensorsHeader));
  }
  std::string length;
  for (int i = 0; i < 8; ++i) length += static_cast<char>((text.size() >> (8 * i)) & 0xFF);
  return length + text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                       const std::map<std::string, std::string>& metadata, Overwrite overwrite) {
  const std::string label = file_label(path);
  check_names(tensors, label);
  const std::string header = header_text(tensors, metadata, label);
  std::vector<std::span<const std::byte>> parts = {std::as_bytes(std::span(header))};
  std::deque<Tensor> copies;
  for (const auto& [name, view] : tensors) {
    const size_t size = size_in_bytes(view.dtype);
    if (is_contiguous(view) && std::endian::native == std::endian::little) {
      parts.emplace_back(static_cast<const std::byte*>(view.data),
                         static_cast<size_t>(num_elements(view.shape)) * size);
      continue;
    }
    Tensor& copy = copies.emplace_back(contiguous_copy(view));
    convert_byte_order(copy.bytes, size, std::endian::little);
    parts.emplace_back(copy.bytes);
  }
  write_file_atomically(path, parts, overwrite);
}

}  // namespace ropewalk
