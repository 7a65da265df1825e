#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/positions/mrope.h"

namespace ropewalk {

// The tokens of one sequence of text, images and videos, put together in their order, as the
// processor of a model does: an image of t x h x w patches is t (h / merge) (w / merge) tokens.
struct MropePrompt {
  std::vector<uint8_t> kinds;  // of TokenKind
  std::vector<VisionGrid> images, videos;

  // The input of mrope_positions, which the prompt must outlive.
  MropeInput input() const {
    return {1, static_cast<int64_t>(kinds.size()), kinds, {}, images, videos, {}};
  }
};

// Each throws invalid_argument for a negative count or a grid that grid_positions refuses,
// resource_limit beyond 2^28 tokens. Worked number: 4 of text, an image of 1 x 4 x 6, 2 of text: 12
// tokens.
void add_text(MropePrompt& prompt, int64_t count);
void add_image(MropePrompt& prompt, const VisionGrid& grid, const MropeRules& rules);

// `before_each_frame` tokens of text (a timestamp) stand before each frame, for frames_apart.
void add_video(MropePrompt& prompt, const VisionGrid& grid, const MropeRules& rules,
               int64_t before_each_frame = 0);

}  // namespace ropewalk
