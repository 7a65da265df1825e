#include "fuzz/memory_file.h"
#include "ropewalk/base/error.h"
#include "ropewalk/formats/safetensors.h"

namespace {

// Ranges lie inside the file and fill it without a byte in two of them; every tensor can be read.
void check(const ropewalk::SafetensorsFile& file, size_t size) {
  size_t bytes = 0;
  for (const auto& [name, entry] : file.entries()) {
    require(entry.begin <= entry.end && entry.end <= size);
    bytes += entry.end - entry.begin;
    require(file.read(name).bytes.size() == entry.end - entry.begin);
  }
  for (const auto& [name, entry] : file.unsupported()) {
    require(entry.begin <= entry.end && entry.end <= size);
    require(!file.contains(name));
    bytes += entry.end - entry.begin;
  }
  require(bytes + 8 <= size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  file.assign(data, size);
  try {
    check(ropewalk::SafetensorsFile(file.path(), {.allow_trailing = size % 2 == 0}), size);
  } catch (const ropewalk::Error& error) {
    require(error.code() == ropewalk::ErrorCode::malformed);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
