#include "cli/output.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "cli/array_files.h"
#include "cli/text.h"
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

std::string table(const std::vector<std::vector<std::string>>& rows,
                  const std::vector<bool>& right) {
  std::vector<int> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], display_width(row[c]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      const bool align_right = c < right.size() && right[c];
      const auto space = static_cast<size_t>(widths[c] - display_width(row[c]));
      line += (c ? "  " : "") +
              (align_right ? std::string(space, ' ') + row[c] : row[c] + std::string(space, ' '));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
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
