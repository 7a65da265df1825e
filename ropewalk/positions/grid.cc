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

// Row and column of each patch of a frame, in the tower's order.
template <typename Visit>
void for_each_patch(const VisionGrid& grid, int64_t merge, const Visit& visit) {
  for (int64_t block_h = 0; block_h < grid.h; block_h += merge) {
    for (int64_t block_w = 0; block_w < grid.w; block_w += merge) {
      for (int64_t h = block_h; h < block_h + merge; ++h) {
        for (int64_t w = block_w; w < block_w + merge; ++w) visit(h, w);
      }
    }
  }
}

int64_t all_patches(std::span<const VisionGrid> grids, int64_t merge, int64_t extra_per_frame) {
  int64_t patches = 0;
  for (size_t i = 0; i < grids.size(); ++i) {
    patches += checked_patches(grids[i], merge, i) + extra_per_frame * grids[i].t;
    check_tokens(patches, "grids");
  }
  return patches;
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
  const int64_t patches = all_patches(grids, merge, 0);
  GridPositions result;
  for (auto* axis : {&result.t, &result.h, &result.w}) axis->reserve(static_cast<size_t>(patches));
  for (const VisionGrid& grid : grids) {
    for (int64_t t = 0; t < grid.t; ++t) {
      for_each_patch(grid, merge, [&](int64_t h, int64_t w) {
        result.t.push_back(t);
        result.h.push_back(h);
        result.w.push_back(w);
      });
    }
  }
  return result;
}

int64_t patch_count(std::span<const VisionGrid> grids, const PatchGrid& patches) {
  return all_patches(grids, patches.merge, patches.class_token ? 1 : 0);
}

PositionArray patch_positions(std::span<const VisionGrid> grids, const PatchGrid& patches) {
  const int64_t count = patch_count(grids, patches);
  const int64_t axes = patches.axes == PatchAxes::thw ? 3 : 2;
  PositionArray result{{axes, 1, count}, std::vector<int64_t>(static_cast<size_t>(axes * count))};
  size_t at = 0;
  const auto plane = static_cast<size_t>(count);
  const auto put = [&](int64_t t, int64_t h, int64_t w) {
    int64_t* id = &result.ids[at++];
    switch (patches.axes) {
      case PatchAxes::hw:
        id[0] = h, id[plane] = w;
        break;
      case PatchAxes::wh:
        id[0] = w, id[plane] = h;
        break;
      case PatchAxes::thw:
        id[0] = t, id[plane] = h, id[2 * plane] = w;
        break;
    }
  };
  for (const VisionGrid& grid : grids) {
    for (int64_t t = 0; t < grid.t; ++t) {
      for_each_patch(grid, patches.merge,
                     [&](int64_t h, int64_t w) { put(t, h + patches.first, w + patches.first); });
      if (patches.class_token) put(0, 0, 0);
    }
  }
  return result;
}

}  // namespace ropewalk
