#include "cli/output.h"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "cli/array_files.h"
#include "ropewalk/formats/npy.h"
#include "ropewalk/formats/safetensors.h"
#include "ropewalk/formats/torch_file.h"

namespace ropewalk::cli {

void print_json(const nlohmann::ordered_json& json) { fmt::print("{}\n", json.dump(2)); }

nlohmann::ordered_json json_number(float value) {
  if (!std::isfinite(value)) return nullptr;  // JSON has no such number
  const std::string text = fmt::format("{}", value);
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

nlohmann::ordered_json json_numbers(std::span<const float> values) {
  auto array = nlohmann::ordered_json::array();
  for (float value : values) array.push_back(json_number(value));
  return array;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

Overwrite overwrite(bool force) { return force ? Overwrite::replace : Overwrite::refuse; }

Tensor load_tensor(const std::string& path, const std::string& name, bool bf16_as_v2) {
  const ArrayFile array = array_file(path);
  const std::string& tensor = array.tensor.empty() ? name : array.tensor;
  switch (array.format) {
    case ArrayFile::Format::safetensors:
      return SafetensorsFile(array.path).read(tensor);
    case ArrayFile::Format::torch: {
      const TorchFile file(array.path);
      return file.read(array.tensor.empty() && file.contains("") ? "" : tensor);
    }
    case ArrayFile::Format::npy:
      break;
  }
  return read_npy(path, {.bf16_as_v2 = bf16_as_v2});
}

}  // namespace ropewalk::cli
