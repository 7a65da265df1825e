#pragma once

#include <cstdint>
#include <string_view>

namespace ropewalk {

// Where the text after an image or video goes on.
enum class MropeNext {
  largest,  // 1 + the largest id so far: the code that the models were published with
            // (transformers 4, vLLM)
  side,     // the first id of the vision + max(h, w) / merge (transformers 5): less after a video
            // with more frames than that, whose time ids then run past those of the text
};
std::string_view name(MropeNext next);

// How a model counts the tokens of its images and videos; the values are in its config.json, but
// for `next`, which the code that runs it decides.
struct MropeRules {
  int64_t spatial_merge = 2;   // vision_config.spatial_merge_size
  int64_t temporal_merge = 1;  // of videos; ERNIE-4.5-VL: vision_config.temporal_merge_size
  double tokens_per_second =
      0;                      // Qwen2.5-VL: vision_config.tokens_per_second; 0: frames count by 1
  bool frames_apart = false;  // Qwen3-VL, Qwen3.5, GLM-4V, GLM-4.6V: timestamps stand between the
                              // frames of a video, each of which counts as an image
  MropeNext next = MropeNext::largest;

  bool operator==(const MropeRules&) const = default;
};

}  // namespace ropewalk
