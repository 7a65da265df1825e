#include "ropewalk/base/error.h"

#include <algorithm>

#include <fmt/format.h>

namespace ropewalk {
namespace {

// Length of the well-formed UTF-8 sequence at the start of `s`, 0 if there is none (Unicode 15,
// table 3-7).
size_t utf8_sequence(std::string_view s) {
  const auto byte = [&](size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const auto tail = [&](size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return s.empty() ? 0 : 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80, high = lead == 0xED ? 0x9F : 0xBF;
    return byte(1) >= low && byte(1) <= high && tail(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80, high = lead == 0xF4 ? 0x8F : 0xBF;
    return byte(1) >= low && byte(1) <= high && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

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
