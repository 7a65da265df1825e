#include <algorithm>
#include <cmath>
#include <numbers>

#include "ropewalk/diagnose/dumps/hypothesis.h"
#include "ropewalk/diagnose/scaling_bands.h"
#include "ropewalk/spectrum/scaling_parameters.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {
namespace {

using Out = std::vector<Proposal>;

constexpr const char* kOriginal = "original_max_position_embeddings";

double value_of(const RopeConfig& rope, const std::string& key, double fallback) {
  const auto known = rope.parameters.find(key);
  return known == rope.parameters.end() ? fallback : known->second;
}

double context_of(const Turning& from, DumpEvidence& evidence) {
  const ModelEncoding* model = evidence.model();
  const double stated = model == nullptr ? 0 : static_cast<double>(model->max_positions);
  const double original = value_of(from.rope, kOriginal, stated);
  return original > 0 ? original : 4096;
}

// One number of the rope block is another.
void propose_number(const Turning& from, const std::string& key, double value, Out& out) {
  const double stated = value_of(from.rope, key, std::nan(""));
  if (value == stated || !std::isfinite(value)) return;
  Turning turning = from;
  turning.rope.parameters[key] = value;
  out.push_back({turning, {"scaling", "parameter", {{"found", value}, {"expected", stated}}, key}});
}

void propose_numbers(const Turning& from, DumpEvidence& evidence, Out& out) {
  const double factor = value_of(from.rope, "factor", 1);
  const double model_length =
      evidence.model() == nullptr ? 0 : static_cast<double>(evidence.model()->max_positions);
  for (const ScalingParameter& parameter : scaling_parameters(from.rope.rope_type)) {
    if (parameter.kind == ParameterKind::list) continue;
    const std::string key(parameter.key);
    const bool stated = from.rope.parameters.contains(key);
    if (parameter.kind == ParameterKind::boolean) {
      propose_number(from, key, value_of(from.rope, key, parameter.fallback.value_or(0)) == 0, out);
      continue;
    }
    if (!stated && !parameter.fallback) continue;
    const double value = stated ? from.rope.parameters.at(key) : *parameter.fallback;
    if (stated && parameter.fallback) propose_number(from, key, *parameter.fallback, out);
    if (key == kOriginal) {
      for (const double length : {model_length, value * factor, value / factor, 2048.0, 4096.0,
                                  8192.0, 16384.0, 32768.0, 131072.0}) {
        if (length > 0) propose_number(from, key, length, out);
      }
    }
    if (key == "factor") {
      for (const double other :
           {1 / value, value * value, std::sqrt(value), 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 40.0}) {
        propose_number(from, key, other, out);
      }
    }
    for (const double times : {2.0, 0.5, 4.0, 0.25}) propose_number(from, key, value * times, out);
  }
}

// Sequences of another length, where frequencies depend on it.
void propose_lengths(const Turning& from, DumpEvidence& evidence, Out& out) {
  constexpr int64_t kFar = int64_t{1} << 40;
  std::vector<int64_t> lengths = {1, kFar};
  const PositionTable& positions = evidence.positions();
  if (!positions.ids.empty()) {
    const int64_t most = *std::max_element(positions.ids.begin(), positions.ids.end()) + 1;
    lengths.insert(lengths.end(), {most, positions.length, most + 1});
  }
  if (evidence.model() != nullptr) lengths.push_back(evidence.model()->max_positions);
  for (const int64_t times : {2, 4, 8}) {
    lengths.push_back(static_cast<int64_t>(context_of(from, evidence)) * times);
  }
  const Spectrum& own = evidence.spectra().of(from.rope, from.seq_len);
  for (const int64_t length : lengths) {
    if (length <= 0 || evidence.spectra().of(from.rope, length) == own) continue;
    Turning turning = from;
    turning.seq_len = length;
    const char* variant = length == kFar ? "as_long" : length == 1 ? "as_short" : "length";
    out.push_back({turning, {"scaling", variant, {{"found", static_cast<double>(length)}}}});
  }
}

// Another scaling than the model's.
void propose_types(const Turning& from, DumpEvidence& evidence, Out& out) {
  const double stated = value_of(from.rope, "factor", 0), context = context_of(from, evidence);
  std::vector<double> factors = {2, 4, 8, 16, 32, 40, 0.25};
  if (stated > 0) factors.insert(factors.begin(), stated);
  const auto add = [&](const char* type, double factor, std::map<std::string, double> parameters) {
    Turning turning = from;
    turning.rope = without_scaling(from.rope);
    turning.rope.rope_type = type;
    turning.rope.parameters = std::move(parameters);
    if (turning.rope == from.rope) return;
    out.push_back({turning, {"scaling", "type", {{"found", factor}}, type}});
  };
  for (const double factor : factors) {
    add("linear", factor, {{"factor", factor}});
    if (factor > 1) add("dynamic", factor, {{"alpha", factor}});
  }
  std::vector<double> contexts = {context};
  if (evidence.model() == nullptr) contexts = {4096, 8192, 32768};
  for (const double factor : factors) {
    if (factor <= 1) continue;
    std::vector<double> originals = contexts;
    // max_position_embeddings may be the length that was scaled to.
    if (evidence.model() != nullptr) originals.push_back(context / factor);
    for (const double original : originals) {
      add("yarn", factor, {{"factor", factor}, {kOriginal, original}});
    }
    add("llama3", factor,
        {{"factor", factor},
         {"low_freq_factor", 1},
         {"high_freq_factor", 4},
         {kOriginal, context}});
  }
  add("llama3", 8,
      {{"factor", 8}, {"low_freq_factor", 1}, {"high_freq_factor", 4}, {kOriginal, 8192}});
  add("llama3", 32,
      {{"factor", 32}, {"low_freq_factor", 1}, {"high_freq_factor", 4}, {kOriginal, 8192}});
}

// YaRN whose ramp runs the other way: beta_fast where beta_slow belongs.
void propose_swapped_betas(const Turning& from, DumpEvidence& evidence, Out& out) {
  if (!scaling_traits(from.rope.rope_type).yarn) return;
  const double fast = value_of(from.rope, "beta_fast", 32),
               slow = value_of(from.rope, "beta_slow", 1);
  const double factor = value_of(from.rope, "factor", 1);
  const auto dim = static_cast<double>(from.rope.rotary_dim);
  const auto turns_at = [&](double beta) {
    return dim * std::log(context_of(from, evidence) / (beta * 2 * std::numbers::pi)) /
           (2 * std::log(from.rope.rope_theta));
  };
  const bool truncate = value_of(from.rope, "truncate", 1) != 0;
  const double slow_turns = turns_at(slow), fast_turns = turns_at(fast);
  const double low = std::max(truncate ? std::floor(slow_turns) : slow_turns, 0.0);
  const double high = std::min(truncate ? std::ceil(fast_turns) : fast_turns, dim - 1);
  Turning turning = from;
  turning.inv_freq.clear();
  for (int64_t i = 0; i < from.rope.rotary_dim / 2; ++i) {
    const double plain = std::pow(from.rope.rope_theta, -2 * static_cast<double>(i) / dim);
    const double ramp = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    turning.inv_freq.push_back(plain / factor * ramp + plain * (1 - ramp));
  }
  out.push_back(
      {turning, {"scaling", "swapped_betas", {{"beta_fast", fast}, {"beta_slow", slow}}}});
}

// Every pair slower or faster by one number.
void propose_ratio(const Turning& from, DumpEvidence& evidence, Out& out) {
  const auto estimates = estimate_frequencies(from, evidence);
  const std::vector<double>& own = evidence.spectra().of(from.rope, from.seq_len).inv_freq;
  double sum = 0, weight = 0;
  for (size_t i = 0; i < std::min(own.size(), estimates.size()); ++i) {
    if (!estimates[i].known || own[i] == 0) continue;
    const double certainty = std::pow(own[i] / estimates[i].error, 2);
    sum += certainty * estimates[i].inv_freq / own[i];
    weight += certainty;
  }
  if (weight == 0 || !(sum / weight > 1e-4) || std::abs(sum / weight - 1) < 1e-6) return;
  if (std::abs(sum / weight - 2) < 1e-4) return;  // twice: another hypothesis
  Turning turning = from;
  turning.inv_freq = own;
  const double exact = weight / sum;
  const double rounded = std::round(exact * 1000) / 1000;
  for (const double factor : {rounded, exact}) {
    if (factor <= 0) continue;
    turning.inv_freq = own;
    for (double& inv_freq : turning.inv_freq) inv_freq /= factor;
    out.push_back({turning, {"scaling", "type", {{"found", factor}}, "linear"}});
  }
}

void propose(const Turning& from, DumpEvidence& evidence, Out& out) {
  if (from.times == 0 || !from.inv_freq.empty()) return;
  const bool scaled = is_scaled(from.rope.rope_type) || !from.rope.lists.empty();
  if (scaled) {
    Turning turning = from;
    turning.rope = without_scaling(from.rope);
    out.push_back({turning, {"scaling", "missing", {}, from.rope.rope_type}});
    turning.scaling_power = 1;
    turning.amplitude = evidence.spectra().of(from.rope, from.seq_len).attention_scaling;
    if (turning.amplitude != 1)
      out.push_back({turning, {"scaling", "missing_but_amplitude", {}, from.rope.rope_type}});
    propose_lengths(from, evidence, out);
    propose_numbers(from, evidence, out);
    propose_swapped_betas(from, evidence, out);
  }
  if (from.rope.axis_dims.empty()) propose_types(from, evidence, out);
  propose_ratio(from, evidence, out);
}

}  // namespace

// The scaling left out, put in, of another type, or with another number.
constinit const Hypothesis hypothesis::scaling{.propose = propose};

}  // namespace ropewalk
