#include "ropewalk/spectrum/pair_axes.h"

#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

[[noreturn]] void refuse(const RopeConfig& config, const std::string& expected) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("mrope_section is {}, expected {}", config.mrope_section, expected));
}

// The axis of pair i of `axis`'s run of the head when i counts the pairs of all axes.
int32_t contiguous_axis(const std::vector<int64_t>& section, int64_t i) {
  int32_t axis = 0;
  while (i >= section[static_cast<size_t>(axis)]) i -= section[static_cast<size_t>(axis++)];
  return axis;
}

int32_t shared_axis(const RopeConfig& config, int64_t i) {
  const std::vector<int64_t>& section = config.mrope_section;
  const auto remainder = static_cast<int32_t>(i % 3);
  switch (config.mrope_order) {
    case MropeOrder::contiguous:
      return contiguous_axis(section, i);
    case MropeOrder::interleaved:
      return i < 3 * section[static_cast<size_t>(remainder)] ? remainder : 0;
    case MropeOrder::height_width_first:
      return i < 2 * section[0] ? 1 + static_cast<int32_t>(i % 2) : 0;
  }
  return 0;
}

void check_order(const RopeConfig& config) {
  const std::vector<int64_t>& section = config.mrope_section;
  if (config.mrope_order == MropeOrder::contiguous) return;
  if (section.size() != 3) {
    refuse(config, fmt::format("3 counts for the order {}", name(config.mrope_order)));
  }
  if (config.mrope_order == MropeOrder::height_width_first && section[0] != section[1]) {
    refuse(config, "as many pairs of axis 1 as of axis 2 first, which take turns");
  }
  for (int64_t axis = 1; axis < 3 && config.mrope_order == MropeOrder::interleaved; ++axis) {
    const int64_t last = 3 * (section[static_cast<size_t>(axis)] - 1) + axis;
    if (last >= config.rotary_dim / 2) {
      refuse(config, fmt::format("axis {} to have at most every third of {} pairs", axis,
                                 config.rotary_dim / 2));
    }
  }
}

}  // namespace

void check_mrope_section(const RopeConfig& config) {
  const std::vector<int64_t>& section = config.mrope_section;
  if (section.empty()) return;
  if (static_cast<int64_t>(section.size()) != config.position_axes) {
    refuse(config, fmt::format("{} counts, one for each position axis", config.position_axes));
  }
  int64_t sum = 0;
  for (int64_t pairs : section) {
    if (pairs < 0 || pairs > config.rotary_dim / 2) {
      refuse(config, fmt::format("counts in 0..{}", config.rotary_dim / 2));
    }
    sum += pairs;
  }
  if (sum != config.rotary_dim / 2) {
    refuse(config, fmt::format("counts that make {}, half of rotary_dim, and not {}",
                               config.rotary_dim / 2, sum));
  }
  check_order(config);
}

std::vector<int32_t> pair_axes(const RopeConfig& config) {
  const int64_t pairs = config.rotary_dim / 2;
  const bool shared = !config.mrope_section.empty();
  std::vector<int32_t> axes;
  for (int64_t i = 0; i < pairs * (shared ? 1 : config.position_axes); ++i) {
    axes.push_back(shared ? shared_axis(config, i) : static_cast<int32_t>(i / pairs));
  }
  return axes;
}

}  // namespace ropewalk
