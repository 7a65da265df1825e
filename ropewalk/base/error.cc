#include "ropewalk/base/error.h"

#include <algorithm>

#include <fmt/format.h>

#include "ropewalk/base/utf8.h"

namespace ropewalk {
std::string_view name(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::out_of_range:
      return "out_of_range";
    case ErrorCode::malformed:
      return "malformed";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::io:
      return "io";
    case ErrorCode::resource_limit:
      return "resource_limit";
    case ErrorCode::internal:
      return "internal";
  }
  return "unknown";
}

std::string escaped(std::string_view text, size_t limit) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (out.size() >= limit) return out + "...";
    const size_t length = utf8_sequence(text.substr(i));
    const auto c = static_cast<unsigned char>(text[i]);
    // C0 and C1 controls (C1 is C2 80..9F in UTF-8) could drive a terminal.
    const bool c1_control =
        length == 2 && c == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (length == 0 || c < 0x20 || c == 0x7F || c1_control) {
      out += fmt::format("\\x{:02x}", c);
    } else {
      out.append(text, i, length);
      i += length;
      continue;
    }
    i += 1;
  }
  return out;
}

}  // namespace ropewalk
