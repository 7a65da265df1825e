#include "ropewalk/formats/gguf_directory.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/formats/byte_order.h"
#include "ropewalk/formats/foreign.h"
#include "ropewalk/formats/gguf_cursor.h"
#include "ropewalk/formats/gguf_names.h"
#include "ropewalk/formats/gguf_tensors.h"
#include "ropewalk/formats/gguf_types.h"

namespace ropewalk {
namespace {

constexpr uint64_t kHeader = 24;  // magic, version, number of tensors, number of keys
// A length, one character, a type, one byte.
constexpr uint64_t kSmallestEntry = 8 + 1 + 4 + 1;
constexpr uint64_t kLongestKey = 65535;
// Arrays in arrays: no known file has any.
constexpr size_t kDeepest = 8;

[[noreturn]] void fail(const InputFile& file, ErrorCode code, uint64_t offset,
                       const std::string& what) {
  throw Error(code, fmt::format("{}: byte {}: {}", file.label(), offset, what));
}

void check_magic(const InputFile& file, std::span<const std::byte> start) {
  const std::string_view magic(reinterpret_cast<const char*>(start.data()),
                               std::min<size_t>(4, start.size()));
  if (magic == "GGUF") return;
  for (const std::string_view old : {"lmgg", "fmgg", "tjgg", "algg", "GGML", "GGMF", "GGJT"}) {
    if (magic != old) continue;
    fail(file, ErrorCode::unsupported, 0,
         fmt::format("expected GGUF, found \"{}\": one of ggml's formats before GGUF; convert the "
                     "model again with a llama.cpp of today",
                     old));
  }
  const std::string_view foreign = foreign_format(start);
  if (!foreign.empty()) {
    fail(file, ErrorCode::unsupported, 0, fmt::format("expected a GGUF file, found {}", foreign));
  }
  fail(file, ErrorCode::malformed, 0,
       fmt::format("expected the magic bytes \"GGUF\", found \"{}\"", escaped(magic)));
}

bool known(uint32_t version) { return version == 2 || version == 3; }

// The byte order is the one in which the version is known.
void read_version(const InputFile& file, GgufDirectory& directory) {
  std::array<std::byte, kHeader> storage{};
  const auto start = std::span(storage).first(std::min(kHeader, file.size_in_bytes()));
  file.read(0, start);
  check_magic(file, start);
  if (start.size() < kHeader) {
    fail(
        file, ErrorCode::malformed, start.size(),
        fmt::format("expected a header of {} bytes, found {} bytes in all", kHeader, start.size()));
  }
  const auto bytes = start.subspan(4, 4);
  directory.version = static_cast<uint32_t>(little_endian(bytes));
  if (known(directory.version)) return;
  const uint32_t little = directory.version;
  swap_byte_order(bytes, 4);
  directory.version = static_cast<uint32_t>(little_endian(bytes));
  directory.order = std::endian::big;
  if (known(directory.version)) return;
  fail(file, ErrorCode::unsupported, 4,
       fmt::format("expected version 2 or 3, found {} ({} in a big-endian file)", little,
                   directory.version));
}

// Reads the keys: where each value is, not what.
class KeyReader {
 public:
  explicit KeyReader(GgufCursor& cursor) : cursor_(cursor) {}

  std::vector<NamedAt<GgufValue>> read(uint64_t keys) {
    std::vector<NamedAt<GgufValue>> entries;
    for (uint64_t i = 0; i < keys; ++i) {
      cursor_.set_place("key", i);
      NamedAt<GgufValue>& entry = entries.emplace_back();
      entry.offset = cursor_.position();
      entry.name = cursor_.name(kLongestKey);
      cursor_.set_name(entry.name);
      entry.value = value();
    }
    return entries;
  }

 private:
  GgufType type(std::string_view what) {
    const uint64_t offset = cursor_.position();
    const uint32_t number = cursor_.u32(what);
    if (number >= kGgufTypes) {
      cursor_.fail(offset,
                   fmt::format("{}: expected 0 to {}, found {}", what, kGgufTypes - 1, number));
    }
    return static_cast<GgufType>(number);
  }

  GgufValue value() {
    GgufValue value;
    value.type = type("type of the value");
    if (value.type == GgufType::array) {
      array_head(value);
      skip_elements(value);
    } else if (value.type == GgufType::string) {
      value.count = cursor_.count(1, "length of the string");
      value.offset = cursor_.position();
      cursor_.skip(value.count, "string");
    } else {
      value.offset = cursor_.position();
      number(value.type);
    }
    return value;
  }

  void number(GgufType type) {
    if (type != GgufType::boolean) return cursor_.skip(gguf_size_in_bytes(type), "value");
    const uint8_t byte = cursor_.u8("value");
    if (byte > 1) {
      cursor_.fail(cursor_.position() - 1, fmt::format("expected a bool, 0 or 1, found {}", byte));
    }
  }

  void array_head(GgufValue& value) {
    value.element = type("type of the array's elements");
    const uint64_t least = value.element == GgufType::string  ? 8
                           : value.element == GgufType::array ? 12
                                                              : gguf_size_in_bytes(value.element);
    value.count = cursor_.count(least, "length of the array");
    value.offset = cursor_.position();
  }

  void skip_elements(const GgufValue& array) {
    if (array.element == GgufType::array) return skip_arrays(array.count);
    if (array.element != GgufType::string) {
      return cursor_.skip(array.count * gguf_size_in_bytes(array.element), "array");
    }
    for (uint64_t i = 0; i < array.count; ++i) {
      cursor_.skip(cursor_.u64("length of a string in the array"), "string in the array");
    }
  }

  // Arrays in arrays, without recursion: how many are left to read at each level.
  void skip_arrays(uint64_t count) {
    std::vector<uint64_t> left = {count};
    while (!left.empty()) {
      if (left.back() == 0) {
        left.pop_back();
        continue;
      }
      --left.back();
      GgufValue array;
      array_head(array);
      if (array.element != GgufType::array) {
        skip_elements(array);
        continue;
      }
      left.push_back(array.count);
      if (left.size() > kDeepest) {
        cursor_.fail(array.offset, fmt::format("arrays nest deeper than {}", kDeepest));
      }
    }
  }

  GgufCursor& cursor_;
};

}  // namespace

GgufDirectory read_gguf_directory(const InputFile& file) {
  GgufDirectory directory;
  read_version(file, directory);
  GgufCursor cursor(file, 8, directory.order);
  const uint64_t tensors = cursor.count(kSmallestGgufTensor, "number of tensors");
  const uint64_t keys = cursor.count(kSmallestEntry, "number of keys");
  directory.metadata = sorted_by_name(file, "key", KeyReader(cursor).read(keys));
  read_gguf_tensors(file, cursor, tensors, directory);
  return directory;
}

}  // namespace ropewalk
