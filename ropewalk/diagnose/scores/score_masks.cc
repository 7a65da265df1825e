#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "ropewalk/base/tensor.h"
#include "ropewalk/diagnose/scores/score_causes.h"

namespace ropewalk {
namespace {

struct MaskCandidate {
  AttentionOptions options;
  Cause cause;
};

// Whether a dump hides just those keys that the mask hides.
bool hides(const ScoreSample& sample, const std::vector<KeyState>& state,
           const std::vector<uint8_t>& visible) {
  const auto plane = static_cast<size_t>(sample.keys * std::ssize(sample.queries));
  for (size_t i = 0; i < state.size(); ++i) {
    if (state[i] == KeyState::unknown) continue;
    const size_t batch = i / (plane * static_cast<size_t>(sample.heads));
    const bool seen = visible[batch * plane + i % plane] != 0;
    if (seen != (state[i] == KeyState::seen)) return false;
  }
  return true;
}

// The farthest key behind a query that is seen.
int64_t farthest_seen(const ScoreSample& sample, const std::vector<KeyState>& state) {
  int64_t farthest = 0;
  for (size_t i = 0; i < state.size(); ++i) {
    if (state[i] != KeyState::seen) continue;
    const auto keys = static_cast<size_t>(sample.keys);
    const int64_t query = sample.tokens[i / keys % sample.queries.size()];
    farthest = std::max(farthest, query - static_cast<int64_t>(i % keys));
  }
  return farthest;
}

void add_windows(const ScoreSample& sample, const std::vector<KeyState>& state,
                 const ScoreExpectation& of, std::vector<MaskCandidate>& out) {
  const AttentionOptions& own = of.options;
  AttentionOptions changed = own;
  const auto numbers = [&](int64_t left) {
    return std::vector<std::pair<std::string_view, double>>{
        {"found", static_cast<double>(left + 1)},
        {"expected", static_cast<double>(own.window_left + 1)}};
  };
  if (own.window_left >= 0 || own.chunk > 0) {
    changed.window_left = -1, changed.chunk = 0;
    if (changed.causal) changed.window_right = -1;
    out.push_back({changed, {"score_mask", own.chunk > 0 ? "no_chunk" : "no_window", numbers(-1)}});
  }
  std::set<std::tuple<int64_t, int64_t, int64_t>> tried = {
      {own.window_left, own.window_right, own.chunk}};
  for (size_t n = 0; n < of.model->layers.size(); ++n) {
    const AttentionConfig& other = of.model->layers[n].attention;
    if (!tried.insert({other.window_left, other.window_right, other.chunk}).second) continue;
    changed = own;
    changed.window_left = other.window_left, changed.window_right = other.window_right;
    changed.chunk = other.chunk;
    out.push_back({changed, {"score_mask", "other_layer", {{"layer", static_cast<double>(n)}}}});
  }
  changed = own;
  changed.window_left = farthest_seen(sample, state), changed.chunk = 0;
  const bool by_one = own.window_left >= 0 && std::abs(changed.window_left - own.window_left) == 1;
  const char* variant = by_one                 ? "window_by_one"
                        : own.window_left >= 0 ? "window"
                        : own.chunk > 0        ? "window_for_chunk"
                                               : "window_should_not";
  out.push_back({changed, {"score_mask", variant, numbers(changed.window_left)}});
}

// The first key that the query of each row of a head sees, of all heads and sequences.
std::vector<int64_t> first_seen(const ScoreSample& sample, const std::vector<KeyState>& state) {
  std::vector<int64_t> first(sample.queries.size(), sample.keys);
  const auto keys = static_cast<size_t>(sample.keys);
  for (size_t i = 0; i < state.size(); ++i) {
    if (state[i] != KeyState::seen) continue;
    int64_t& least = first[i / keys % sample.queries.size()];
    least = std::min(least, static_cast<int64_t>(i % keys));
  }
  return first;
}

// Chunks of another size: where they begin, as far as the queries of the dump show it.
void add_chunks(const ScoreSample& sample, const std::vector<KeyState>& state,
                const ScoreExpectation& of, std::vector<MaskCandidate>& out) {
  int64_t size = 0;
  for (const int64_t begin : first_seen(sample, state)) {
    if (begin < sample.keys) size = std::gcd(size, begin);
  }
  if (size <= 1 || size == of.options.chunk) return;
  AttentionOptions changed = of.options;
  changed.window_left = -1;
  changed.chunk = size;
  out.push_back({changed,
                 {"score_mask",
                  of.options.chunk > 0 ? "chunk" : "chunk_should_not",
                  {{"found", static_cast<double>(size)},
                   {"expected", static_cast<double>(of.options.chunk)}}}});
}

// Tokens that all see, to the last key that is seen from before it.
int64_t prefix_of(const ScoreSample& sample, const std::vector<KeyState>& state) {
  int64_t prefix = 0;
  const auto keys = static_cast<size_t>(sample.keys);
  for (size_t i = 0; i < state.size(); ++i) {
    const auto key = static_cast<int64_t>(i % keys);
    const int64_t query = sample.tokens[i / keys % sample.queries.size()];
    if (state[i] == KeyState::seen && key > query) prefix = std::max(prefix, key + 1);
  }
  return prefix;
}

// Keys that no query of the dump sees.
Tensor seen_by_any(const ScoreSample& sample, const std::vector<KeyState>& state) {
  Tensor mask = make_tensor(DType::u8, {sample.batch, sample.keys});
  const auto keys = static_cast<size_t>(sample.keys);
  const size_t of_batch = state.size() / static_cast<size_t>(sample.batch);
  for (size_t i = 0; i < state.size(); ++i) {
    if (state[i] == KeyState::hidden) continue;
    mask.bytes[i / of_batch * keys + i % keys] = std::byte{1};
  }
  return mask;
}

}  // namespace

std::vector<Cause> explain_mask(const ScoreSample& sample, const std::vector<KeyState>& state,
                                const ScoreExpectation& expected) {
  const AttentionOptions& own = expected.options;
  if (hides(sample, state, sample.visible(own))) return {};
  std::vector<MaskCandidate> candidates;
  AttentionOptions changed = own;
  changed.causal = false, changed.window_left = changed.window_right = -1, changed.chunk = 0;
  changed.prefix = {};
  if (own.causal) {
    candidates.push_back(
        {changed, {"score_mask", own.window_left < 0 && own.chunk == 0 ? "not_causal" : "none"}});
    changed = own;
    changed.causal = false;
    candidates.push_back({changed, {"score_mask", "not_causal"}});
  } else {
    changed.causal = true;
    candidates.push_back({changed, {"score_mask", "causal"}});
  }
  std::vector<std::vector<int64_t>> tokens(3, sample.tokens);
  for (size_t i = 0; i < sample.tokens.size(); ++i) {
    --tokens[0][i], ++tokens[1][i], tokens[2][i] = sample.queries[i];
  }
  for (size_t n = 0; n < tokens.size(); ++n) {
    constexpr const char* kVariants[] = {"one_before", "one_after", "top_left"};
    changed = own;
    changed.query_tokens = tokens[n];
    candidates.push_back({changed, {"score_mask", kVariants[n]}});
  }
  add_windows(sample, state, expected, candidates);
  add_chunks(sample, state, expected, candidates);
  if (own.key_mask.data != nullptr) {
    changed = own;
    changed.key_mask = ConstTensorView{nullptr, DType::boolean, {}, {}};
    candidates.push_back({changed, {"score_mask", "padding_seen"}});
  }
  const int64_t prefix[] = {prefix_of(sample, state)};
  if (!own.prefix.empty() && own.prefix[0] != prefix[0]) {
    changed = own;
    changed.prefix = prefix;
    candidates.push_back({changed,
                          {"score_mask",
                           prefix[0] == 0 ? "no_prefix" : "prefix",
                           {{"found", static_cast<double>(prefix[0])},
                            {"expected", static_cast<double>(own.prefix[0])}}}});
  }
  const Tensor seen = seen_by_any(sample, state);
  changed = own;
  changed.key_mask = seen.view();
  candidates.push_back({changed, {"score_mask", "padding"}});
  for (const MaskCandidate& each : candidates) {
    if (hides(sample, state, sample.visible(each.options))) return {each.cause};
  }
  return {Cause{"score_mask", "unknown"}};
}

}  // namespace ropewalk
