#include "ropewalk/positions/grid.h"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/positions/check.h"

namespace ropewalk {
namespace {

PositionArray planes(std::initializer_list<const std::vector<int64_t>*> axes) {
  PositionArray result{
      {static_cast<int64_t>(axes.size()), 1, static_cast<int64_t>((*axes.begin())->size())}, {}};
  for (const auto* axis : axes) result.ids.insert(result.ids.end(), axis->begin(), axis->end());
  return result;
}

void append_frame(const VisionGrid& grid, int64_t merge, int64_t t, GridPositions& out) {
  for (int64_t block_h = 0; block_h < grid.h; block_h += merge) {
    for (int64_t block_w = 0; block_w < grid.w; block_w += merge) {
      for (int64_t i = 0; i < merge * merge; ++i) {
        out.t.push_back(t);
        out.h.push_back(block_h + i / merge);
        out.w.push_back(block_w + i % merge);
      }
    }
  }
}

}  // namespace

PositionArray GridPositions::hw() const { return planes({&h, &w}); }
PositionArray GridPositions::wh() const { return planes({&w, &h}); }
PositionArray GridPositions::thw() const { return planes({&t, &h, &w}); }

int64_t checked_patches(const VisionGrid& grid, int64_t merge, size_t index) {
  const auto fail = [&](std::string_view rule) {
    throw Error(ErrorCode::invalid_argument, fmt::format("grid {}: expected {}, found {} x {} x {}",
                                                         index, rule, grid.t, grid.h, grid.w));
  };
  if (merge < 1 || merge > kMaxTokens) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("merge: expected 1 to {}, found {}", kMaxTokens, merge));
  }
  if (std::min({grid.t, grid.h, grid.w}) < 1) fail("1 or more each way");
  if (grid.h % merge != 0 || grid.w % merge != 0) {
    fail(fmt::format("rows and columns in multiples of {}", merge));
  }
  for (const int64_t side : {grid.t, grid.h, grid.w}) check_tokens(side, "grid");
  check_tokens(grid.h * grid.w, "grid");
  check_tokens(grid.t * (grid.h * grid.w), "grid");
  return grid.t * grid.h * grid.w;
}

GridPositions grid_positions(std::span<const VisionGrid> grids, int64_t merge) {
  int64_t patches = 0;
  for (size_t i = 0; i < grids.size(); ++i) {
    patches += checked_patches(grids[i], merge, i);
    check_tokens(patches, "grids");
  }
  GridPositions result;
  for (auto* axis : {&result.t, &result.h, &result.w}) axis->reserve(static_cast<size_t>(patches));
  for (const VisionGrid& grid : grids) {
    for (int64_t t = 0; t < grid.t; ++t) append_frame(grid, merge, t, result);
  }
  return result;
}

}  // namespace ropewalk
