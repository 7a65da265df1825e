#include "fuzz/memory_file.h"
#include "ropewalk/base/error.h"
#include "ropewalk/formats/npy.h"

// The result is never larger than the file, and a refusal is one of the promised kinds.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  file.assign(data, size);
  try {
    const ropewalk::Tensor tensor =
        ropewalk::read_npy(file.path(), {.bf16_as_v2 = true, .allow_trailing = size % 2 == 0});
    require(tensor.bytes.size() <= size);
    require(ropewalk::contiguous_copy(tensor.view()).bytes == tensor.bytes);
  } catch (const ropewalk::Error& error) {
    require(error.code() == ropewalk::ErrorCode::malformed ||
            error.code() == ropewalk::ErrorCode::unsupported ||
            error.code() == ropewalk::ErrorCode::resource_limit);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
