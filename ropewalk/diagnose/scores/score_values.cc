#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <variant>

#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/scores/score_causes.h"

namespace ropewalk {
namespace {

struct TurnCandidate {
  ScoreTurn turn;
  std::vector<Cause> causes;
};

struct BiasCandidate {
  std::vector<float> bias;  // empty: none
  std::vector<Cause> causes;
  bool expected = false;  // the layer has one
};

// The encodings of other layers, once each.
std::vector<const RopeConfig*> other_ropes(const ScoreExpectation& of) {
  std::vector<const RopeConfig*> ropes;
  const auto* own = std::get_if<RopeConfig>(&of.layer->positions);
  for (const Layer& layer : of.model->layers) {
    const auto* rope = std::get_if<RopeConfig>(&layer.positions);
    if (rope == nullptr || rope->layout.head_dim != of.layer->head_dim) continue;
    const auto same = [&](const RopeConfig* other) { return *other == *rope; };
    if ((own != nullptr && same(own)) || std::any_of(ropes.begin(), ropes.end(), same)) continue;
    ropes.push_back(rope);
  }
  return ropes;
}

void add_turns(const ScoreExpectation& of, std::deque<RopeConfig>& kept,
               std::vector<TurnCandidate>& out) {
  const auto add = [&](int q_times, int k_times, std::string_view variant) {
    ScoreTurn turn = of.turn;
    turn.q_times = q_times, turn.k_times = k_times;
    out.push_back({turn, {Cause{"score_turn", variant}}});
  };
  if (const RopeConfig* rope = of.turn.rope) {
    add(0, 0, "neither");
    add(0, 1, "q_not_rotated");
    add(1, 0, "k_not_rotated");
    add(2, 2, "twice");
    add(2, 1, "q_twice");
    add(1, 2, "k_twice");
    if (of.rotated) return;  // the rest would be seen before the rotation alone
    kept.push_back(*rope);
    kept.back().reversed = !rope->reversed;
    add(1, 1, "sign");
    out.back().turn.rope = &kept.back();
    kept.push_back(*rope);
    for (RotaryWindow& window : kept.back().layout.windows) {
      window.pairing =
          window.pairing == Pairing::half_split ? Pairing::interleaved : Pairing::half_split;
    }
    add(1, 1,
        rope->layout.windows[0].pairing == Pairing::half_split ? "interleaved" : "half_split");
    out.back().turn.rope = &kept.back();
  }
  for (const RopeConfig* rope : other_ropes(of)) {
    add(1, 1, of.turn.rope != nullptr ? "other_layer" : "should_not_turn");
    out.back().turn.rope = rope;
  }
  if (of.layer->attention.query_scale) {
    add(1, 1, "without_query_scale");
    out.back().turn.query_scale = false;
  }
}

void add_norms(const ScoreExpectation& of, std::vector<TurnCandidate>& out) {
  const Norm& norm = of.layer->attention.qk_norm;
  if (norm.kind == NormKind::none || of.normed) return;
  const auto add = [&](ScoreNorm fault, std::string_view variant) {
    ScoreTurn turn = of.turn;
    turn.norm = fault;
    out.push_back({turn, {Cause{"score_norm", variant}}});
  };
  add(ScoreNorm::missing, "missing");
  if (of.turn.rope != nullptr) {
    const bool before = norm.place == NormPlace::before_rotation;
    add(ScoreNorm::other_place, before ? "after_rotation" : "before_rotation");
  }
  if (!norm.weights) return;
  add(ScoreNorm::without_weights, "without_weights");
  add(ScoreNorm::exchanged, "exchanged");
  add(ScoreNorm::of_q, "of_q");
}

std::vector<TurnCandidate> turns_of(const ScoreSample& sample, const ScoreExpectation& of,
                                    std::deque<RopeConfig>& kept) {
  std::vector<TurnCandidate> out = {{of.turn, {}}};
  if (!of.rotated || of.turn.rope != nullptr) add_turns(of, kept, out);
  if (!of.rotated) add_norms(of, out);
  if (sample.kv_heads > 1 && sample.heads > sample.kv_heads) {
    ScoreTurn turn = of.turn;
    turn.heads_in_turn = true;
    out.push_back({turn, {Cause{"score_heads", "in_turn"}}});
  }
  return out;
}

// Columns of the table for other heads than their own: in reverse.
std::vector<BiasCandidate> other_heads(const ScoreSample& sample, const ScoreExpectation& of) {
  AttentionOptions options = of.options;
  const std::span<const float> own = options.distance_bias;
  const auto width = static_cast<size_t>(2 * options.bias_reach + 1);
  const size_t heads = own.size() / width;
  if (heads < 2) return {};
  std::vector<float> reversed;
  for (size_t h = heads; h-- > 0;) {
    reversed.insert(reversed.end(), own.begin() + static_cast<std::ptrdiff_t>(h * width),
                    own.begin() + static_cast<std::ptrdiff_t>((h + 1) * width));
  }
  options.distance_bias = reversed;
  return {{sample.bias(options), {Cause{"bucket_bias", "reversed_heads"}}, true}};
}

std::vector<BiasCandidate> biases_of(const ScoreSample& sample, const ScoreExpectation& of,
                                     bool enough) {
  std::vector<BiasCandidate> out;
  AttentionOptions options = of.options;
  if (!options.distance_bias.empty()) {
    out.push_back({sample.bias(options), {}, true});
    std::vector<float> mirrored(options.distance_bias.begin(), options.distance_bias.end());
    const auto width = 2 * options.bias_reach + 1;
    for (auto row = mirrored.begin(); row != mirrored.end(); row += width) {
      std::reverse(row, row + width);
    }
    options.distance_bias = mirrored;
    out.push_back({sample.bias(options), {Cause{"bucket_bias", "mirrored"}}, true});
    for (BiasCandidate& each : other_heads(sample, of)) out.push_back(std::move(each));
    return out;
  }
  if (!options.alibi_slopes.empty()) {
    out.push_back({sample.bias(options), {}, true});
    for (const auto& [form, variant] : {std::pair{AlibiForm::relative, "relative"},
                                        {AlibiForm::key_position, "key_position"},
                                        {AlibiForm::symmetric, "symmetric"}}) {
      if (form == of.options.alibi_form) continue;
      options.alibi_form = form;
      out.push_back({sample.bias(options), {Cause{"alibi", variant}}, true});
    }
    return out;
  }
  out.push_back({});
  if (!enough || options.softcap > 0) return out;
  const std::vector<float> ones(static_cast<size_t>(sample.heads), 1.0f);
  options.alibi_slopes = ones;
  out.push_back({sample.bias(options), {}, false});
  return out;
}

// With the softcap of the layer, without, with another.
std::vector<double> softcaps_of(const ScoreData& data, const std::vector<float>& products,
                                const BiasCandidate& bias, const ScoreExpectation& of) {
  std::vector<double> caps = {of.options.softcap};
  if (of.options.softcap > 0) caps.push_back(0);
  if (data.up_to_a_constant) {
    for (const double known : {20.0, 30.0, 50.0}) caps.push_back(known);
  } else if (const double cap = bias.expected
                                    ? fitted_softcap(data, products, bias.bias, of.options.scale)
                                    : fitted_softcap(data, products, {}, of.options.scale);
             cap > 0) {
    const double whole = std::round(cap);
    caps.push_back(std::abs(cap - whole) < 0.02 * cap ? whole : cap);
  }
  return caps;
}

std::vector<Cause> softcap_causes(double found, const ScoreExpectation& of) {
  const double expected = of.options.softcap;
  if (found == expected) return {};
  return {Cause{"softcap",
                found == 0      ? "missing"
                : expected == 0 ? "should_not"
                                : "other",
                {{"found", found}, {"expected", expected}}}};
}

void append(std::vector<Cause>& to, const std::vector<Cause>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

struct Try {
  const ScoreData& data;
  const std::vector<float>& products;
  const BiasCandidate& bias;
  double softcap;
};

// The form with the fewest causes that holds; nothing where that fitted does not.
std::optional<ScoreExplanation> named_form(const Try& t, const ScoreExpectation& of) {
  ScoreForm form{.scale = of.options.scale, .softcap = t.softcap, .times = {}};
  std::vector<NamedScale> scales = {{of.options.scale, {}}};
  if (t.softcap == 0 || !t.data.up_to_a_constant) {
    form = fitted(t.data, t.products, t.bias.bias, t.softcap);
    if (!misfit(t.data, t.products, t.bias.bias, form).holds) return std::nullopt;
    for (NamedScale& each : named_scales(form.scale, of)) scales.push_back(std::move(each));
  } else if (t.softcap == of.options.softcap) {
    for (NamedScale& each : named_scales(std::nullopt, of)) scales.push_back(std::move(each));
  }
  std::vector<NamedBias> biases = {{form.times, {}}};
  if (!form.times.empty()) biases = named_biases(form.times, of, t.bias.expected);
  std::optional<ScoreExplanation> best;
  for (const NamedScale& scale : scales) {
    for (const NamedBias& bias : biases) {
      std::vector<Cause> causes = bias.causes;
      if (!scale.cause.hypothesis.empty()) causes.push_back(scale.cause);
      if (best && best->causes.size() <= causes.size()) continue;
      const ScoreMisfit left =
          misfit(t.data, t.products, t.bias.bias,
                 {.scale = scale.scale, .softcap = t.softcap, .times = bias.times});
      if (left.holds) best = ScoreExplanation{std::move(causes), left.rms};
    }
  }
  return best;
}

struct Turned {
  ScoreData data;
  std::vector<float> products;
};

// q.k of a turn, and what a rounding of q and k changes there where their lengths are others;
// nothing where weights do not fit.
std::optional<Turned> turned(const ScoreSample& sample, const ScoreData& data,
                             const ScoreTurn& turn) {
  try {
    Turned made{data, sample.products(turn)};
    if (turn.norm != ScoreNorm::as_layer) made.data.spread = sample.spread(turn);
    return made;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument || turn.norm == ScoreNorm::as_layer) throw;
    return std::nullopt;
  }
}

}  // namespace

std::vector<ScoreExplanation> explain_values(const ScoreSample& sample, const ScoreData& data,
                                             const ScoreExpectation& expected) {
  constexpr int64_t kNumbersOfAHead = 8;  // that a slope of its own needs
  const int64_t numbers = std::count(data.used.begin(), data.used.end(), uint8_t{1});
  std::deque<RopeConfig> kept;
  const std::vector<BiasCandidate> biases =
      biases_of(sample, expected, numbers >= kNumbersOfAHead * data.heads);
  std::vector<ScoreExplanation> out;
  for (const TurnCandidate& turn : turns_of(sample, expected, kept)) {
    const std::optional<Turned> made = turned(sample, data, turn.turn);
    if (!made) continue;
    for (const BiasCandidate& bias : biases) {
      for (const double softcap : softcaps_of(made->data, made->products, bias, expected)) {
        const auto found = named_form({made->data, made->products, bias, softcap}, expected);
        if (!found) continue;
        ScoreExplanation each{turn.causes, found->rms};
        append(each.causes, bias.causes);
        append(each.causes, softcap_causes(softcap, expected));
        append(each.causes, found->causes);
        out.push_back(std::move(each));
      }
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.causes.size() != b.causes.size() ? a.causes.size() < b.causes.size() : a.rms < b.rms;
  });
  // What needs more faults, or leaves twice as much, is no explanation beside the best.
  std::erase_if(out, [&, fewest = out.empty() ? 0 : out[0].causes.size(),
                      least = out.empty() ? 0 : out[0].rms](const ScoreExplanation& each) {
    return each.causes.size() > fewest || each.rms > 2 * least + 0.1;
  });
  return out;
}

}  // namespace ropewalk
