#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ropewalk::cli {

// Cuts a text into tokens: each character beyond the Latin, Greek and Cyrillic letters (Chinese,
// kana, ...) is a token, other text is cut at spaces. "他欠我100萬" gives 他, 欠, 我, 100, 萬.
// Throws invalid_argument where the text is not UTF-8.
std::vector<std::string> tokens_of(std::string_view text);

}  // namespace ropewalk::cli
