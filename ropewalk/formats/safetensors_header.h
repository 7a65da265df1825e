#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ropewalk {

// One tensor as the header says it, nothing checked but the kinds of values.
struct SafetensorsHeaderEntry {
  std::string name;
  uint64_t offset = 0;  // of the name in the file
  std::string dtype;
  std::vector<uint64_t> shape;
  uint64_t begin = 0, end = 0;  // bytes from the start of the data
};

struct SafetensorsHeader {
  std::vector<SafetensorsHeaderEntry> tensors;  // as in the file, no two names alike
  std::vector<size_t> by_name;                  // their indices, sorted by name
  std::map<std::string, std::string, std::less<>> metadata;
  std::vector<std::string> warnings;
};

// Parses the JSON header that begins at byte `offset` of the file `label`. Throws malformed.
SafetensorsHeader parse_safetensors_header(std::string_view text, uint64_t offset,
                                           const std::string& label);

}  // namespace ropewalk
