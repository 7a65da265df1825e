#include "fuzz/memory_file.h"
#include "ropewalk/base/error.h"
#include "ropewalk/formats/torch_file.h"

namespace {

// What is read lies inside the file; every tensor can be read, and is as large as its shape.
void check(const ropewalk::TorchFile& file, size_t size) {
  constexpr int64_t kMost = 1 << 20;  // a view may repeat its elements
  for (const auto& [name, entry] : file.entries()) {
    require(entry.begin <= entry.end && entry.end <= size);
    require(!file.unsupported().contains(name));
    const int64_t elements = ropewalk::num_elements(entry.shape);
    if (elements > kMost) continue;
    require(file.read(name).bytes.size() ==
            static_cast<size_t>(elements) * ropewalk::size_in_bytes(entry.dtype));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  file.assign(data, size);
  try {
    check(ropewalk::TorchFile(file.path()), size);
  } catch (const ropewalk::Error& error) {
    require(error.code() == ropewalk::ErrorCode::malformed ||
            error.code() == ropewalk::ErrorCode::unsupported ||
            error.code() == ropewalk::ErrorCode::resource_limit);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
