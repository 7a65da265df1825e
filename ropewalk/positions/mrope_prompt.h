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

// Where the shorter rows of a batch are filled.
enum class PaddingSide { left, right };

// Prompts of a batch, padded to the longest.
struct MropeBatch {
  int64_t batch = 0, seq = 0;
  std::vector<uint8_t> kinds;              // [batch, seq] of TokenKind; text where there is padding
  std::vector<uint8_t> mask;               // [batch, seq], 0 is padding
  std::vector<VisionGrid> images, videos;  // of all rows, one after the other

  // The input of mrope_positions, which the batch must outlive.
  MropeInput input() const { return {batch, seq, kinds, mask, images, videos, {}}; }
};

// Worked numbers: prompts of 3 and 1 tokens of text, padded on the left: mask 1 1 1, 0 0 1. Throws
// resource_limit beyond 2^28 tokens, padding among them.
MropeBatch padded_batch(std::span<const MropePrompt> prompts, PaddingSide side);

}  // namespace ropewalk
