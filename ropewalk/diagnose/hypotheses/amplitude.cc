#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

void propose(const Turning& from, DumpEvidence& evidence, std::vector<Proposal>& out) {
  const std::ptrdiff_t before = std::ssize(out);
  if (from.amplitude != 1 || from.places.unit_rows) return;
  const Spectrum& spectrum = evidence.spectra().of(from.rope, from.seq_len);
  const double scaling = spectrum.attention_scaling;
  if (scaling != 1 && from.scaling_power == 1) {
    Turning turning = from;
    const auto add_power = [&](int power, std::string_view variant) {
      turning.scaling_power = power;
      out.push_back({turning, {"amplitude", variant, {{"expected", scaling}}}});
    };
    add_power(0, "without_scaling");
    add_power(2, "scaling_twice");
    add_power(-1, "divided");
  }
  const auto add = [&](double amplitude, std::string_view variant, bool all) {
    if (!(amplitude > 0) || std::abs(amplitude - 1) < 1e-9) return;
    Turning turning = from;
    turning.amplitude = amplitude;
    turning.scales_all = all;
    out.push_back({turning, {"amplitude", variant, {{"found", amplitude}, {"expected", scaling}}}});
  };
  const auto factor = from.rope.parameters.find("factor");
  if (factor != from.rope.parameters.end() && factor->second > 1) {
    add((0.1 * std::log(factor->second) + 1) / scaling, "mscale", false);
  }
  const double root = std::sqrt(static_cast<double>(from.places.in.head_dim));
  add(1 / root, "softmax_scale", true);
  add(1 / std::sqrt(root), "root_softmax_scale", true);
  add(std::numbers::log2e / root, "softmax_scale_log2e", true);
  const double found =
      evidence.fits(from.places).amplitude() / std::pow(scaling, from.scaling_power);
  // Of those above the number is known better than from the rows.
  const double tolerance = evidence.tolerance(from.places);
  const bool named = std::any_of(out.begin() + before, out.end(), [&](const Proposal& proposal) {
    const Turning& other = proposal.turning;
    const double wanted =
        other.amplitude * std::pow(scaling, other.scaling_power - from.scaling_power);
    return std::abs(found / wanted - 1) < tolerance;
  });
  if (named) return;
  add(found, "pairs", false);
  add(found, "all", true);
}

}  // namespace

// The rows became longer or shorter than attention_scaling makes them.
constinit const Hypothesis hypothesis::amplitude{.propose = propose};

}  // namespace ropewalk
