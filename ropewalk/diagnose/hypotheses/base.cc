#include <algorithm>
#include <cmath>

#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

// Bases of published models, the commonest first.
constexpr double kBases[] = {1e4, 5e5,   1e6,   1e7, 1e5, 1.5e5, 5e6, 2.5e5, 2e4, 4e4, 8e6, 1e8,
                             2e6, 1.5e6, 1.1e7, 5e4, 3e5, 8e4,   2e5, 6e5,   1e9, 1e3, 100};

double rounded_to_digits(double value, int digits) {
  const double step = std::pow(10, std::floor(std::log10(value)) - digits + 1);
  return std::round(value / step) * step;
}

// ln base from ln(w / w_hat) = (2i / d) ln(base' / base), weighted by how well each pair is known;
// a few steps, for scalings that change with the base.
double fitted_base(const Turning& from, DumpEvidence& evidence,
                   const std::vector<FrequencyEstimate>& estimates) {
  constexpr int kSteps = 6;
  RopeConfig rope = from.rope;
  for (int step = 0; step < kSteps; ++step) {
    const std::vector<double>& inv_freq = evidence.spectra().of(rope, from.seq_len).inv_freq;
    double sum = 0, weight = 0;
    const size_t pairs = static_cast<size_t>(rope.rotary_dim / 2);
    for (size_t i = 1; i < std::min({estimates.size(), inv_freq.size(), pairs}); ++i) {
      const double found = estimates[i].inv_freq, expected = inv_freq[i];
      if (!estimates[i].known || !(found / expected > 0) ||
          std::abs(found) < 8 * estimates[i].error) {
        continue;
      }
      const double power = 2 * static_cast<double>(i) / static_cast<double>(rope.rotary_dim);
      const double certainty = power * found / estimates[i].error;
      sum += certainty * certainty * std::log(expected / found) / power;
      weight += certainty * certainty;
    }
    if (weight == 0) return 0;
    const double base = rope.rope_theta * std::exp(sum / weight);
    if (!(base > 2 && base < 0x1p60)) return 0;
    rope.rope_theta = base;
  }
  return rope.rope_theta;
}

void propose(const Turning& from, DumpEvidence& evidence, std::vector<Proposal>& out) {
  if (from.times == 0 || !from.inv_freq.empty()) return;
  const auto add = [&](double base, std::string_view variant) {
    if (!(base >= 1) || std::abs(base / from.rope.rope_theta - 1) < 1e-6) return;
    Turning turning = from;
    turning.rope.rope_theta = base;
    out.push_back(
        {turning, {"base", variant, {{"found", base}, {"expected", from.rope.rope_theta}}}});
  };
  for (const double base : kBases) add(base, "rope_theta");
  const bool one_list = from.rope.position_axes == 1 || !from.rope.mrope_section.empty();
  if (!from.rope.axis_dims.empty() || !one_list) return;
  const double fitted = fitted_base(from, evidence, estimate_frequencies(from, evidence));
  if (fitted == 0) return;
  for (const int digits : {1, 2, 3, 4}) add(rounded_to_digits(fitted, digits), "rope_theta");
  add(fitted, "rope_theta");
}

}  // namespace

// rope_theta: that of another model or of a class's default, or any.
constinit const Hypothesis hypothesis::base{.propose = propose};

}  // namespace ropewalk
