#include "fuzz/memory_file.h"
#include "ropewalk/base/error.h"
#include "ropewalk/formats/gguf.h"

namespace {

using ropewalk::Error;
using ropewalk::ErrorCode;

// A refusal of one value or tensor is an answer too; it is one line, of one of these kinds.
template <typename Call>
void answer(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    require(error.code() == ErrorCode::malformed || error.code() == ErrorCode::unsupported);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
}

// Every value lies inside the file, and is refused or read whole.
void check(const ropewalk::GgufFile& file, size_t size) {
  for (const auto& [key, value] : file.metadata()) {
    require(value.offset <= size && value.count <= size);
    answer([&] { (void)file.text(key); });
    answer([&] { (void)file.integer(key); });
    answer([&] { (void)file.number(key); });
    answer([&] { (void)file.boolean(key); });
    answer([&, count = value.count] { require(file.integers(key)->size() == count); });
    answer([&, count = value.count] { require(file.numbers(key)->size() == count); });
    answer([&, count = value.count] { require(file.texts(key)->size() == count); });
  }
  answer([&] { require(!file.architecture().empty()); });
  for (const auto& [name, tensor] : file.tensors()) {
    answer([&, expected = tensor.size_in_bytes] {
      require(file.read(name).bytes.size() == *expected && *expected <= size);
    });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  file.assign(data, size);
  answer([&] { check(ropewalk::GgufFile(file.path()), size); });
  return 0;
}
