#include "ropewalk/capi/options.h"

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk::capi {

void check_struct(const void* given, size_t size, const char* name) {
  size_t found = 0;
  std::memcpy(&found, given, sizeof(found));
  if (found == size) return;
  constexpr size_t kLargest = 4096;
  if (found < size || found > kLargest) {
    refuse(
        fmt::format("{}.struct_size: expected {}, the size of the struct, found {}; set it to "
                    "its initializer",
                    name, size, found));
  }
  const auto* bytes = static_cast<const unsigned char*>(given);
  if (std::all_of(bytes + size, bytes + found, [](unsigned char byte) { return byte == 0; })) {
    return;
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: expected fields that version {} knows, its first {} bytes, found "
                          "others that are set",
                          name, ROPEWALK_VERSION, size));
}

bool flag(int32_t number, const char* name) {
  if (number == 0 || number == 1) return number == 1;
  refuse(fmt::format("{}: expected 0 or 1, found {}", name, number));
}

Parallel parallel_of(int32_t threads) {
  if (threads < 0) {
    refuse(fmt::format("threads: expected 0 for all, or how many, found {}", threads));
  }
  return {.threads = threads};
}

}  // namespace ropewalk::capi
