#include "ropewalk/diagnose/dumps/telling.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "ropewalk/diagnose/scaling_bands.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {

Telling telling_positions(const Turning& a, const Turning& b, DumpEvidence& evidence) {
  constexpr int64_t kFarthest = int64_t{1} << 22;
  Telling result;
  if (!same_places(a, b)) return result;
  const std::vector<int64_t>& given = evidence.positions().ids;
  const int64_t last = given.empty() ? 0 : *std::max_element(given.begin(), given.end());
  std::vector<std::complex<double>> of_a, of_b;
  std::vector<double> angles;
  for (int64_t p = 1; p <= kFarthest; p *= 2) {
    const PositionTable one{.axes = 1, .batch = 1, .length = 1, .ids = {p}};
    Turning at_a = a, at_b = b;
    if (a.positions.kind != PositionChange::Kind::offset) at_a.positions = {};
    if (b.positions.kind != PositionChange::Kind::offset) at_b.positions = {};
    Multipliers(at_a, one, evidence.spectra()).write(0, 0, of_a, angles);
    Multipliers(at_b, one, evidence.spectra()).write(0, 0, of_b, angles);
    bool differ = false;
    for (size_t i = 0; i < std::min(of_a.size(), of_b.size()); ++i) {
      differ = differ || std::abs(of_a[i] - of_b[i]) > 2 * evidence.tolerance(a.places);
    }
    if (!differ) continue;
    if (!result.least) result.least = p;
    if (p <= last) continue;
    result.past_the_dump = p;
    break;
  }
  return result;
}

std::optional<int64_t> scaling_shows_at(const Turning& expected, DumpEvidence& evidence) {
  const bool scaled = is_scaled(expected.rope.rope_type) || !expected.rope.lists.empty();
  if (expected.times == 0 || !scaled) return std::nullopt;
  Turning unscaled = expected;
  unscaled.rope = without_scaling(expected.rope);
  if (!evidence.judge(unscaled, true).holds) return std::nullopt;
  return telling_positions(expected, unscaled, evidence).past_the_dump;
}

Observed observed_in(const Explanation& places, DumpEvidence& evidence) {
  const Turning& turning = places.turning;
  Observed result{
      .places = places.causes, .amplitude = evidence.fits(turning.places).amplitude(), .pairs = {}};
  const auto estimates = estimate_frequencies(turning, evidence);
  const std::vector<double>& own = evidence.spectra().of(turning.rope, turning.seq_len).inv_freq;
  std::vector<Observed::Pair> known;
  for (size_t i = 0; i < std::min(own.size(), estimates.size()); ++i) {
    if (!estimates[i].known) continue;
    known.push_back({static_cast<int64_t>(i), estimates[i].inv_freq, estimates[i].error, own[i]});
  }
  if (known.empty()) return result;
  result.pairs = {known.front()};
  if (known.size() > 2) result.pairs.push_back(known[known.size() / 2]);
  if (known.size() > 1) result.pairs.push_back(known.back());
  return result;
}

}  // namespace ropewalk
