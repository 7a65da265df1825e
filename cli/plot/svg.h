#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace ropewalk::plot {

// Cairo names the parts of an SVG after counters that run as long as the process does (surface17,
// image23). Numbers them 0, 1, 2, ... in order of appearance, so that the same figure gives the
// same bytes whatever was drawn before.
void renumber_ids(std::vector<std::byte>& svg);

// Puts <title>text</title> into the document, for screen readers and tool tips: Cairo's letters are
// outlines and cannot be read back.
void insert_title(std::vector<std::byte>& svg, std::string_view text);

}  // namespace ropewalk::plot
