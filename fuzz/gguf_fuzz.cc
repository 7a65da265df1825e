#include "fuzz/memory_file.h"
#include "ropewalk/base/error.h"
#include "ropewalk/formats/gguf.h"
#include "ropewalk/models/gguf_model.h"

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

// A value lies inside the file, and is refused or read whole.
void check(const ropewalk::GgufFile& file, const std::string& key, size_t size) {
  const ropewalk::GgufValue& value = file.metadata().at(key);
  require(value.offset <= size && value.count <= size);
  answer([&] { (void)file.text(key); });
  answer([&] { (void)file.integer(key); });
  answer([&] { (void)file.number(key); });
  answer([&] { (void)file.boolean(key); });
  answer([&] { require(file.integers(key)->size() == value.count); });
  answer([&] { require(file.numbers(key)->size() == value.count); });
  answer([&] { require(file.texts(key)->size() == value.count); });
}

void check(const ropewalk::GgufFile& file, size_t size) {
  for (const auto& entry : file.metadata()) check(file, entry.first, size);
  answer([&] { require(!file.architecture().empty()); });
  for (const auto& entry : file.tensors()) {
    answer([&] {
      const size_t bytes = file.read(entry.first).bytes.size();
      require(bytes == *entry.second.size_in_bytes && bytes <= size);
    });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  file.assign(data, size);
  answer([&] { check(ropewalk::GgufFile(file.path()), size); });
  answer([&] { (void)ropewalk::read_gguf_model(file.path()); });
  return 0;
}
