#include <algorithm>
#include <cmath>
#include <numbers>
#include <variant>

#include "ropewalk/diagnose/scores/score_causes.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

double root_of(double dim) { return 1 / std::sqrt(dim); }

void add_mscales(double expected, const ScoreExpectation& of, std::vector<NamedScale>& out) {
  const auto* rope = std::get_if<RopeConfig>(&of.layer->positions);
  if (rope == nullptr) return;
  const double attention = make_spectrum(*rope, of.seq_len).attention_scaling;
  if (attention != 1) {
    const double both = attention * attention;
    out.push_back({expected / both, {"score_scale", "without_attention_scaling"}});
    out.push_back({expected * both, {"score_scale", "attention_scaling_twice"}});
  }
  const auto factor = rope->parameters.find("factor");
  if (factor == rope->parameters.end() || factor->second <= 1) return;
  const double mscale = 0.1 * std::log(factor->second) + 1;
  out.push_back({expected * mscale * mscale, {"score_scale", "mscale_squared"}});
  out.push_back({expected * mscale, {"score_scale", "mscale_once"}});
}

double slope_of(double max_bias, double number, double count) {
  return std::exp2(-max_bias * number / count);
}

bool is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

// Slopes by other rules, relative to those of the model.
void add_slope_rules(const AlibiConfig& alibi, std::span<const float> slopes,
                     std::vector<NamedBias>& out) {
  const auto heads = std::ssize(slopes);
  int64_t above = 1;
  while (above < heads) above *= 2;
  const auto add = [&](std::string_view variant, auto slope) {
    std::vector<double> times;
    for (int64_t h = 0; h < heads; ++h) {
      times.push_back(slope(h) / static_cast<double>(slopes[static_cast<size_t>(h)]));
    }
    out.push_back({times, {Cause{"alibi", variant}}});
  };
  const auto by = [&](int64_t count, int64_t first) {
    return [=, &alibi](int64_t h) {
      return slope_of(alibi.max_bias, static_cast<double>(h + first), static_cast<double>(count));
    };
  };
  if (!is_power_of_two(heads)) {
    add("as_power_of_two", by(heads, 1));
    add("next_power_of_two", by(above, 1));
    add("previous_power_of_two", by(above / 2, 1));
  }
  add("from_one", by(heads, 0));
  add("reversed_heads",
      [&](int64_t h) { return static_cast<double>(slopes[static_cast<size_t>(heads - 1 - h)]); });
}

}  // namespace

std::vector<NamedScale> named_scales(std::optional<double> measured, const ScoreExpectation& of) {
  const double found = measured.value_or(0);
  const double expected = of.options.scale, root = root_of(static_cast<double>(of.layer->head_dim));
  std::vector<NamedScale> every = {{1, {"score_scale", "missing"}},
                                   {expected * expected, {"score_scale", "twice"}}};
  if (of.layer->attention.softmax_scale != 0) {
    every.push_back({root, {"score_scale", "default"}});
    every.push_back({std::sqrt(expected * root), {"score_scale", "half_of_own"}});
    every.push_back({expected * root, {"score_scale", "default_too"}});
  }
  add_mscales(expected, of, every);
  every.push_back({std::sqrt(expected), {"score_scale", "one_of_two"}});
  every.push_back({expected * std::numbers::log2e, {"score_scale", "log2e"}});
  every.push_back({1 / expected, {"score_scale", "inverse"}});
  const double dim = found > 0 ? 1 / (found * found) : 0;
  const double whole = std::round(dim);
  if (found > 0 && whole >= 2 && whole < 1e6 && std::abs(dim - whole) < 0.02 * whole) {
    // Roundings leave some dims near it: those that a model has come first.
    for (const int64_t known :
         {of.layer->value_dim, of.model->head_dim, of.layer->kv_heads, of.layer->heads,
          of.model->hidden_size, of.layer->head_dim - of.layer->attention.latent.shared_dim,
          of.layer->attention.latent.shared_dim, of.layer->attention.latent.kv_rank}) {
      if (known < 1) continue;
      every.push_back({root_of(static_cast<double>(known)),
                       {"score_scale", "other_dim", {{"found", static_cast<double>(known)}}}});
    }
    int64_t power = 1;
    while (static_cast<double>(power) < 0.75 * whole) power *= 2;
    every.push_back({root_of(static_cast<double>(power)),
                     {"score_scale", "other_dim", {{"found", static_cast<double>(power)}}}});
  }
  std::vector<NamedScale> near;
  for (NamedScale& each : every) {
    if (measured && std::abs(each.scale - found) > 0.01 * std::abs(found)) continue;
    if (std::abs(each.scale - expected) < 1e-9 * expected) continue;
    each.cause.numbers.emplace_back("expected", expected);
    near.push_back(std::move(each));
  }
  if (!measured) return near;
  near.push_back({found, {"score_scale", "other", {{"found", found}, {"expected", expected}}}});
  return near;
}

std::vector<NamedBias> named_biases(const std::vector<double>& found, const ScoreExpectation& of,
                                    bool has_bias) {
  const auto all = [&](double value) { return std::vector<double>(found.size(), value); };
  const auto* alibi = std::get_if<AlibiConfig>(&of.layer->positions);
  const std::string_view what = alibi != nullptr || !has_bias ? "alibi" : "bucket_bias";
  std::vector<NamedBias> every;
  if (!has_bias) {
    every.push_back({found, {Cause{"alibi", "should_not"}}});
    return every;
  }
  every.push_back({all(1), {}});
  every.push_back({all(0), {Cause{what, "missing"}}});
  every.push_back({all(-1), {Cause{what, "sign"}}});
  if (alibi != nullptr) add_slope_rules(*alibi, of.options.alibi_slopes, every);
  double sum = 0;
  for (const double x : found) sum += x;
  const double mean = sum / static_cast<double>(std::max<size_t>(1, found.size()));
  const double scale = of.options.scale;
  for (const auto& [factor, variant] :
       {std::pair{scale, "scaled_too"}, {1 / scale, "not_scaled"}}) {
    if (std::abs(factor - mean) < 0.02 * factor)
      every.push_back({all(factor), {Cause{what, variant}}});
  }
  every.push_back({all(mean), {Cause{what, "factor", {{"found", mean}}}}});
  every.push_back({found, {Cause{what, "other"}}});
  return every;
}

}  // namespace ropewalk
