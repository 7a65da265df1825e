#include "ropewalk/positions/mrope.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/positions/check.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorCode::invalid_argument, "mrope positions: " + what);
}

// A grid as tokens, after the merge, and the time between two frames.
struct Vision {
  int64_t t = 1, h = 0, w = 0;
  float interval = 1;
};

// The images or the videos, one after the other as the tokens ask for them.
class VisionQueue {
 public:
  VisionQueue(std::string_view kind, std::span<const VisionGrid> grids) : kind_(kind) {
    grids_ = grids;
  }

  bool empty() const { return next_ == grids_.size(); }
  size_t taken() const { return next_; }
  std::string_view kind() const { return kind_; }

  Vision take_image(const MropeRules& rules) {
    const VisionGrid grid = grids_[next_];
    checked_patches(grid, rules.spatial_merge, next_);
    ++next_;
    return {grid.t, grid.h / rules.spatial_merge, grid.w / rules.spatial_merge, 1};
  }

  // A video, or one frame of it.
  Vision take_video(const MropeRules& rules, std::span<const double> second_per_grid) {
    const VisionGrid grid = grids_[next_];
    checked_patches(grid, rules.spatial_merge, next_);
    Vision vision{1, grid.h / rules.spatial_merge, grid.w / rules.spatial_merge, 1};
    if (rules.frames_apart) {
      if (++frame_ == grid.t) {
        frame_ = 0;
        ++next_;
      }
      return vision;
    }
    if (grid.t % rules.temporal_merge != 0) {
      fail(fmt::format("video {}: expected frames in multiples of {}, found {}", next_,
                       rules.temporal_merge, grid.t));
    }
    vision.t = grid.t / rules.temporal_merge;
    if (rules.tokens_per_second > 0) {
      const double seconds = second_per_grid.empty() ? 1 : second_per_grid[next_];
      vision.interval = static_cast<float>(rules.tokens_per_second) * static_cast<float>(seconds);
    }
    ++next_;
    return vision;
  }

 private:
  std::string_view kind_;
  std::span<const VisionGrid> grids_;
  size_t next_ = 0;
  int64_t frame_ = 0;
};

class Counter {
 public:
  Counter(const MropeInput& input, const MropeRules& rules, int64_t masked_value)
      : input_(input), rules_(rules), plane_(input.batch * input.seq) {
    result_.positions = {{3, input.batch, input.seq},
                         std::vector<int64_t>(static_cast<size_t>(3 * plane_), masked_value)};
  }

  MropePositions count() {
    for (row_ = 0; row_ < input_.batch; ++row_) count_row();
    for (const VisionQueue* queue : {&images_, &videos_}) {
      if (!queue->empty()) {
        fail(fmt::format("{} {}: expected tokens for it, found none", queue->kind(),
                         queue->taken()));
      }
    }
    return std::move(result_);
  }

 private:
  void count_row() {
    next_ = largest_ = 0;
    std::vector<int64_t> tokens;  // of this row, without padding
    for (int64_t s = 0; s < input_.seq; ++s) {
      const int64_t index = row_ * input_.seq + s;
      if (input_.mask.empty() || input_.mask[static_cast<size_t>(index)] != 0) {
        tokens.push_back(index);
      }
    }
    for (size_t at = 0; at < tokens.size();) {
      const TokenKind kind = kind_of(tokens[at]);
      if (kind == TokenKind::text) {
        put(tokens[at++], next_, next_, next_);
        ++next_;
        continue;
      }
      VisionQueue& queue = kind == TokenKind::image ? images_ : videos_;
      if (queue.empty()) {
        fail(fmt::format("{}: expected a grid, found none left", where(tokens[at], kind)));
      }
      at = put_vision(tokens, at, kind);
    }
    result_.deltas.push_back(largest_ - static_cast<int64_t>(tokens.size()));
  }

  size_t put_vision(const std::vector<int64_t>& tokens, size_t at, TokenKind kind) {
    const Vision vision = kind == TokenKind::image
                              ? images_.take_image(rules_)
                              : videos_.take_video(rules_, input_.second_per_grid);
    const int64_t first = next_;
    for (int64_t i = 0; i < vision.t * vision.h * vision.w; ++i, ++at) {
      if (at == tokens.size() || kind_of(tokens[at]) != kind) {
        fail(fmt::format("{}: expected {} x {} x {} tokens of its kind, found {}",
                         where(tokens[at - 1], kind), vision.t, vision.h, vision.w, i));
      }
      const int64_t frame = i / (vision.h * vision.w);
      const auto time = static_cast<int64_t>(static_cast<float>(frame) * vision.interval);
      put(tokens[at], first + time, first + i / vision.w % vision.h, first + i % vision.w);
    }
    next_ = rules_.next == MropeNext::largest ? largest_ : first + std::max(vision.h, vision.w);
    return at;
  }

  void put(int64_t index, int64_t t, int64_t h, int64_t w) {
    int64_t axis = 0;
    for (const int64_t id : {t, h, w}) {
      result_.positions.ids[static_cast<size_t>(axis++ * plane_ + index)] = id;
      largest_ = std::max(largest_, id + 1);
    }
  }

  TokenKind kind_of(int64_t index) const {
    return static_cast<TokenKind>(input_.kinds[static_cast<size_t>(index)]);
  }

  std::string where(int64_t index, TokenKind kind) const {
    return fmt::format("row {}, token {} ({})", row_, index % input_.seq,
                       kind == TokenKind::image ? "image" : "video");
  }

  const MropeInput& input_;
  const MropeRules& rules_;
  const int64_t plane_;
  VisionQueue images_{"image", input_.images}, videos_{"video", input_.videos};
  MropePositions result_;
  int64_t row_ = 0, next_ = 0;
  int64_t largest_ = 0;  // 1 + the largest id of the row
};

void check_rules(const MropeInput& input, const MropeRules& rules) {
  if (rules.temporal_merge < 1) {
    fail(fmt::format("temporal_merge: expected 1 or more, found {}", rules.temporal_merge));
  }
  // Far beyond any video, and small enough that a time id fits int64.
  constexpr double kMost = 1e5;
  const auto in_range = [](double value) { return value >= 0 && value <= kMost; };
  if (!in_range(rules.tokens_per_second)) {
    fail(fmt::format("tokens_per_second: expected 0 to {}, found {}", kMost,
                     rules.tokens_per_second));
  }
  if (!input.second_per_grid.empty() && input.second_per_grid.size() != input.videos.size()) {
    fail(fmt::format("second_per_grid: expected one for each of {} videos, found {}",
                     input.videos.size(), input.second_per_grid.size()));
  }
  for (size_t i = 0; i < input.second_per_grid.size(); ++i) {
    if (in_range(input.second_per_grid[i])) continue;
    fail(fmt::format("second_per_grid: index {}: expected 0 to {}, found {}", i, kMost,
                     input.second_per_grid[i]));
  }
}

void check_values(std::span<const uint8_t> values, uint8_t most, std::string_view what) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] <= most) continue;
    fail(fmt::format("{}: index {}: expected 0 to {}, found {}", what, i, most, values[i]));
  }
}

}  // namespace

bool one_list_of_positions(const RopeConfig& rope) {
  return rope.position_axes == 1 ||
         (!rope.mrope_section.empty() && rope.mrope_order != MropeOrder::strided);
}

MropePositions mrope_positions(const MropeInput& input, const MropeRules& rules,
                               int64_t masked_value) {
  checked_tokens(input.batch, input.seq, input.kinds.size(), "mrope positions: kinds");
  if (!input.mask.empty()) {
    checked_tokens(input.batch, input.seq, input.mask.size(), "mrope positions: mask");
  }
  check_values(input.kinds, 2, "kinds");
  check_values(input.mask, 1, "mask");
  check_rules(input, rules);
  return Counter(input, rules, masked_value).count();
}

}  // namespace ropewalk
