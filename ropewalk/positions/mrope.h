#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ropewalk/encoding/encodings.h"
#include "ropewalk/encoding/mrope_rules.h"
#include "ropewalk/positions/grid.h"
#include "ropewalk/positions/positions.h"

namespace ropewalk {

// Whether one list of positions is right for every axis of a layer: it has one, or it is M-RoPE,
// whose tokens of text have the same position on each. The axes of a picture, of ChatGLM-6B and of
// a diffusion model are other things.
bool one_list_of_positions(const RopeConfig& rope);

// What mm_token_type_ids of transformers says of a token.
enum class TokenKind : uint8_t { text = 0, image = 1, video = 2 };

struct MropeInput {
  int64_t batch = 0, seq = 0;
  std::span<const uint8_t> kinds;                // [batch, seq] of TokenKind
  std::span<const uint8_t> mask;                 // [batch, seq], 0 is padding; empty: none
  std::span<const VisionGrid> images, videos;    // in the order of the tokens, row after row
  std::span<const double> second_per_grid = {};  // of each video; empty: 1
};

struct MropePositions {
  PositionArray positions;      // [3, B, S]: time, row, column; masked_value for padding
  std::vector<int64_t> deltas;  // [B]: the next token's position is this + the tokens of the row
};

// Three positions of each token of a text with images and videos (M-RoPE).
//   text:   the three are the same, and rise by 1
//   vision: first + (frame i, row, column), in frames of h/merge x w/merge tokens; for Qwen2.5-VL
//           first + trunc(i tokens_per_second second_per_grid), in float32
// Worked numbers: 4 text, a grid 1 x 4 x 6, merge 2, then text:
//   t 0 1 2 3  4 4 4 4 4 4  7 ..     h 0 1 2 3  4 4 4 5 5 5  7 ..     w 0 1 2 3  4 5 6 4 5 6  7 ..
// With text alone every axis is mask_positions. Qwen2-VL {}, Qwen2.5-VL {.tokens_per_second = 2},
// Qwen3-VL and GLM-4V {.frames_apart = true}.
// Throws invalid_argument unless the tokens of each kind are those of the grids, naming row and
// token, and for what grid_positions refuses; resource_limit beyond 2^28 tokens.
// Source: get_rope_index of modeling_qwen2_vl.py, _qwen2_5_vl.py, _qwen3_vl.py, _glm4v.py,
// _ernie4_5_vl_moe.py in transformers (4.57 rounds second_per_grid to an integer first: a fault).
MropePositions mrope_positions(const MropeInput& input, const MropeRules& rules,
                               int64_t masked_value = 0);

}  // namespace ropewalk
