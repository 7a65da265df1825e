#pragma once

#include <optional>
#include <string>
#include <utility>

#include "ropewalk/base/error.h"

namespace ropewalk {

// What a file says of one thing, and where. Without a value: where it would be.
template <typename T>
struct Said {
  std::optional<T> value = {};
  std::string source = {};  // "config.json: /rope_theta"
  std::string key = {};     // "/rope_theta", for a message that names the file elsewhere
  bool null = false;        // the key is there, and null

  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
  T value_or(T fallback) const { return value.value_or(std::move(fallback)); }
};

// Throws "<source>: <what>".
[[noreturn]] inline void refuse(ErrorCode code, const std::string& source,
                                const std::string& what) {
  throw Error(code, source + ": " + what);
}

}  // namespace ropewalk
