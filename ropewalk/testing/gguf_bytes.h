#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ropewalk {

// Writes the bytes of GGUF files, right ones and wrong ones, for tests.
class GgufBytes {
 public:
  std::string magic = "GGUF";
  uint32_t version = 3;
  std::endian order = std::endian::little;
  uint64_t alignment = 32;  // of the padding; the key is the test's own

  // Keys. `type` is the number of the format: 4 u32, 5 i32, 6 f32, 7 bool, 8 string, ...
  template <typename T>
  GgufBytes& number(std::string_view key, uint32_t type, T value) {
    return raw(key, type, bytes(value));
  }
  GgufBytes& u32(std::string_view key, uint32_t value) { return number(key, 4, value); }
  GgufBytes& i32(std::string_view key, int32_t value) { return number(key, 5, value); }
  GgufBytes& f32(std::string_view key, float value) { return number(key, 6, value); }
  GgufBytes& boolean(std::string_view key, uint8_t value) { return number(key, 7, value); }
  GgufBytes& text(std::string_view key, std::string_view value) {
    return raw(key, 8, string(value));
  }
  template <typename T>
  GgufBytes& array(std::string_view key, uint32_t element, const std::vector<T>& values) {
    return raw(key, 9, array_bytes(element, values));
  }
  // A key with a value of any bytes.
  GgufBytes& raw(std::string_view key, uint32_t type, std::string_view value) {
    keys_ += string(key) + bytes(type) + std::string(value);
    ++key_count;
    return *this;
  }

  // A tensor; `dims` as in the file, the innermost first.
  GgufBytes& tensor(std::string_view name, std::initializer_list<uint64_t> dims, uint32_t type,
                    uint64_t offset) {
    tensors_ += string(name) + bytes(static_cast<uint32_t>(dims.size()));
    for (const uint64_t dim : dims) tensors_ += bytes(dim);
    tensors_ += bytes(type) + bytes(offset);
    ++tensor_count;
    return *this;
  }
  uint64_t key_count = 0, tensor_count = 0;  // as the header says

  template <typename T>
  std::string bytes(T value) const {
    std::string text(reinterpret_cast<const char*>(&value), sizeof(T));
    return order == std::endian::native ? text : std::string(text.rbegin(), text.rend());
  }
  std::string string(std::string_view text) const {
    return bytes(uint64_t{text.size()}).append(text);
  }
  template <typename T>
  std::string array_bytes(uint32_t element, const std::vector<T>& values) const {
    std::string text = bytes(element) + bytes(uint64_t{values.size()});
    for (const T& value : values) {
      if constexpr (std::is_arithmetic_v<T>) {
        text += bytes(value);
      } else {
        text += string(value);
      }
    }
    return text;
  }

  // The file up to where the data begins, and the data.
  std::string file(std::string_view data = "") const {
    std::string text = magic + bytes(version) + bytes(tensor_count) + bytes(key_count);
    text += keys_ + tensors_;
    if (!data.empty()) text.append((alignment - text.size() % alignment) % alignment, '\0');
    return text.append(data);
  }

 private:
  std::string keys_, tensors_;
};

}  // namespace ropewalk
