#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace ropewalk {

// What a file that is not of the expected format seems to be, from its first bytes, with a way to
// convert it: "a zip archive (...); in Python: ...". Empty when nothing is recognised.
std::string_view foreign_format(std::span<const std::byte> start);

}  // namespace ropewalk
