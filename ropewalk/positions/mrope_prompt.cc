#include "ropewalk/positions/mrope_prompt.h"

#include <algorithm>
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

MropeBatch padded_batch(std::span<const MropePrompt> prompts, PaddingSide side) {
  MropeBatch batch{.batch = std::ssize(prompts)};
  for (const MropePrompt& prompt : prompts) {
    batch.seq = std::max<int64_t>(batch.seq, std::ssize(prompt.kinds));
  }
  check_tokens(batch.batch, "batch");
  check_tokens(batch.seq, "prompt");
  check_tokens(batch.batch * batch.seq, "batch");
  for (const MropePrompt& prompt : prompts) {
    const size_t padding = static_cast<size_t>(batch.seq) - prompt.kinds.size();
    const size_t left = side == PaddingSide::left ? padding : 0;
    for (auto* row : {&batch.kinds, &batch.mask}) row->insert(row->end(), left, 0);
    batch.kinds.insert(batch.kinds.end(), prompt.kinds.begin(), prompt.kinds.end());
    batch.mask.insert(batch.mask.end(), prompt.kinds.size(), 1);
    for (auto* row : {&batch.kinds, &batch.mask}) row->insert(row->end(), padding - left, 0);
    batch.images.insert(batch.images.end(), prompt.images.begin(), prompt.images.end());
    batch.videos.insert(batch.videos.end(), prompt.videos.begin(), prompt.videos.end());
  }
  return batch;
}

}  // namespace ropewalk
