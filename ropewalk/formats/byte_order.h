#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ropewalk {

static_assert(std::endian::native == std::endian::little ||
              std::endian::native == std::endian::big);

// An unsigned number of `bytes.size()` bytes, the lowest first.
inline uint64_t little_endian(std::span<const std::byte> bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    value = (value << 8) | std::to_integer<uint64_t>(bytes[i]);
  }
  return value;
}

// Turns the bytes of each element around.
inline void swap_byte_order(std::span<std::byte> elements, size_t element_size) {
  for (size_t at = 0; at + element_size <= elements.size(); at += element_size) {
    std::reverse(elements.begin() + at, elements.begin() + at + element_size);
  }
}

// From the order of a file to that of the machine, or back.
inline void convert_byte_order(std::span<std::byte> elements, size_t element_size,
                               std::endian order) {
  if (order != std::endian::native) swap_byte_order(elements, element_size);
}

}  // namespace ropewalk
