#include "ropewalk/diagnose/find_encoding.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <variant>

#include "ropewalk/diagnose/dumps/dump_types.h"
#include "ropewalk/diagnose/dumps/sampling.h"
#include "ropewalk/diagnose/dumps/search.h"
#include "ropewalk/diagnose/layer_kinds.h"
#include "ropewalk/encoding/layout_permutation.h"
#include "ropewalk/models/models.h"

namespace ropewalk {
namespace {

constexpr size_t kMostFound = 3;

// Windows at either end of the head, those in use first.
std::vector<RotaryLayout> layouts_of(int64_t head_dim) {
  std::vector<int64_t> widths = {head_dim,         head_dim / 2, head_dim / 4,
                                 head_dim * 3 / 4, 64,           head_dim * 2 / 5};
  for (int64_t width = 8; width <= head_dim; width += 8) widths.push_back(width);
  std::vector<RotaryLayout> layouts;
  const auto add = [&](const RotaryWindow& window) {
    RotaryLayout layout{head_dim, {window}};
    if (std::ranges::find(layouts, layout) == layouts.end()) layouts.push_back(std::move(layout));
  };
  for (const int64_t width : widths) {
    if (width < 2 || width % 2 != 0 || width > head_dim) continue;
    for (const Pairing pairing : {Pairing::half_split, Pairing::interleaved}) {
      add({0, width, pairing});
      add({head_dim - width, width, pairing});
    }
  }
  return layouts;
}

Turning plain(const RotaryLayout& in, const RotaryLayout& out) {
  RopeConfig rope;
  rope.rotary_dim = in.windows[0].dim;
  rope.layout = in;
  Turning turning = turning_of(rope, 0);
  turning.places.out = out;
  return turning;
}

// Places that explain the rows: pairs that stay where they are first.
std::vector<Turning> candidates(DumpEvidence& evidence, FoundIn what) {
  std::vector<Turning> result;
  if (what != FoundIn::rows) {
    const int64_t dim = evidence.rows().head_dim;
    const RotaryLayout pairs{dim, {{0, dim, Pairing::half_split}}};
    return {plain(pairs, pairs)};
  }
  const std::vector<RotaryLayout> layouts = layouts_of(evidence.rows().head_dim);
  for (const RotaryLayout& layout : layouts) {
    Turning turning = plain(layout, layout);
    if (evidence.explains(turning.places)) result.push_back(std::move(turning));
  }
  if (!result.empty()) return result;
  for (const RotaryLayout& in : layouts) {
    RotaryLayout out = in;
    Pairing& pairing = out.windows[0].pairing;
    pairing = pairing == Pairing::half_split ? Pairing::interleaved : Pairing::half_split;
    Turning turning = plain(in, out);
    if (evidence.explains(turning.places)) result.push_back(std::move(turning));
  }
  return result;
}

// Whether the rows are what they were before.
bool still_holds(DumpEvidence& evidence) {
  const int64_t head_dim = evidence.rows().head_dim;
  if (head_dim % 2 != 0) return false;
  const RotaryLayout whole{head_dim, {{0, head_dim, Pairing::half_split}}};
  Turning still = plain(whole, whole);
  still.times = 0;
  return evidence.explains(still.places) && evidence.judge(still, true).holds;
}

bool holds(RopeConfig rope, DumpEvidence& evidence, FoundIn what) {
  if (rope.position_axes != 1) return false;
  if (what != FoundIn::rows) {
    const int64_t pairs = pair_count(rope.layout);
    rope.layout = {2 * pairs, {{0, 2 * pairs, Pairing::half_split}}};
    rope.output_layout.reset();
  }
  if (rope.layout.head_dim != evidence.rows().head_dim) return false;
  Turning turning = turning_of(rope, 0);
  if (what == FoundIn::frequencies) turning.scaling_power = 0;
  return evidence.explains(turning.places) && evidence.judge(turning, true).holds;
}

// The presets that turn as the dump was turned, and one of their rotations.
std::vector<std::string> presets_that_hold(DumpEvidence& evidence, FoundIn what,
                                           std::vector<RopeConfig>& ropes) {
  std::vector<std::string> names;
  for (const std::string& name : preset_names()) {
    const ModelEncoding model = preset(name);
    for (const LayerGroup& group : groups_of_layers(model)) {
      const auto* rope = std::get_if<RopeConfig>(&group.positions);
      if (rope == nullptr || !holds(*rope, evidence, what)) continue;
      names.push_back(name);
      ropes.push_back(*rope);
      break;
    }
  }
  return names;
}

// Whether its base was taken from the rows alone: no model has it.
bool unusual(const Explanation& explanation) {
  const double base = explanation.turning.rope.rope_theta;
  const double step = std::pow(10, std::floor(std::log10(base)) - 1);
  return std::abs(base / step - std::round(base / step)) > 1e-6;
}

// One fault beside the plain rotation of each candidate, usual bases first; two of the first
// candidates where that finds nothing.
std::vector<Explanation> search(const std::vector<Turning>& candidates, DumpEvidence& evidence) {
  constexpr size_t kDeep = 4;
  std::vector<Explanation> found;
  for (const Turning& turning : candidates) {
    const Misfit as_it_is = evidence.judge(turning, false);
    if (as_it_is.holds) {
      found.push_back({{}, turning, as_it_is.rms});
      continue;
    }
    const SearchResult searched = explain_in_place(turning, evidence, 1);
    if (!searched.found.empty()) found.push_back(searched.found.front());
  }
  for (size_t i = 0; found.empty() && i < std::min(kDeep, candidates.size()); ++i) {
    const SearchResult searched = explain_in_place(candidates[i], evidence, 2);
    if (!searched.found.empty()) found.push_back(searched.found.front());
  }
  std::stable_sort(found.begin(), found.end(), [](const Explanation& x, const Explanation& y) {
    return std::pair{x.causes.size(), unusual(x)} < std::pair{y.causes.size(), unusual(y)};
  });
  return found;
}

}  // namespace

FoundEncodings find_encoding(const RotationDump& dump, FoundIn what) {
  const Dumps dumps = checked_dumps(dump.before, dump.after, dump.layout);
  const DumpRounding rounding = rounding_of(dumps, dump.rounded_to, dump.exact_before);
  const Dims& shape = dumps.before.shape;
  const PositionTable positions = position_table(dump.positions, shape[0], shape[1], 1);
  DumpEvidence evidence({.rows = rows_of(dumps, sample_tokens(positions, {}, shape[2]), shape[2]),
                         .positions = positions,
                         .rounding = rounding.half_step});
  FoundEncodings result{.dtype = rounding.dtype, .tokens = shape[0] * shape[1]};
  if (still_holds(evidence)) {
    result.nothing_turned = true;
    return result;
  }
  std::vector<RopeConfig> ropes;
  const std::vector<std::string> names = presets_that_hold(evidence, what, ropes);
  std::vector<Explanation> found = search(candidates(evidence, what), evidence);
  if (found.empty() && !ropes.empty()) {
    Turning turning = turning_of(ropes.front(), 0);
    if (what == FoundIn::rows) {
      found.push_back({{}, turning, evidence.judge(turning, false).rms});
    } else {
      turning.places = candidates(evidence, what).front().places;
      if (what == FoundIn::frequencies) turning.scaling_power = 0;
      found.push_back({{}, turning, evidence.judge(turning, false).rms});
    }
  }
  for (const Explanation& each : found) {
    if (result.found.size() == kMostFound) break;
    const bool first = result.found.empty();
    result.found.push_back({each.turning, each.causes, each.rms / rounding.ulp,
                            first ? names : std::vector<std::string>{}, what != FoundIn::rows});
  }
  return result;
}

}  // namespace ropewalk
