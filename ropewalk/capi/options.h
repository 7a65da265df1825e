#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>

#include "ropewalk/base/parallel_for.h"
#include "ropewalk/capi/status.h"

// Structs that begin with their size, and numbers that name a choice.
namespace ropewalk::capi {

// Refuses a struct that is no older version of ours, nor a newer one without anything new in it.
// `size` is what this library knows of it.
void check_struct(const void* given, size_t size, const char* name);

// The caller's options; what its version of the header does not have is as in `defaults`. Every
// version has had all fields of the first one, which is this one.
template <typename Options>
Options options_of(const Options* given, const Options& defaults, const char* name) {
  if (given == nullptr) return defaults;
  check_struct(given, sizeof(Options), name);
  Options options = defaults;
  std::memcpy(&options, given, std::min(given->struct_size, sizeof(Options)));
  return options;
}

template <typename Options>
Options required_options(const Options* given, const Options& defaults, const char* name) {
  not_null(given, name, "options");
  return options_of(given, defaults, name);
}

// Writes facts as far as the caller's struct goes.
template <typename Facts>
void write_facts(Facts facts, Facts* where, const char* name) {
  not_null(where, name, "a struct");
  check_struct(where, sizeof(Facts), name);
  facts.struct_size = where->struct_size;
  std::memcpy(static_cast<void*>(where), &facts, std::min(where->struct_size, sizeof(Facts)));
}

// One of a list that begins with the number `first`. The message names the enumerators.
template <typename T, size_t N>
T choice(int32_t number, const std::array<T, N>& values, int32_t first, std::string_view expected,
         const char* name) {
  const int64_t index = int64_t{number} - first;
  if (index >= 0 && index < static_cast<int64_t>(N)) return values[static_cast<size_t>(index)];
  refuse(std::string(name) + ": expected " + std::string(expected) + ", found " +
         std::to_string(number));
}

// 0 or 1.
bool flag(int32_t number, const char* name);

Parallel parallel_of(int32_t threads);

}  // namespace ropewalk::capi
