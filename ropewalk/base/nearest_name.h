#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ropewalk {

// "; did you mean \"llama\"?" for a word one slip or two away from one of the names, else "".
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

// Levenshtein's distance: the fewest bytes to insert, delete or replace. "lama" is 1 from "llama".
size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace ropewalk
