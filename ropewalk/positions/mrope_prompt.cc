#include "ropewalk/positions/mrope_prompt.h"

#include <iterator>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/positions/check.h"

namespace ropewalk {
namespace {

void add_tokens(MropePrompt& prompt, TokenKind kind, int64_t count) {
  if (count < 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("prompt: expected 0 tokens or more, found {}", count));
  }
  check_tokens(count > kMaxTokens ? count : std::ssize(prompt.kinds) + count, "prompt");
  prompt.kinds.insert(prompt.kinds.end(), static_cast<size_t>(count), static_cast<uint8_t>(kind));
}

// The tokens of one frame.
int64_t frame_tokens(const VisionGrid& grid, const MropeRules& rules, size_t index) {
  return checked_patches(grid, rules.spatial_merge, index) / grid.t /
         (rules.spatial_merge * rules.spatial_merge);
}

}  // namespace

void add_text(MropePrompt& prompt, int64_t count) { add_tokens(prompt, TokenKind::text, count); }

void add_image(MropePrompt& prompt, const VisionGrid& grid, const MropeRules& rules) {
  const int64_t tokens = frame_tokens(grid, rules, prompt.images.size());
  add_tokens(prompt, TokenKind::image, grid.t * tokens);
  prompt.images.push_back(grid);
}

void add_video(MropePrompt& prompt, const VisionGrid& grid, const MropeRules& rules,
               int64_t before_each_frame) {
  if (rules.temporal_merge < 1) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("temporal_merge: expected at least 1, found {}", rules.temporal_merge));
  }
  const int64_t tokens = frame_tokens(grid, rules, prompt.videos.size());
  for (int64_t frame = 0; frame < grid.t / rules.temporal_merge; ++frame) {
    add_text(prompt, before_each_frame);
    add_tokens(prompt, TokenKind::video, tokens);
  }
  prompt.videos.push_back(grid);
}

}  // namespace ropewalk
