#include "ropewalk/kernels/attention/attention_kernel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "ropewalk/base/half.h"

namespace ropewalk {
namespace {

constexpr int64_t kLanes = 16;

// Up to kAttentionKeys rows with their channels side by side: where they lie, or in a copy.
class PackedRows {
 public:
  explicit PackedRows(const AttentionRows& rows, int64_t capacity) : rows_(rows) {
    if (rows.channel_stride != 1 && rows.channels > 1) {
      copy_.resize(static_cast<size_t>(capacity * rows.channels));
    }
  }

  void load(int64_t first, int64_t count) {
    for (int64_t n = 0; n < count; ++n) {
      const float* row = rows_.data + rows_.number(first + n) * rows_.row_stride;
      if (!copy_.empty()) {
        float* copy = copy_.data() + n * rows_.channels;
        for (int64_t c = 0; c < rows_.channels; ++c) copy[c] = row[c * rows_.channel_stride];
        row = copy;
      }
      at_[static_cast<size_t>(n)] = row;
    }
  }

  const float* operator[](int64_t n) const { return at_[static_cast<size_t>(n)]; }

 private:
  const AttentionRows& rows_;
  std::vector<float> copy_;
  std::array<const float*, kAttentionKeys> at_{};
};

// The first key that some query sees, at the start of a run of kAttentionKeys.
int64_t least_seen(const AttentionBlock& block) {
  if (block.first == nullptr || block.queries == 0) return 0;
  const int64_t least = *std::min_element(block.first, block.first + block.queries);
  return least / kAttentionKeys * kAttentionKeys;
}

float rounded_to_bf16(float x) { return float_from_bf16(bf16_from_float(x)); }

// Of the nth key, whose number is `key`, to the score of query number `query`.
float bias(const AttentionBlock& block, int64_t query, int64_t n, int64_t key) {
  const int64_t distance = key - query;
  auto factor = static_cast<float>(distance);
  if (block.bias_of == BiasOf::rank) factor = static_cast<float>(n);
  if (block.bias_of == BiasOf::nearness) factor = -static_cast<float>(std::abs(distance));
  if (!block.bias_in_bf16) return block.slope * factor * block.bias_scale;
  return rounded_to_bf16(rounded_to_bf16(block.slope) * rounded_to_bf16(factor)) * block.bias_scale;
}

int64_t most_seen(const AttentionBlock& block) {
  return block.queries == 0 ? 0 : *std::max_element(block.seen, block.seen + block.queries);
}

// Rows of a chunk.
struct Range {
  int64_t begin, end;
};

// sums[c] += sum over the rows n of weights[n] rows[n][c], for the channels from `first` to `end`.
void add_weighted(const float* weights, const PackedRows& rows, Range range, int64_t first,
                  int64_t end, float* sums) {
  float partial[kLanes] = {};
  for (int64_t n = range.begin; n < range.end; ++n) {
    for (int64_t c = first; c < end; ++c) partial[c - first] += weights[n] * rows[n][c];
  }
  for (int64_t c = first; c < end; ++c) sums[c] += partial[c - first];
}

// The same for 16 channels. Four numbers in a type of their own, because compilers do not keep an
// array of 16 in registers from one row to the next.
void add_weighted_16(const float* weights, const PackedRows& rows, Range range, int64_t first,
                     float* sums) {
  using Four = float __attribute__((vector_size(16)));
  Four partial[4] = {}, row[4], sum[4];
  for (int64_t n = range.begin; n < range.end; ++n) {
    std::memcpy(row, rows[n] + first, sizeof(row));
    for (int i = 0; i < 4; ++i) partial[i] += weights[n] * row[i];
  }
  std::memcpy(sum, sums + first, sizeof(sum));
  for (int i = 0; i < 4; ++i) sum[i] += partial[i];
  std::memcpy(sums + first, sum, sizeof(sum));
}

// 2^n e^r with n whole and |r| <= ln(2)/2; ln 2 in two parts, so that r is exact to float32.
// Polynomial: Cephes expf (Moshier).
inline float exp_of(float x) {
  constexpr float kLowest = -87.3f, kToInteger = 0x1.8p23f;
  const float bounded = x < kLowest ? kLowest : x;  // a NaN stays
  const float shifted = bounded * 1.44269504f + kToInteger;
  const float n = shifted - kToInteger;
  const float r = (bounded - n * 0.693359375f) - n * -2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1;
  // The last bits of `shifted` are n.
  const float power = std::bit_cast<float>((std::bit_cast<uint32_t>(shifted) + 127) << 23);
  return x < kLowest ? 0 : p * power;
}

}  // namespace

float attention_dot(const float* a, const float* b, int64_t count) {
  float partial[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) partial[lane] += a[i + lane] * b[i + lane];
  }
  for (int64_t lane = 0; i < count; ++i, ++lane) partial[lane] += a[i] * b[i];
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (int64_t lane = 0; lane < half; ++lane) partial[lane] += partial[lane + half];
  }
  return partial[0];
}

void attention_scores_of(const AttentionBlock& block, const AttentionRows& queries,
                         const AttentionRows& keys) {
  static_assert(kAttentionQueries <= kAttentionKeys);
  PackedRows q(queries, block.queries), k(keys, kAttentionKeys);
  q.load(0, block.queries);
  const int64_t all = most_seen(block);
  // The keys of one chunk stay in the cache while every query of the block meets them.
  for (int64_t first = least_seen(block); first < all; first += kAttentionKeys) {
    k.load(first, std::min(kAttentionKeys, all - first));
    for (int64_t r = 0; r < block.queries; ++r) {
      const int64_t count = std::min(kAttentionKeys, block.seen[r] - first);
      float* scores = block.scores + r * block.score_stride + first;
      for (int64_t n = std::max<int64_t>(0, block.begin(r) - first); n < count; ++n) {
        float score = attention_dot(q[r], k[n], queries.channels) * block.scale;
        if (block.softcap > 0) score = block.softcap * attention_tanh(score / block.softcap);
        if (block.slope != 0) {
          score += bias(block, block.first_query + r, first + n, keys.number(first + n));
        }
        if (block.distance_bias != nullptr) {
          const int64_t distance = keys.number(first + n) - (block.first_query + r);
          score += block.distance_bias[block.bias_reach +
                                       std::clamp(distance, -block.bias_reach, block.bias_reach)];
        }
        scores[n] = score;
      }
    }
  }
}

float attention_exp(float x) { return exp_of(x); }

float attention_tanh(float x) {
  const float size = x < 0 ? -x : x;
  if (size < 0.25f) {
    // The series, whose next term is below half a ULP here.
    const float square = x * x;
    float p = 62.0f / 2835;
    p = p * square - 17.0f / 315;
    p = p * square + 2.0f / 15;
    p = p * square - 1.0f / 3;
    return x + x * (square * p);
  }
  const float e = exp_of(-2 * size);
  const float result = (1 - e) / (1 + e);
  return x < 0 ? -result : result;
}

float attention_softmax(float* scores, int64_t begin, int64_t end, const float* sink) {
  if (begin >= end) return 0;
  float largest = sink == nullptr ? -std::numeric_limits<float>::infinity() : *sink;
  for (int64_t n = begin; n < end; ++n) largest = scores[n] > largest ? scores[n] : largest;
  for (int64_t n = begin; n < end; ++n) scores[n] = exp_of(scores[n] - largest);
  float total = 0;
  for (int64_t run = begin / kAttentionKeys * kAttentionKeys; run < end; run += kAttentionKeys) {
    float partial = 0;
    const int64_t last = std::min(end, run + kAttentionKeys);
    for (int64_t n = std::max(begin, run); n < last; ++n) partial += scores[n];
    total += partial;
  }
  return sink == nullptr ? total : total + exp_of(*sink - largest);
}

void attention_weighted_sum(const AttentionBlock& block, const AttentionRows& values, float* sums) {
  std::fill(sums, sums + block.queries * values.channels, 0.0f);
  PackedRows v(values, kAttentionKeys);
  const int64_t all = most_seen(block), whole = values.channels / kLanes * kLanes;
  for (int64_t first = least_seen(block); first < all; first += kAttentionKeys) {
    v.load(first, std::min(kAttentionKeys, all - first));
    for (int64_t r = 0; r < block.queries; ++r) {
      const Range range{std::max<int64_t>(0, block.begin(r) - first),
                        std::min(kAttentionKeys, block.seen[r] - first)};
      if (range.begin >= range.end) continue;
      const float* weights = block.scores + r * block.score_stride + first;
      float* row = sums + r * values.channels;
      for (int64_t c = 0; c < whole; c += kLanes) add_weighted_16(weights, v, range, c, row);
      if (whole < values.channels) add_weighted(weights, v, range, whole, values.channels, row);
    }
  }
}

}  // namespace ropewalk
