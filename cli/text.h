#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ropewalk::cli {

// Cuts a text into tokens: each character beyond the Latin, Greek and Cyrillic letters (Chinese,
// kana, ...) is a token, other text is cut at spaces. "他欠我100萬" gives 他, 欠, 我, 100, 萬.
// Throws invalid_argument where the text is not UTF-8.
std::vector<std::string> tokens_of(std::string_view text);

// Columns that the text takes in a terminal: 2 for a Chinese character, 1 for a letter.
int display_width(std::string_view text);

// The text with spaces added after it up to `width` columns.
std::string padded(std::string_view text, int width);

// The text broken at spaces into lines of at most `width` columns; a longer word has its own.
std::vector<std::string> wrapped(std::string_view text, int width);

}  // namespace ropewalk::cli
