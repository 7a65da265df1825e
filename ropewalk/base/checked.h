#pragma once

#include <cstdint>
#include <optional>

namespace ropewalk {

// Integer arithmetic that says when the result does not fit, for sizes that come from outside.
template <typename T>
std::optional<T> checked_add(T a, T b) {
  T result;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

template <typename T>
std::optional<T> checked_mul(T a, T b) {
  T result;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace ropewalk
