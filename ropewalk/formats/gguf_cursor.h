#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/formats/file.h"

namespace ropewalk {

// Reads a file forward, in pieces, every step checked against the bytes that are left.
class GgufCursor {
 public:
  GgufCursor(const InputFile& file, uint64_t position, std::endian order)
      : file_(file), position_(position), order_(order) {}

  uint64_t position() const { return position_; }
  uint64_t remaining() const { return file_.size_in_bytes() - position_; }

  uint32_t u32(std::string_view what) { return static_cast<uint32_t>(number(4, what)); }
  uint64_t u64(std::string_view what) { return number(8, what); }
  uint8_t u8(std::string_view what) { return static_cast<uint8_t>(number(1, what)); }
  // A text of `length` bytes, whose limits the caller has checked.
  std::string text(uint64_t length, std::string_view what);
  // The length and the text of a key's or tensor's name: UTF-8, not empty, no zero byte.
  std::string name(uint64_t longest);
  void skip(uint64_t bytes, std::string_view what);
  // How many things of at least `least` bytes each: throws when the file cannot hold them.
  uint64_t count(uint64_t least, std::string_view what);

  // What is being read, for messages: "key 3", then "key \"a\"" once its name is known, which must
  // outlive the next call.
  void set_place(std::string_view kind, uint64_t index) {
    kind_ = kind;
    index_ = index;
    name_ = nullptr;
  }
  void set_name(const std::string& name) { name_ = &name; }

  [[noreturn]] void fail(uint64_t offset, const std::string& what) const;

 private:
  uint64_t number(size_t bytes, std::string_view what);
  // Throws unless `bytes` are left.
  void need(uint64_t bytes, std::string_view what) const;
  // The next bytes, at most a piece's worth, which `need` has found to be there.
  const std::byte* peek(size_t bytes);

  const InputFile& file_;
  uint64_t position_;
  std::endian order_;
  std::vector<std::byte> piece_;
  uint64_t piece_begin_ = 0;
  std::string_view kind_;
  uint64_t index_ = 0;
  const std::string* name_ = nullptr;
};

}  // namespace ropewalk
