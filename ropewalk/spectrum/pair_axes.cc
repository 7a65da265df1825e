#include "ropewalk/spectrum/pair_axes.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

// `more` follows what was found.
[[noreturn]] void refuse(const RopeConfig& config, const std::string& expected,
                         const std::string& more = "") {
  throw Error(ErrorCode::invalid_argument, fmt::format("mrope_section: expected {}, found {}{}",
                                                       expected, config.mrope_section, more));
}

// The axis of pair i when the counts of pairs follow each other.
int32_t contiguous_axis(const std::vector<int64_t>& counts, int64_t i) {
  int32_t axis = 0;
  while (i >= counts[static_cast<size_t>(axis)]) i -= counts[static_cast<size_t>(axis++)];
  return axis;
}

// Of the axes that share one list of frequencies.
PairSource shared_source(const RopeConfig& config, int64_t i) {
  const std::vector<int64_t>& section = config.mrope_section;
  const auto remainder = static_cast<int32_t>(i % 3);
  switch (config.mrope_order) {
    case MropeOrder::interleaved:
      return {i < 3 * section[static_cast<size_t>(remainder)] ? remainder : 0, i};
    case MropeOrder::height_width_first:
      return {i < 2 * section[0] ? 1 + static_cast<int32_t>(i % 2) : 0, i};
    case MropeOrder::strided: {
      const int32_t axis = contiguous_axis(section, i);
      return {axis, axis + config.position_axes * (i - axis * section[0])};
    }
    default:
      return {contiguous_axis(section, i), i};
  }
}

void check_axis_dims(const RopeConfig& config) {
  const auto fail = [&](const std::string& expected, const std::string& more = "") {
    throw Error(ErrorCode::invalid_argument, fmt::format("axis_dims: expected {}, found {}{}",
                                                         expected, config.axis_dims, more));
  };
  if (!config.mrope_section.empty()) fail("none beside a mrope_section");
  if (config.mrope_order != MropeOrder::contiguous) {
    fail(fmt::format("none for the order {}", name(config.mrope_order)));
  }
  if (!config.lists.empty()) fail("none beside lists of one number for each pair");
  if (std::ssize(config.axis_dims) != config.position_axes) {
    fail(fmt::format("{} numbers, one for each position axis", config.position_axes));
  }
  int64_t sum = 0;
  for (int64_t dim : config.axis_dims) {
    if (dim < 2 || dim % 2 != 0 || dim > config.rotary_dim) fail("positive even numbers");
    sum += dim;
  }
  if (sum != config.rotary_dim) {
    fail(fmt::format("numbers that make the rotary_dim {}", config.rotary_dim),
         fmt::format(", which make {}", sum));
  }
}

void check_order(const RopeConfig& config) {
  const std::vector<int64_t>& section = config.mrope_section;
  if (config.mrope_order == MropeOrder::contiguous) return;
  if (config.mrope_order == MropeOrder::alternating) {
    refuse(config, "none for the order alternating");
  }
  if (config.mrope_order == MropeOrder::strided) {
    const bool equal = std::ranges::all_of(section, [&](int64_t n) { return n == section[0]; });
    if (!equal) refuse(config, "equal counts for the order strided");
    return;
  }
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

void check_axes(const RopeConfig& config) {
  const std::vector<int64_t>& section = config.mrope_section;
  if (!config.axis_dims.empty()) return check_axis_dims(config);
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
    refuse(config, fmt::format("counts that make {}, half of rotary_dim", config.rotary_dim / 2),
           fmt::format(", which make {}", sum));
  }
  check_order(config);
}

std::vector<PairSource> pair_sources(const RopeConfig& config) {
  const int64_t pairs = config.rotary_dim / 2;
  std::vector<PairSource> sources;
  for (size_t axis = 0; axis < config.axis_dims.size(); ++axis) {
    for (int64_t i = 0; i < config.axis_dims[axis] / 2; ++i) {
      sources.push_back({static_cast<int32_t>(axis), std::ssize(sources)});
    }
  }
  if (!sources.empty()) return sources;
  if (!config.mrope_section.empty()) {
    for (int64_t i = 0; i < pairs; ++i) sources.push_back(shared_source(config, i));
    return sources;
  }
  const int64_t axes = config.position_axes;
  const bool alternating = config.mrope_order == MropeOrder::alternating;
  for (int64_t i = 0; i < pairs * axes; ++i) {
    sources.push_back(alternating ? PairSource{static_cast<int32_t>(i % axes), i / axes}
                                  : PairSource{static_cast<int32_t>(i / pairs), i % pairs});
  }
  return sources;
}

}  // namespace ropewalk
