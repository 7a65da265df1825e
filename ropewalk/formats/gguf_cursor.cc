#include "ropewalk/formats/gguf_cursor.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/utf8.h"
#include "ropewalk/formats/byte_order.h"

namespace ropewalk {
namespace {

constexpr uint64_t kPiece = 1 << 18;

}  // namespace

void GgufCursor::fail(uint64_t offset, const std::string& what) const {
  std::string place;
  if (!kind_.empty()) {
    place = name_ ? fmt::format("{} \"{}\": ", kind_, escaped(*name_))
                  : fmt::format("{} {}: ", kind_, index_);
  }
  throw Error(ErrorCode::malformed,
              fmt::format("{}: byte {}: {}{}", file_.label(), offset, place, what));
}

void GgufCursor::need(uint64_t bytes, std::string_view what) const {
  if (bytes <= remaining()) return;
  fail(position_, fmt::format("{}: expected {} bytes, found {} before the end of the file", what,
                              bytes, remaining()));
}

const std::byte* GgufCursor::peek(size_t bytes) {
  if (position_ < piece_begin_ || position_ + bytes > piece_begin_ + piece_.size()) {
    piece_.resize(std::min(kPiece, remaining()));
    file_.read(position_, piece_);
    piece_begin_ = position_;
  }
  return piece_.data() + (position_ - piece_begin_);
}

uint64_t GgufCursor::number(size_t bytes, std::string_view what) {
  need(bytes, what);
  const std::byte* data = peek(bytes);
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) {
    const size_t at = order_ == std::endian::little ? bytes - 1 - i : i;
    value = (value << 8) | std::to_integer<uint64_t>(data[at]);
  }
  position_ += bytes;
  return value;
}

std::string GgufCursor::text(uint64_t length, std::string_view what) {
  need(length, what);
  std::string result;
  if (length <= kPiece) {
    result.assign(reinterpret_cast<const char*>(peek(length)), length);
  } else {
    result.resize(length);
    file_.read(position_, std::as_writable_bytes(std::span(result)));
  }
  position_ += length;
  return result;
}

std::string GgufCursor::name(uint64_t longest) {
  const uint64_t offset = position_;
  const uint64_t length = u64("length of the name");
  if (length == 0 || length > longest) {
    fail(offset, fmt::format("length of the name: expected 1 to {}, found {}", longest, length));
  }
  std::string result = text(length, "name");
  const size_t bad = std::min(result.find('\0'), find_not_utf8(result));
  if (bad < result.size()) {
    fail(offset + 8 + bad,
         fmt::format("expected UTF-8 with no zero byte, found \"{}\"", escaped(result)));
  }
  return result;
}

void GgufCursor::skip(uint64_t bytes, std::string_view what) {
  need(bytes, what);
  position_ += bytes;
}

uint64_t GgufCursor::count(uint64_t least, std::string_view what) {
  const uint64_t offset = position_;
  const uint64_t found = u64(what);
  if (found > remaining() / least) {
    fail(offset, fmt::format("{}: expected at most {}, as the file has {} bytes left, found {}",
                             what, remaining() / least, remaining(), found));
  }
  return found;
}

}  // namespace ropewalk
