#pragma once

#include <string_view>

namespace ropewalk {

// Length of the well-formed UTF-8 sequence at the start of `text`, 0 if there is none (Unicode 15,
// table 3-7).
size_t utf8_sequence(std::string_view text);

// Index of the first byte that is not UTF-8, npos when all is.
size_t find_not_utf8(std::string_view text);

}  // namespace ropewalk
