#include "cli/text.h"

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/report/columns.h"

namespace ropewalk::cli {

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

}  // namespace ropewalk::cli
