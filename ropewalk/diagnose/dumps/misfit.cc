#include "ropewalk/diagnose/dumps/misfit.h"

#include <algorithm>
#include <cmath>

namespace ropewalk {
namespace {

// Sums over groups and pairs, and the first that is off.
struct Judge {
  const MisfitOptions& options;
  Misfit result{};
  double residual = 0, weight = 0;
  size_t looked_at = 0, flipped = 0;

  // Whether to go on. `bound` is relative to `size`.
  bool add(const PairFit& fit, std::complex<double> wanted, double size, double bound, size_t group,
           size_t pair) {
    if (fit.weight <= 0) {
      if (fit.residual <= 0) return true;
      // No rotation makes something of zeros.
      residual += fit.residual;
      weight += fit.residual;
      return off(group, pair);
    }
    const double far = std::abs(fit.ratio - wanted);
    const double left = std::sqrt(fit.residual / fit.weight);
    const double worst = std::max(far, left) / (size * bound);
    ++looked_at;
    if (worst > 1 && worst * bound <= bound + options.flips) {
      ++flipped;
      return true;
    }
    residual += fit.residual + fit.weight * far * far;
    weight += fit.weight * std::norm(wanted);
    result.worst = std::max(result.worst, worst);
    return worst <= 1 || off(group, pair);  // false for NaN
  }

  // Counts one that is off; whether to go on.
  bool off(size_t group, size_t pair) {
    if (result.holds) {
      result.holds = false;
      result.group = group;
      result.pair = pair;
    }
    if (result.wrong_groups.empty() || result.wrong_groups.back() != group) {
      result.wrong_groups.push_back(group);
    }
    return !options.stop_early;
  }

  Misfit done() {
    constexpr size_t kOneIn = 8;
    if (flipped * kOneIn > looked_at) result.holds = false;
    result.rms = weight > 0 ? std::sqrt(residual / weight) : 0;
    return result;
  }
};

}  // namespace

Misfit misfit(const PairFits& fits, const Multipliers& multipliers, const MisfitOptions& options) {
  constexpr double kMostSlack = 0.3;
  // Half a step of the product; eight for frequencies that came out of several float32 operations;
  // and one for each pair before, where they are a recurrence, as in ggml.
  const bool exact = !multipliers.float_angles();
  const double own = exact || multipliers.scaled() ? 8 : 1;
  Judge judge{options};
  std::vector<std::complex<double>> wanted;
  std::vector<double> angles;
  const auto judge_group = [&](size_t g) {
    multipliers.write(fits.groups[g].b, fits.groups[g].s, wanted, angles);
    for (size_t i = 0; i < fits.pairs; ++i) {
      const double angle = std::abs(angles[i]);
      judge.result.largest_angle = std::max(judge.result.largest_angle, angle);
      const double slack = (own + (exact ? static_cast<double>(i) : 0)) * 0x1p-24;
      const double bound = options.tolerance + std::min(slack * angle, kMostSlack);
      // cos and sin of two tables may both be near 0.
      const double size = std::max(std::abs(wanted[i]), multipliers.amplitude());
      if (!judge.add(fits.at(g, i), wanted[i], size, bound, g, i)) return false;
    }
    const double outside = multipliers.outside_amplitude();
    return judge.add(fits.outside[g], outside, outside, options.tolerance, g, fits.pairs);
  };
  for (size_t g = 0; g < fits.groups.size(); ++g) {
    if (!judge_group(g)) break;
  }
  return judge.done();
}

}  // namespace ropewalk
