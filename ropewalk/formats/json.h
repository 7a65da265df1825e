#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace ropewalk {

struct JsonOptions {
  int max_depth = 64;
  // Python's json writes NaN, Infinity and -Infinity: read them as the JSON strings "NaN",
  // "Infinity" and "-Infinity", so that an unused field may hold one and a used one is refused by
  // its type.
  bool python_constants = false;
};

// Parses one JSON document, strictly: UTF-8 (a byte order mark is skipped), no duplicate keys, no
// trailing text, nesting at most max_depth, numbers that fit a double, keys kept in order. Throws
// malformed with "<label>: line L column C (byte N) at /json/pointer: what"; lines and columns
// count characters from 1, bytes from 0, and the pointer is left out at the top. Takes time linear
// in the text and constant stack.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& label,
                                  const JsonOptions& options = {});

}  // namespace ropewalk
