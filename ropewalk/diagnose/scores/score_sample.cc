#include "ropewalk/diagnose/scores/score_sample.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

float* numbers(Tensor& tensor) { return reinterpret_cast<float*>(tensor.bytes.data()); }

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

// Rows `which` of axis 1 (or 2 of scores) of a 4-D view, as float32.
Tensor gathered(const ConstTensorView& view, int axis, const std::vector<int64_t>& which) {
  Dims shape = view.shape;
  shape[axis] = std::ssize(which);
  Tensor out = make_tensor(DType::f32, shape);
  int64_t inner = 1, outer = 1;
  for (int a = 0; a < 4; ++a) (a < axis ? outer : inner) *= a == axis ? 1 : shape[a];
  for (size_t n = 0; n < which.size(); ++n) {
    ConstTensorView row = view;
    row.data = static_cast<const char*>(view.data) +
               which[n] * view.strides[axis] * static_cast<int64_t>(size_in_bytes(view.dtype));
    row.shape[axis] = 1;
    const Tensor one = converted(row, DType::f32);
    const auto* from = reinterpret_cast<const float*>(one.bytes.data());
    for (int64_t o = 0; o < outer; ++o) {
      std::copy_n(from + o * inner, inner,
                  numbers(out) + (o * std::ssize(which) + static_cast<int64_t>(n)) * inner);
    }
  }
  return out;
}

ConstTensorView with_batch(ConstTensorView scores) {
  if (scores.shape.size() == 4) return scores;
  if (scores.shape.size() != 3) {
    fail(
        fmt::format("scores: expected [batch, heads, queries, keys] or [heads, queries, keys], "
                    "found {}",
                    to_string(scores.shape)));
  }
  const Dims shape = scores.shape, strides = scores.strides;
  scores.shape = {1, shape[0], shape[1], shape[2]};
  scores.strides = {0, strides[0], strides[1], strides[2]};
  return scores;
}

// [axes, batch, tokens] of some keys.
Tensor positions_of_tokens(const PositionIds& positions, int64_t batch, int64_t keys,
                           const std::vector<int64_t>& tokens) {
  const int64_t axes = positions.ids.shape.size() == 3 ? positions.ids.shape[0] : 1;
  const PositionReader reader(positions, batch, keys, axes);
  const int64_t count = std::ssize(tokens);
  Tensor out = make_tensor(DType::i64, axes == 1 ? Dims{batch, count} : Dims{axes, batch, count});
  auto* to = reinterpret_cast<int64_t*>(out.bytes.data());
  for (int64_t a = 0; a < axes; ++a) {
    for (int64_t b = 0; b < batch; ++b) {
      for (const int64_t token : tokens) *to++ = reader.at(a, b, token);
    }
  }
  return out;
}

std::vector<int64_t> first_numbers(int64_t count) {
  std::vector<int64_t> list(static_cast<size_t>(count));
  for (size_t i = 0; i < list.size(); ++i) list[i] = static_cast<int64_t>(i);
  return list;
}

// Key heads one for each query head: head h reads h mod Hkv.
Tensor taken_in_turn(const Tensor& k, int64_t heads) {
  Tensor out = make_tensor(DType::f32, {k.shape[0], k.shape[1], heads, k.shape[3]});
  const auto row = static_cast<size_t>(k.shape[3]) * sizeof(float);
  for (int64_t t = 0; t < k.shape[0] * k.shape[1]; ++t) {
    for (int64_t h = 0; h < heads; ++h) {
      std::memcpy(out.bytes.data() + static_cast<size_t>(t * heads + h) * row,
                  k.bytes.data() + static_cast<size_t>(t * k.shape[2] + h % k.shape[2]) * row, row);
    }
  }
  return out;
}

// The weights that the norm takes, and what becomes of the norm itself.
HeadNorms norms_of(ScoreNorm fault, HeadNorms learned, Norm& norm) {
  switch (fault) {
    case ScoreNorm::as_layer:
      break;
    case ScoreNorm::missing:
      learned = {.normed = learned.normed};
      norm.kind = NormKind::none;
      break;
    case ScoreNorm::without_weights:
      learned = {.normed = learned.normed};
      norm.weights = false;
      break;
    case ScoreNorm::other_place:
      norm.place = norm.place == NormPlace::before_rotation ? NormPlace::after_rotation
                                                            : NormPlace::before_rotation;
      break;
    case ScoreNorm::exchanged:
      std::swap(learned.q_norm, learned.k_norm);
      std::swap(learned.q_norm_bias, learned.k_norm_bias);
      break;
    case ScoreNorm::of_q:
      learned.k_norm = learned.q_norm;
      learned.k_norm_bias = learned.q_norm_bias;
      break;
  }
  return learned;
}

}  // namespace

ScoreSample::ScoreSample(const ScoreDump& dump, const Layer& layer,
                         const std::vector<int64_t>& which)
    : queries(which), dump_(dump), layer_(layer) {
  const ConstTensorView s = with_batch(dump.scores), q = as_bshd(dump.q, dump.layout, "q"),
                        k = as_bshd(dump.k, dump.layout, "k");
  const Dims expected{q.shape[0], q.shape[2], q.shape[1], k.shape[1]};
  if (s.shape != expected || q.shape[0] != k.shape[0] || q.shape[3] != k.shape[3] ||
      k.shape[2] < 1 || q.shape[2] % k.shape[2] != 0 || q.shape[1] > k.shape[1]) {
    fail(fmt::format(
        "scores: expected {}, of q {} and k {} with at most as many queries as keys, "
        "found {}",
        to_string(expected), to_string(q.shape), to_string(k.shape), to_string(s.shape)));
  }
  batch = q.shape[0], heads = q.shape[2], kv_heads = k.shape[2], keys = k.shape[1];
  for (const int64_t row : queries) tokens.push_back(keys - q.shape[1] + row);
  const Tensor scores = gathered(s, 2, queries);
  found.resize(scores.bytes.size() / sizeof(float));
  std::memcpy(found.data(), scores.bytes.data(), scores.bytes.size());
  q_ = gathered(q, 1, queries);
  k_ = converted(k, DType::f32);
  q_positions_ = positions_of_tokens(dump.positions, batch, keys, tokens);
  k_positions_ = positions_of_tokens(dump.positions, batch, keys, first_numbers(keys));
  if (dump.rotated || !std::holds_alternative<RopeConfig>(layer.positions)) return;
  // Position, frequency and product are rounded to float32 each.
  int64_t farthest = 0;
  const auto* ids = reinterpret_cast<const int64_t*>(k_positions_.bytes.data());
  for (size_t i = 0; i < k_positions_.bytes.size() / sizeof(int64_t); ++i) {
    farthest = std::max(farthest, std::abs(ids[i]));
  }
  angle_error_ = 0x1p-24 * static_cast<double>(farthest);
}

void ScoreSample::rotate(const ScoreTurn& turn, Heads& of) const {
  if (turn.rope == nullptr) return;
  const ProjectedHeads views{of.q.view(), of.k.view()};
  const PositionIds of_q = positions_of(std::as_const(q_positions_).view()),
                    of_k = positions_of(std::as_const(k_positions_).view());
  const std::vector<int64_t> lengths =
      dump_.seq_len > 0 ? std::vector<int64_t>(static_cast<size_t>(batch), dump_.seq_len)
                        : sequence_lengths(of_k, batch, keys, turn.rope->position_axes);
  // Dumps after the rotation have one of them in them.
  const int done = dump_.rotated ? 1 : 0;
  const auto turn_by = [&](int times, const PositionIds& positions, const TensorView& x) {
    const Direction direction = times < 0 ? Direction::inverse : Direction::forward;
    for (int i = 0; i < std::abs(times); ++i) {
      apply_rope_by_length(*turn.rope, lengths, positions, in_place(x), std::nullopt,
                           {.direction = direction});
    }
  };
  turn_by(turn.q_times - done, of_q, views.q);
  turn_by(turn.k_times - done, of_k, views.k);
}

ScoreSample::Heads ScoreSample::turned(const ScoreTurn& turn) const {
  Heads of{q_, k_};
  if (dump_.rotated) {
    rotate(turn, of);
  } else {
    Layer layer = layer_;
    if (!turn.query_scale) layer.attention.query_scale.reset();
    const HeadNorms norms = norms_of(turn.norm, dump_.norms, layer.attention.qk_norm);
    const ProjectedHeads views{of.q.view(), of.k.view()};
    before_rotation(layer, norms, views);
    rotate(turn, of);
    after_rotation(layer, norms, positions_of(std::as_const(q_positions_).view()), views);
  }
  if (turn.heads_in_turn) of.k = taken_in_turn(of.k, heads);
  return of;
}

std::vector<float> ScoreSample::scores(const Tensor& q, const Tensor& k,
                                       const AttentionOptions& options) const {
  AttentionOptions taken = options;
  taken.tensor_layout = TensorLayout::bshd;
  taken.query_tokens =
      options.query_tokens.empty() ? std::span<const int64_t>(tokens) : options.query_tokens;
  taken.sinks = {};
  std::vector<float> out(static_cast<size_t>(q.shape[0] * q.shape[2] * q.shape[1] * keys));
  attention_scores(q.view(), k.view(),
                   make_view(static_cast<void*>(out.data()), DType::f32,
                             {q.shape[0], q.shape[2], q.shape[1], keys}),
                   taken);
  return out;
}

std::vector<float> ScoreSample::products(const ScoreTurn& turn) const {
  const Heads heads = turned(turn);
  return scores(heads.q, heads.k, {.scale = 1});
}

std::vector<float> ScoreSample::spread(const ScoreTurn& turn) const {
  Heads heads = turned(turn);
  for (Tensor* x : {&heads.q, &heads.k}) {
    for (size_t i = 0; i < x->bytes.size() / sizeof(float); ++i) numbers(*x)[i] *= numbers(*x)[i];
  }
  std::vector<float> out = scores(heads.q, heads.k, {.scale = 1});
  for (float& x : out) x = std::sqrt(std::max(x, 0.0f));
  return out;
}

std::vector<float> ScoreSample::bias(AttentionOptions options) const {
  options.causal = false;
  options.window_left = options.window_right = -1;
  options.chunk = 0;
  options.prefix = {};
  options.softcap = 0;
  const Tensor q = make_tensor(DType::f32, {batch, std::ssize(queries), heads, 1}),
               k = make_tensor(DType::f32, {batch, keys, 1, 1});
  return scores(q, k, options);
}

std::vector<uint8_t> ScoreSample::visible(const AttentionOptions& options) const {
  AttentionOptions taken = options;
  taken.alibi_slopes = taken.distance_bias = {};
  taken.bias_reach = 0;
  const Tensor q = make_tensor(DType::f32, {batch, std::ssize(queries), 1, 1}),
               k = make_tensor(DType::f32, {batch, keys, 1, 1});
  const std::vector<float> seen = scores(q, k, taken);
  std::vector<uint8_t> out(seen.size());
  std::transform(seen.begin(), seen.end(), out.begin(),
                 [](float s) { return std::isfinite(s) ? uint8_t{1} : uint8_t{0}; });
  return out;
}

}  // namespace ropewalk
