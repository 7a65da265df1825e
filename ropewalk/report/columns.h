#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ropewalk {

// One character of a text in UTF-8.
struct Character {
  char32_t code = 0;
  size_t length = 0;  // bytes; 0: not UTF-8
};
Character character_at(std::string_view text, size_t at);

// Two columns of a terminal: CJK symbols, kana, ideographs, Hangul, full-width forms and beyond.
bool is_wide(char32_t code);

// Columns that the text takes in a terminal: 2 for a Chinese character, 1 for a letter.
int display_width(std::string_view text);

// The text with spaces added after it up to `width` columns.
std::string padded(std::string_view text, int width);

// The text broken at spaces into lines of at most `width` columns; a longer word has its own.
std::vector<std::string> wrapped(std::string_view text, int width);

// A table of texts, columns two spaces apart, the first row as a heading. Numbers align right when
// `right` says so.
std::string table(const std::vector<std::vector<std::string>>& rows,
                  const std::vector<bool>& right = {});

}  // namespace ropewalk
