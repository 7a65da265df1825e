#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ropewalk/formats/file.h"
#include "ropewalk/formats/gguf.h"

namespace ropewalk {

// All that stands before the data of a GGUF file, every rule checked.
struct GgufDirectory {
  uint32_t version = 0;
  std::endian order = std::endian::little;
  std::map<std::string, GgufValue, std::less<>> metadata;
  std::map<std::string, GgufTensor, std::less<>> tensors;
  std::vector<std::string> warnings;
};

GgufDirectory read_gguf_directory(const InputFile& file);

}  // namespace ropewalk
