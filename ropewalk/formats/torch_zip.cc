#include "ropewalk/formats/torch_zip.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/formats/byte_order.h"

// PKWARE's APPNOTE 6.3.10, sections 4.3.7 (local header), 4.3.12 (directory), 4.3.14 to 4.3.16
// (its end).
namespace ropewalk {
namespace {

constexpr uint64_t kEndSize = 22, kLocatorSize = 20, kEnd64Size = 56, kEntrySize = 46,
                   kLocalSize = 30;
constexpr uint64_t kLongestComment = 65535;
constexpr uint64_t kLongestDirectory = uint64_t{64} << 20;
constexpr uint64_t kIn64Bits = 0xffffffff;  // the number is in the zip64 part

using Bytes = std::vector<std::byte>;

[[noreturn]] void fail(const InputFile& file, uint64_t offset, const std::string& what,
                       ErrorCode code = ErrorCode::malformed) {
  throw Error(code, fmt::format("{}: byte {}: zip archive: {}", file.label(), offset, what));
}

Bytes bytes_at(const InputFile& file, uint64_t offset, uint64_t size, std::string_view what) {
  if (offset > file.size_in_bytes() || size > file.size_in_bytes() - offset) {
    const uint64_t left = file.size_in_bytes() - std::min(offset, file.size_in_bytes());
    fail(file, offset, fmt::format("expected {} bytes of {}, found {}", size, what, left));
  }
  Bytes bytes(size);
  file.read(offset, bytes);
  return bytes;
}

uint64_t number(const Bytes& bytes, size_t at, size_t size) {
  return little_endian(std::span(bytes).subspan(at, size));
}

bool has_signature(const Bytes& bytes, size_t at, std::string_view letters) {
  return bytes.size() >= at + 4 && number(bytes, at, 2) == 0x4b50 &&
         std::to_integer<char>(bytes[at + 2]) == letters[0] &&
         std::to_integer<char>(bytes[at + 3]) == letters[1];
}

struct Directory {
  uint64_t begin = 0, size = 0, entries = 0;
};

// What the zip64 end says, whose locator stands before the end.
Directory directory64(const InputFile& file, uint64_t end_begin) {
  if (end_begin < kLocatorSize) fail(file, end_begin, "expected a zip64 locator, found none");
  const Bytes locator = bytes_at(file, end_begin - kLocatorSize, kLocatorSize, "the zip64 locator");
  if (!has_signature(locator, 0, "\x06\x07")) {
    fail(file, end_begin - kLocatorSize, "expected a zip64 locator, found other bytes");
  }
  const uint64_t begin = number(locator, 8, 8);
  const Bytes end = bytes_at(file, begin, kEnd64Size, "the zip64 end");
  if (!has_signature(end, 0, "\x06\x06")) {
    fail(file, begin, "expected the zip64 end of the directory, found other bytes");
  }
  if (number(end, 16, 4) != 0 || number(end, 20, 4) != 0) {
    fail(file, begin, "expected one file, found a part of several", ErrorCode::unsupported);
  }
  return {number(end, 48, 8), number(end, 40, 8), number(end, 32, 8)};
}

// The last end of a directory whose comment reaches to the end of the file.
Directory find_directory(const InputFile& file) {
  const uint64_t size = file.size_in_bytes();
  const uint64_t tail_size = std::min(size, kEndSize + kLongestComment);
  const uint64_t tail_begin = size - tail_size;
  const Bytes tail = bytes_at(file, tail_begin, tail_size, "its end");
  for (uint64_t back = kEndSize; back <= tail_size; ++back) {
    const size_t at = tail_size - back;
    if (!has_signature(tail, at, "\x05\x06") || number(tail, at + 20, 2) != back - kEndSize) {
      continue;
    }
    const Directory found = {number(tail, at + 16, 4), number(tail, at + 12, 4),
                             number(tail, at + 10, 2)};
    if (found.begin == kIn64Bits || found.size == kIn64Bits || found.entries == 0xffff) {
      return directory64(file, tail_begin + at);
    }
    if (number(tail, at + 4, 2) != 0 || number(tail, at + 6, 2) != 0) {
      fail(file, tail_begin + at, "expected one file, found a part of several",
           ErrorCode::unsupported);
    }
    return found;
  }
  fail(file, size, "expected the end of its directory, found none: the file was cut short");
}

// Replaces the numbers that do not fit into 32 bits by those of the extra field 1.
void read_extra64(const InputFile& file, uint64_t offset, std::span<const std::byte> extra,
                  std::span<uint64_t* const> numbers) {
  if (std::none_of(numbers.begin(), numbers.end(),
                   [](const uint64_t* each) { return *each == kIn64Bits; })) {
    return;
  }
  while (extra.size() >= 4) {
    const uint64_t id = little_endian(extra.first(2)), size = little_endian(extra.subspan(2, 2));
    if (size > extra.size() - 4) break;
    std::span<const std::byte> field = extra.subspan(4, size);
    extra = extra.subspan(4 + size);
    if (id != 1) continue;
    for (uint64_t* each : numbers) {
      if (*each != kIn64Bits) continue;
      if (field.size() < 8) fail(file, offset, "expected numbers of 64 bits, found the end");
      *each = little_endian(field.first(8));
      field = field.subspan(8);
    }
    return;
  }
  fail(file, offset, "expected numbers of 64 bits in the extra field, found none");
}

// Where the bytes begin, after the entry's own header, which must name it as the directory does.
ZipRecord record_at(const InputFile& file, uint64_t header, uint64_t size,
                    const std::string& name) {
  const Bytes local = bytes_at(file, header, kLocalSize, "an entry's header");
  if (!has_signature(local, 0, "\x03\x04")) {
    fail(file, header,
         fmt::format("expected the header of \"{}\", found other bytes", escaped(name)));
  }
  const uint64_t name_size = number(local, 26, 2);
  const Bytes own = bytes_at(file, header + kLocalSize, name_size, "an entry's name");
  const std::string_view own_name(reinterpret_cast<const char*>(own.data()), own.size());
  if (own_name != name) {
    fail(file, header,
         fmt::format("expected the header of \"{}\", found that of \"{}\"", escaped(name),
                     escaped(own_name)));
  }
  const uint64_t begin = header + kLocalSize + name_size + number(local, 28, 2);
  if (begin > file.size_in_bytes() || size > file.size_in_bytes() - begin) {
    fail(file, header,
         fmt::format("\"{}\": expected {} bytes from byte {}, found a file of {}", escaped(name),
                     size, begin, file.size_in_bytes()));
  }
  return {begin, size};
}

// One entry of the directory, at `at`, and how long it is.
uint64_t add_entry(const InputFile& file, const Directory& directory, const Bytes& bytes,
                   uint64_t at, ZipRecords& records) {
  const uint64_t offset = directory.begin + at;
  if (bytes.size() - at < kEntrySize || !has_signature(bytes, at, "\x01\x02")) {
    fail(file, offset, "expected an entry of the directory, found other bytes");
  }
  const uint64_t name_size = number(bytes, at + 28, 2), extra_size = number(bytes, at + 30, 2);
  const uint64_t length = kEntrySize + name_size + extra_size + number(bytes, at + 32, 2);
  if (length > bytes.size() - at) {
    fail(file, offset, "expected an entry of the directory, found one that goes beyond its end");
  }
  const char* text = reinterpret_cast<const char*>(bytes.data()) + at + kEntrySize;
  const std::string name(text, name_size);
  const uint64_t flags = number(bytes, at + 8, 2), method = number(bytes, at + 10, 2);
  if ((flags & 1) != 0 || method != 0) {
    fail(file, offset,
         fmt::format("\"{}\": expected stored bytes, as torch.save writes them, found {}",
                     escaped(name), method != 0 ? "compressed ones" : "encrypted ones"),
         ErrorCode::unsupported);
  }
  uint64_t packed = number(bytes, at + 20, 4), size = number(bytes, at + 24, 4),
           header = number(bytes, at + 42, 4);
  uint64_t* const numbers[] = {&size, &packed, &header};  // in the order of the extra field
  read_extra64(file, offset, std::span(bytes).subspan(at + kEntrySize + name_size, extra_size),
               numbers);
  if (packed != size) {
    fail(file, offset,
         fmt::format("\"{}\": expected {} stored bytes, found {}", escaped(name), size, packed));
  }
  if (!records.emplace(name, record_at(file, header, size, name)).second) {
    fail(file, offset, fmt::format("\"{}\": expected one entry, found two", escaped(name)));
  }
  return length;
}

}  // namespace

ZipRecords read_zip_records(const InputFile& file) {
  const Directory directory = find_directory(file);
  if (directory.size > kLongestDirectory && directory.size <= file.size_in_bytes()) {
    fail(file, directory.begin,
         fmt::format("expected a directory of at most {} bytes, found {}", kLongestDirectory,
                     directory.size),
         ErrorCode::resource_limit);
  }
  const Bytes bytes = bytes_at(file, directory.begin, directory.size, "the directory");
  ZipRecords records;
  uint64_t at = 0;
  for (uint64_t entry = 0; entry < directory.entries; ++entry) {
    at += add_entry(file, directory, bytes, at, records);
  }
  if (at != bytes.size()) {
    fail(file, directory.begin + at, "expected the end of the directory, found more bytes");
  }
  return records;
}

}  // namespace ropewalk
