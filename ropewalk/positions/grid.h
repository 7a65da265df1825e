#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ropewalk/encoding/patch_grid.h"
#include "ropewalk/positions/positions.h"

namespace ropewalk {

// The patches of one image (t 1) or video, as `grid_thw` of Hugging Face says them: before the
// vision tower merges neighbours into one token.
struct VisionGrid {
  int64_t t = 1, h = 0, w = 0;
};

// Where each patch is: time, row and column from 0, [N] each.
struct GridPositions {
  std::vector<int64_t> t, h, w;

  // [axes, 1, N], in the order in which the tower's spectrum has its axes: rows first (Qwen2-VL and
  // after, GLM-4V, Pixtral), columns first, or time, rows, columns.
  PositionArray hw() const;
  PositionArray wh() const;
  PositionArray thw() const;
};

// The patches of several images and videos, one after the other, in the order in which the tower
// has them: frames one after the other, in a frame blocks of merge x merge patches row by row, in a
// block patches row by row. merge 1 is plain rows (Pixtral).
// A grid of 2 x 4, merge 2: h 0 0 1 1 0 0 1 1, w 0 1 0 1 2 3 2 3.
// Throws invalid_argument unless merge divides h and w, resource_limit beyond 2^28 patches.
// Source: get_vision_position_ids of transformers/vision_utils.py.
GridPositions grid_positions(std::span<const VisionGrid> grids, int64_t merge = 2);

// The same as [axes, 1, N] for one model's tower: its order of the axes and of the patches, the
// number of its first row and column, and a class token after each frame if it has one. A grid of 1
// x 2 for Llama 4 (columns first, from 1, class token): 1 2 0, 1 1 0.
// Throws as grid_positions.
PositionArray patch_positions(std::span<const VisionGrid> grids, const PatchGrid& patches);

// N of patch_positions.
int64_t patch_count(std::span<const VisionGrid> grids, const PatchGrid& patches);

// Throws as grid_positions does, `what` naming the grid; else the patches of one grid.
int64_t checked_patches(const VisionGrid& grid, int64_t merge, size_t index);

}  // namespace ropewalk
