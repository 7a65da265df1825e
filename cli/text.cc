#include "cli/text.h"

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk::cli {
namespace {

struct Character {
  char32_t code = 0;
  size_t length = 0;  // bytes; 0: not UTF-8
};

Character character_at(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const size_t length = lead < 0x80    ? 1
                        : lead >= 0xF0 ? 4
                        : lead >= 0xE0 ? 3
                        : lead >= 0xC2 ? 2
                                       : 0;
  if (length == 0 || at + length > text.size()) return {};
  char32_t code = length == 1 ? lead : lead & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[at + i]);
    if ((byte & 0xC0) != 0x80) return {};
    code = code << 6 | (byte & 0x3F);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, length};
}

// CJK symbols, kana, ideographs, Hangul, full-width forms and beyond.
bool is_wide(char32_t code) {
  return (code >= 0x2E80 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
         (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) ||
         (code >= 0xFFE0 && code <= 0xFFE6) || code >= 0x1F300;
}

}  // namespace

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) tokens.push_back(std::move(word));
    word.clear();
  };
  for (size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    if (c.length == 0) {
      throw Error(ErrorCode::invalid_argument, fmt::format("the text is not UTF-8 at byte {}", at));
    }
    if (c.code == ' ' || c.code == '\t' || c.code == '\n' || c.code == '\r' || c.code == 0x3000) {
      end_word();
    } else if (is_wide(c.code)) {
      end_word();
      tokens.emplace_back(text.substr(at, c.length));
    } else {
      word += text.substr(at, c.length);
    }
    at += c.length;
  }
  end_word();
  return tokens;
}

int display_width(std::string_view text) {
  int width = 0;
  for (size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    width += c.length != 0 && is_wide(c.code) ? 2 : 1;
    at += c.length == 0 ? 1 : c.length;
  }
  return width;
}

std::string padded(std::string_view text, int width) {
  std::string result(text);
  result.append(static_cast<size_t>(std::max(0, width - display_width(text))), ' ');
  return result;
}

std::vector<std::string> wrapped(std::string_view text, int width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (display_width(line) + 1 + display_width(word) > width) {
      lines.emplace_back(word);
    } else {
      line += fmt::format(" {}", word);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace ropewalk::cli
