#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "ropewalk/diagnose/dumps/dump_evidence.h"

namespace ropewalk {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

double within_a_turn(double angle) { return std::remainder(angle, kTurn); }

// One pair's ratio at a position.
struct Point {
  int64_t b, p;
  std::complex<double> ratio;
};

// Sorted by row and position.
std::vector<Point> points_of(const PairFits& fits, const PositionTable& positions, int64_t axis,
                             size_t pair) {
  std::vector<Point> points;
  const int64_t row = std::min(axis, positions.axes - 1);
  for (size_t g = 0; g < fits.groups.size(); ++g) {
    const PairFits::Group& group = fits.groups[g];
    const PairFit& fit = fits.at(g, pair);
    if (group.s >= positions.length || fit.weight <= 0 || std::abs(fit.ratio) == 0) continue;
    points.push_back({group.b, positions.at(row, group.b, group.s), fit.ratio});
  }
  std::sort(points.begin(), points.end(), [](const Point& x, const Point& y) {
    return std::pair{x.b, x.p} < std::pair{y.b, y.p};
  });
  return points;
}

FrequencyEstimate estimate(const std::vector<Point>& points, double tolerance) {
  constexpr int64_t kNear = 3;  // no pair of any model turns half a turn in 3 positions
  FrequencyEstimate result;
  for (int64_t gap = 1; gap <= kNear && !result.known; ++gap) {
    std::complex<double> sum = 0;
    for (size_t i = 1; i < points.size(); ++i) {
      if (points[i].b != points[i - 1].b || points[i].p - points[i - 1].p != gap) continue;
      sum += std::conj(points[i - 1].ratio) * points[i].ratio;
    }
    if (sum == 0.0) continue;
    result = {std::arg(sum) / static_cast<double>(gap), 2 * tolerance / static_cast<double>(gap),
              true};
  }
  if (!result.known) return result;
  std::vector<std::pair<double, double>> far;  // gap, angle
  for (size_t i = 0, start = 0; i < points.size(); ++i) {
    if (points[i].b != points[start].b) start = i;
    const auto gap = static_cast<double>(points[i].p - points[start].p);
    if (gap > 0) far.emplace_back(gap, std::arg(std::conj(points[start].ratio) * points[i].ratio));
  }
  std::sort(far.begin(), far.end());
  for (const auto& [gap, angle] : far) {
    const double error = 2 * tolerance / gap;
    if (gap * result.error > 1 || error > result.error) continue;
    result.inv_freq += within_a_turn(angle - result.inv_freq * gap) / gap;
    result.error = error;
  }
  return result;
}

// The shift that the pairs say, slowest first, if that one made `turns` whole turns more; its
// error.
std::pair<double, double> refined(const std::vector<MissingAngle>& pairs, double turns,
                                  double tolerance) {
  const MissingAngle& slowest = pairs.front();
  double shift = (slowest.angle + kTurn * turns) / slowest.speed;
  double error = tolerance / std::abs(slowest.speed);
  for (const MissingAngle& pair : pairs) {
    // A pair that tells nothing more, or is too fast for what is known so far.
    const double its_error = tolerance / std::abs(pair.speed);
    if (its_error >= error || error * std::abs(pair.speed) > 2) continue;
    shift += within_a_turn(pair.angle - shift * pair.speed) / pair.speed;
    error = its_error;
  }
  return {shift, error};
}

// How well the pairs agree on a shift: 1 at best.
double agreement(const std::vector<MissingAngle>& pairs, double shift) {
  double sum = 0;
  for (const MissingAngle& pair : pairs) sum += std::cos(pair.angle - shift * pair.speed);
  return sum / static_cast<double>(pairs.size());
}

}  // namespace

std::vector<FrequencyEstimate> estimate_frequencies(const Turning& from, DumpEvidence& evidence) {
  const PairFits& fits = evidence.fits(from.places);
  const PositionTable positions = changed(evidence.positions(), from.positions);
  const Spectrum& spectrum = evidence.spectra().of(from.rope, from.seq_len);
  const double tolerance = evidence.tolerance(from.places);
  std::vector<FrequencyEstimate> estimates;
  for (size_t i = 0; i < fits.pairs; ++i) {
    const int64_t axis = i < spectrum.axis.size() ? spectrum.axis[i] : 0;
    estimates.push_back(estimate(points_of(fits, positions, axis, i), tolerance));
    if (from.times != 0) estimates.back().inv_freq /= from.times;
  }
  return estimates;
}

std::optional<int64_t> estimate_offset(const Turning& from, DumpEvidence& evidence,
                                       std::optional<int64_t> row) {
  const PairFits& fits = evidence.fits(from.places);
  const Multipliers multipliers(from, evidence.positions(), evidence.spectra());
  std::vector<std::complex<double>> sums(fits.pairs), wanted;
  std::vector<double> angles;
  for (size_t g = 0; g < fits.groups.size(); ++g) {
    if (row && fits.groups[g].b != *row) continue;
    multipliers.write(fits.groups[g].b, fits.groups[g].s, wanted, angles);
    for (size_t i = 0; i < fits.pairs; ++i) {
      sums[i] += fits.at(g, i).weight * fits.at(g, i).ratio * std::conj(wanted[i]);
    }
  }
  std::vector<MissingAngle> pairs;
  for (size_t i = 0; i < fits.pairs; ++i) {
    const double speed = multipliers.inv_freq()[i] * from.times;
    if (speed != 0 && sums[i] != 0.0) pairs.push_back({speed, std::arg(sums[i])});
  }
  return common_shift(std::move(pairs), 4 * evidence.tolerance(from.places) + 1e-5);
}

std::optional<int64_t> common_shift(std::vector<MissingAngle> pairs, double tolerance) {
  constexpr double kFarthest = 1 << 24, kMostTurns = 1 << 12, kAgreed = 0.98, kMaybe = 0.9;
  constexpr size_t kFew = 16;
  std::sort(pairs.begin(), pairs.end(), [](const MissingAngle& x, const MissingAngle& y) {
    return std::abs(x.speed) < std::abs(y.speed);
  });
  if (pairs.empty()) return std::nullopt;
  std::vector<MissingAngle> few;
  for (size_t i = 0; i < pairs.size(); i += (pairs.size() + kFew - 1) / kFew) {
    few.push_back(pairs[i]);
  }
  const double most =
      std::min(kMostTurns, std::ceil(kFarthest * std::abs(pairs.front().speed) / kTurn));
  double best = 0, best_agreement = -2, best_error = 1;
  for (double turns = 0; turns <= most && best_agreement < kAgreed; ++turns) {
    for (const double signed_turns : {turns, -turns}) {
      const double rough = refined(few, signed_turns, tolerance).first;
      if (turns > 0 && agreement(few, std::round(rough)) < kMaybe) continue;
      const auto [shift, error] = refined(pairs, signed_turns, tolerance);
      const double agreed = agreement(pairs, std::round(shift));
      if (agreed <= best_agreement) continue;
      best_agreement = agreed;
      best = shift;
      best_error = error;
    }
  }
  if (best_error > 0.4) return std::nullopt;
  return static_cast<int64_t>(std::llround(best));
}

}  // namespace ropewalk
