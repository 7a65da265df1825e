#pragma once

#include <cstdint>
#include <string_view>

namespace ropewalk {

// Which coordinate of a patch each position axis of a vision tower takes.
enum class PatchAxes {
  hw,   // row, then column: Qwen2-VL and after, GLM-4V, Pixtral
  wh,   // column, then row: Llama 4, Gemma 4, Kimi-K2.5
  thw,  // frame, row, column: MiniMax-M3-VL
};

// "hw", "wh" or "thw". The second throws invalid_argument listing them for any other text.
std::string_view name(PatchAxes axes);
PatchAxes patch_axes_from_name(std::string_view text);
std::string_view in_words(PatchAxes axes);

// How a vision tower numbers the patches of its pictures.
struct PatchGrid {
  PatchAxes axes = PatchAxes::hw;
  // Patches come in blocks of merge x merge, row by row in each: they become one token. 1: plain
  // rows. 0: no file says it.
  int64_t merge = 1;
  int64_t first = 0;         // the number of the first row and column; Llama 4: 1
  bool class_token = false;  // after the patches of a picture, at 0 on every axis: does not turn

  bool operator==(const PatchGrid&) const = default;
};

}  // namespace ropewalk
