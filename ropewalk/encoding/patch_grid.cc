#include "ropewalk/encoding/patch_grid.h"

#include <array>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

// In the order of the enum.
constexpr std::array<std::string_view, 3> kNames = {"hw", "wh", "thw"};
constexpr std::array<std::string_view, 3> kWords = {"row, then column", "column, then row",
                                                    "frame, row, column"};

}  // namespace

std::string_view name(PatchAxes axes) { return kNames[static_cast<size_t>(axes)]; }

std::string_view in_words(PatchAxes axes) { return kWords[static_cast<size_t>(axes)]; }

PatchAxes patch_axes_from_name(std::string_view text) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (text == kNames[i]) return static_cast<PatchAxes>(i);
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("expected hw, wh or thw, found \"{}\"", escaped(text)));
}

}  // namespace ropewalk
