#include "ropewalk/diagnose/diagnose_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/dumps/dump_types.h"
#include "ropewalk/diagnose/scores/score_causes.h"

namespace ropewalk {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

// Evenly spaced rows, the first and the last of them, and `beside` where it is one.
std::vector<int64_t> some_rows(int64_t all, int64_t of_each, int64_t most_numbers, int64_t beside) {
  const int64_t count = std::clamp<int64_t>(most_numbers / std::max<int64_t>(1, of_each),
                                            std::min<int64_t>(2, all), all);
  std::vector<int64_t> rows;
  for (int64_t n = 0; n < count; ++n) {
    rows.push_back(count == 1 ? 0 : n * (all - 1) / (count - 1));
  }
  if (beside >= 0) rows.push_back(beside);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

// A sample beside what the layer makes of it.
struct Compared {
  ScoreData data;
  std::vector<KeyState> state;
  std::vector<float> products, bias;
  std::vector<uint8_t> visible;  // [batch, queries, keys]
  DumpRounding rounding;
};

DumpRounding rounding_of(const ScoreSample& sample, const ScoreDump& dump) {
  const auto of = [](const ConstTensorView& view) {
    return ropewalk::rounding_of(checked_dumps(view, view, TensorLayout::bshd), DType::f32, false);
  };
  // Hidden keys are of any number.
  std::vector<float> numbers = sample.found;
  for (float& x : numbers) x = x <= -9000 ? 0 : x;
  DumpRounding result = of(make_view(static_cast<const void*>(numbers.data()), DType::f32,
                                     {1, sample.rows(), 1, sample.keys}));
  if (dump.scores.dtype != DType::f32) {
    const float one = 1;
    result = ropewalk::rounding_of(
        checked_dumps(make_view(static_cast<const void*>(&one), DType::f32, {1, 1, 1, 1}),
                      make_view(static_cast<const void*>(&one), DType::f32, {1, 1, 1, 1}),
                      TensorLayout::bshd),
        dump.scores.dtype, true);
    result.dtype = dump.scores.dtype;
  }
  for (const ConstTensorView& view : {dump.q, dump.k}) {
    const DumpRounding own = of(as_bshd(view, dump.layout, "q"));
    if (own.half_step > result.half_step) result = own;
  }
  return result;
}

// The scores that the layer has, and which numbers of the dump hide a key.
void read_states(const ScoreDump& dump, const ScoreExpectation& expected, const ScoreSample& sample,
                 Compared& c) {
  constexpr double kVeryLow = -9000, kStillOurs = -4000;
  const double lowest = c.rounding.dtype == DType::f16 ? -15 : -80;
  const double least = c.rounding.dtype == DType::f16 ? 1e-4 : 1e-30;
  const auto keys = static_cast<size_t>(sample.keys), plane = keys * sample.queries.size();
  c.state.resize(sample.found.size());
  c.data.used.resize(sample.found.size());
  for (size_t row = 0; row < sample.found.size() / keys; ++row) {
    const size_t in_plane =
        row / (sample.queries.size() * static_cast<size_t>(sample.heads)) * plane +
        row % sample.queries.size() * keys;
    const auto expect = [&](size_t i) {
      const double bias = c.bias.empty() ? 0 : static_cast<double>(c.bias[i]);
      return softcapped(expected.options.scale * static_cast<double>(c.products[i]),
                        expected.options.softcap) +
             bias;
    };
    double top = kHidden;
    for (size_t j = 0; j < keys; ++j) {
      if (c.visible[in_plane + j] != 0) top = std::max(top, expect(row * keys + j));
    }
    for (size_t i = row * keys; i < (row + 1) * keys; ++i) {
      const double s = sample.found[i];
      if (!dump.after_softmax) {
        const bool hidden = s <= -1e30 || (s <= kVeryLow && !(expect(i) < kStillOurs));
        c.state[i] = hidden ? KeyState::hidden : KeyState::seen;
        c.data.used[i] = hidden ? 0 : 1;
      } else {
        // A row that sees nothing may hold anything; a low score leaves 0, too.
        const bool low = expect(i) - top < lowest;
        c.state[i] = top == kHidden || (s <= 0 && low) ? KeyState::unknown
                     : s <= 0                          ? KeyState::hidden
                                                       : KeyState::seen;
        c.data.used[i] = top != kHidden && s > least ? 1 : 0;
        c.data.found[i] = s > least ? static_cast<float>(std::log(s)) : 0;
      }
      if (!c.bias.empty() && !std::isfinite(c.bias[i])) c.data.used[i] = 0;
    }
  }
}

Compared compare(const ScoreDump& dump, const ScoreExpectation& expected,
                 const ScoreSample& sample) {
  for (const float s : sample.found) {
    if (std::isnan(s) || s == std::numeric_limits<float>::infinity()) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("scores: expected numbers, or -inf for hidden keys, found {}", s));
    }
    if (dump.after_softmax && (s < 0 || s > 1.01f)) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("scores: expected 0 to 1, as after the softmax, found {}", s));
    }
  }
  Compared c{.data = {.batch = sample.batch,
                      .heads = sample.heads,
                      .queries = std::ssize(sample.queries),
                      .keys = sample.keys,
                      .found = sample.found,
                      .used = {},
                      .spread = sample.spread(expected.turn),
                      .half_step = 0,
                      .angle_error = sample.angle_error(),
                      .up_to_a_constant = dump.after_softmax},
             .state = {},
             .products = sample.products(expected.turn),
             .bias = {},
             .visible = sample.visible(expected.options),
             .rounding = rounding_of(sample, dump)};
  c.data.half_step = c.rounding.half_step;
  if (!expected.options.alibi_slopes.empty() || !expected.options.distance_bias.empty()) {
    c.bias = sample.bias(expected.options);
  }
  read_states(dump, expected, sample, c);
  return c;
}

FirstWrongScore score_at(const ScoreSample& sample, const Compared& c, const ScoreExpectation& of,
                         size_t i) {
  const auto keys = static_cast<size_t>(sample.keys), queries = sample.queries.size();
  const size_t row = i / keys, heads = static_cast<size_t>(sample.heads);
  const size_t batch = row / queries / heads;
  FirstWrongScore at{.batch = static_cast<int64_t>(batch),
                     .head = static_cast<int64_t>(row / queries % heads),
                     .query = sample.queries[row % queries],
                     .key = static_cast<int64_t>(i % keys)};
  const bool seen = c.visible[(batch * queries + row % queries) * keys + i % keys] != 0;
  const double score =
      softcapped(of.options.scale * static_cast<double>(c.products[i]), of.options.softcap) +
      (c.bias.empty() ? 0 : static_cast<double>(c.bias[i]));
  at.expected = seen ? score : kHidden;
  at.found = c.state[i] == KeyState::hidden ? kHidden : static_cast<double>(sample.found[i]);
  return at;
}

// The first number where one hides a key and the other does not; how many there are.
std::pair<size_t, size_t> first_other_mask(const ScoreSample& sample, const Compared& c) {
  const auto keys = static_cast<size_t>(sample.keys), plane = keys * sample.queries.size();
  size_t first = c.state.size(), count = 0;
  for (size_t i = 0; i < c.state.size(); ++i) {
    const bool seen =
        c.visible[i / (plane * static_cast<size_t>(sample.heads)) * plane + i % plane] != 0;
    if (c.state[i] == KeyState::unknown || seen == (c.state[i] == KeyState::seen)) continue;
    first = std::min(first, i);
    ++count;
  }
  return {first, count};
}

// Scores that are wrong may be low enough to leave 0 after the softmax, as hidden ones do.
std::vector<KeyState> without_zeros(const ScoreDump& dump, const ScoreSample& sample,
                                    const Compared& c) {
  std::vector<KeyState> state = c.state;
  const auto plane = static_cast<size_t>(sample.keys) * sample.queries.size();
  for (size_t i = 0; dump.after_softmax && i < state.size(); ++i) {
    const bool seen =
        c.visible[i / (plane * static_cast<size_t>(sample.heads)) * plane + i % plane] != 0;
    if (seen && state[i] == KeyState::hidden) state[i] = KeyState::unknown;
  }
  return state;
}

ScoreExpectation expectation_of(const ScoreDump& dump, const ModelEncoding& model,
                                const Layer& layer, const AttentionOptions& options) {
  ScoreExpectation expected{.model = &model,
                            .layer = &layer,
                            .options = options,
                            .turn = {.rope = std::get_if<RopeConfig>(&layer.positions)},
                            .seq_len = dump.seq_len,
                            .rotated = dump.rotated,
                            .normed = dump.norms.normed};
  expected.options.key_mask = dump.key_mask;
  return expected;
}

}  // namespace

ScoreDiagnosis diagnose_scores(const ScoreDump& dump, const ModelEncoding& model,
                               const Layer& of_model) {
  constexpr int64_t kCompared = int64_t{1} << 22, kSearched = int64_t{1} << 17;
  using Verdict = DumpDiagnosis::Verdict;
  check_computed(of_model);
  Layer layer = of_model;
  layer.attention.sinks = false;  // they are no score of a key
  const LayerScores how = scores_of(layer, {.bucket_bias = dump.bucket_bias});
  ScoreExpectation expected = expectation_of(dump, model, layer, how.options);
  expected.options.alibi_slopes = how.slopes;
  expected.options.distance_bias = how.distance_bias;
  const int64_t prefix[] = {dump.prefix};
  if (layer.attention.mask == Mask::prefix) expected.options.prefix = prefix;
  const ConstTensorView q = as_bshd(dump.q, dump.layout, "q"),
                        k = as_bshd(dump.k, dump.layout, "k");
  const int64_t of_each = q.shape[0] * q.shape[2] * k.shape[1];
  if (of_each * q.shape[1] == 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("q: expected some numbers, found shape {}", to_string(q.shape)));
  }
  const ScoreSample sample(dump, layer, some_rows(q.shape[1], of_each, kCompared, -1));
  const Compared c = compare(dump, expected, sample);
  const ScoreMisfit left =
      misfit(c.data, c.products, c.bias,
             {.scale = expected.options.scale, .softcap = expected.options.softcap, .times = {}});
  const auto [first, hidden] = first_other_mask(sample, c);
  const double in_ulp = c.rounding.half_step / c.rounding.ulp;
  ScoreDiagnosis result{.residual = left.rms * in_ulp,
                        .dtype = c.rounding.dtype,
                        .queries = q.shape[1],
                        .compared = std::ssize(sample.queries),
                        .wrong = static_cast<int64_t>(left.wrong + hidden)};
  if (left.holds && hidden == 0) return result;
  const size_t at = left.wrong > 0 ? std::min(first, left.first) : first;
  if (at < c.state.size()) result.first_wrong = score_at(sample, c, expected, at);
  const std::vector<Cause> mask =
      explain_mask(sample, left.holds ? c.state : without_zeros(dump, sample, c), expected);
  std::vector<ScoreExplanation> values = {{{}, left.rms}};
  if (!left.holds) {
    const ScoreSample few(dump, layer,
                          some_rows(q.shape[1], of_each, kSearched,
                                    result.first_wrong ? result.first_wrong->query : -1));
    const Compared of_few = compare(dump, expected, few);
    values = explain_values(few, of_few.data, expected);
    std::erase_if(values, [](const ScoreExplanation& each) { return each.causes.empty(); });
  }
  const bool known = mask.empty() || mask[0].variant != "unknown";
  for (const ScoreExplanation& each : values) {
    constexpr size_t kMost = 3;
    if (!known || result.findings.size() == kMost) break;
    ScoreFinding finding{each.causes, each.rms * in_ulp};
    finding.causes.insert(finding.causes.end(), mask.begin(), mask.end());
    result.findings.push_back(std::move(finding));
  }
  result.verdict = result.findings.empty() ? Verdict::unexplained : Verdict::fault;
  return result;
}

}  // namespace ropewalk
