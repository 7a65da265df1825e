// From products of q and k to weights. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ATTENTION_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ATTENTION_SCORES_INL_H_
#undef ROPEWALK_KERNELS_ATTENTION_SCORES_INL_H_
#else
#define ROPEWALK_KERNELS_ATTENTION_SCORES_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "ropewalk/kernels/attention/attention_kernel.h"
#include "ropewalk/kernels/attention/exp-inl.h"
#include "ropewalk/kernels/attention/pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr float kHiddenScore = -std::numeric_limits<float>::infinity();
constexpr float kLog2E = 1.44269504f;

// Columns of a block of keys: `begin` and `end` are whole vectors, of which the row sees
// first .. last - 1.
struct Columns {
  int64_t begin, end, first, last;
};

HWY_INLINE VF RoundedThroughBf16(VF v) {
  const hn::RebindToUnsigned<DF> du;
  return hn::BitCast(DF(), hn::And(RoundedToBf16(v, DF()), hn::Set(du, 0xFFFF0000)));
}

// Adds the slope's bias. Keys lie key_tokens[j] tokens from where the query lies query_token ones.
HWY_INLINE void AddSlope(const AttentionScoring& how, float slope, int64_t first_key,
                         const int32_t* key_tokens, int32_t query_token, const Columns& columns,
                         float* s) {
  const DF d;
  const hn::RebindToSigned<DF> di;
  for (int64_t j = columns.begin; j < columns.end; j += static_cast<int64_t>(hn::Lanes(d))) {
    auto number = hn::Iota(di, static_cast<int32_t>(first_key + j));
    if (how.bias_of != BiasOf::rank) {
      number = hn::Sub(hn::Load(di, key_tokens + j), hn::Set(di, query_token));
    }
    if (how.bias_of == BiasOf::nearness) number = hn::Min(number, hn::Neg(number));
    const VF factor = hn::ConvertTo(d, number), scale = hn::Set(d, how.bias_scale);
    VF bias = hn::Mul(hn::Mul(hn::Set(d, slope), factor), scale);
    if (how.bias_in_bf16) {
      bias = hn::Mul(RoundedThroughBf16(hn::Mul(RoundedThroughBf16(hn::Set(d, slope)),
                                                RoundedThroughBf16(factor))),
                     scale);
    }
    hn::Store(hn::Add(hn::Load(d, s + j), bias), d, s + j);
  }
}

// Where a row's numbers are: which query of the block, which head of the group.
struct RowOf {
  int64_t query, head;
};

HWY_INLINE void AddDistanceBias(const AttentionScoring& how, int64_t head,
                                const int32_t* key_tokens, int32_t query_token,
                                const Columns& columns, float* s) {
  const auto reach = static_cast<int32_t>(how.bias_reach);
  const float* const middle = how.distance_bias + head * (2 * how.bias_reach + 1) + reach;
  for (int64_t j = columns.first; j < columns.last; ++j) {
    s[j] += middle[std::clamp(key_tokens[j] - query_token, -reach, reach)];
  }
}

HWY_INLINE void AddMask(const AttentionMask& mask, const AttentionKeys& keys, const char* row,
                        const Columns& columns, float* s) {
  for (int64_t j = columns.first; j < columns.last; ++j) {
    const char* at = row + keys.number(j) * mask.key_stride;
    float value = 0;
    if (mask.dtype == DType::f32) {
      value = F32::LoadOne(at);
    } else if (mask.dtype == DType::bf16) {
      value = BF16::LoadOne(at);
    } else if (mask.dtype == DType::f16) {
      value = F16::LoadOne(at);
    } else if (*at == 0) {
      value = kHiddenScore;
    }
    s[j] = value == kHiddenScore ? kHiddenScore : s[j] + value;
  }
}

// Products become scores, in place.
HWY_INLINE void MakeScores(const AttentionBlock& block, const AttentionKeys& keys, const RowOf& row,
                           const int32_t* key_tokens, const Columns& columns, float* s) {
  const DF d;
  const AttentionScoring& how = *block.scoring;
  const VF scale = hn::Set(d, how.scale), cap = hn::Set(d, how.softcap);
  for (int64_t j = columns.begin; j < columns.end; j += static_cast<int64_t>(hn::Lanes(d))) {
    VF score = hn::Mul(hn::Load(d, s + j), scale);
    if (how.softcap > 0) score = hn::Mul(cap, Tanh(hn::Div(score, cap)));
    hn::Store(score, d, s + j);
  }
  const auto query_token = static_cast<int32_t>(block.tokens[row.query] - keys.token(0));
  if (how.slopes != nullptr && how.slopes[row.head] != 0) {
    AddSlope(how, how.slopes[row.head], keys.first, key_tokens, query_token, columns, s);
  }
  if (how.distance_bias != nullptr) {
    AddDistanceBias(how, row.head, key_tokens, query_token, columns, s);
  }
  if (how.mask.data != nullptr) {
    AddMask(how.mask, keys,
            how.mask.data + row.head * how.mask.head_stride +
                block.mask_rows[row.query] * how.mask.query_stride,
            columns, s);
  }
}

// Scores that are not seen become -infinity.
HWY_INLINE void HideScores(const Columns& columns, float* s) {
  const DF d;
  const hn::RebindToSigned<DF> di;
  if (columns.first == columns.begin && columns.last == columns.end) return;
  const auto first = hn::Set(di, static_cast<int32_t>(columns.first)),
             last = hn::Set(di, static_cast<int32_t>(columns.last));
  for (int64_t j = columns.begin; j < columns.end; j += static_cast<int64_t>(hn::Lanes(d))) {
    const auto n = hn::Iota(di, static_cast<int32_t>(j));
    const auto hidden = hn::Or(hn::Lt(n, first), hn::Not(hn::Lt(n, last)));
    hn::Store(
        hn::IfThenElse(hn::RebindMask(d, hidden), hn::Set(d, kHiddenScore), hn::Load(d, s + j)), d,
        s + j);
  }
}

// What a row knows of its scores.
struct RowState {
  float* largest;
  float* totals;  // a vector of partial sums
};

#if ROPEWALK_BF16_IN_HARDWARE
HWY_INLINE void StorePairs(VF low, VF high, float* to) {
  VF pairs;
  asm("vcvtne2ps2bf16 %2, %1, %0" : "=v"(pairs.raw) : "v"(high.raw), "v"(low.raw));
  hn::Store(pairs, DF(), to);
}
#endif

// Notes the largest score of a row so far; returns what the sums so far are to be multiplied by.
// Without a branch: whether a row has a new largest score cannot be foretold.
HWY_INLINE float FindLargest(const Columns& columns, float to_log2, const RowState& row,
                             const float* s) {
  const DF d;
  const float before = *row.largest;
  VF most = hn::Set(d, before);
  for (int64_t j = columns.begin; j < columns.end; j += static_cast<int64_t>(hn::Lanes(d))) {
    most = hn::Max(hn::Load(d, s + j), most);  // a NaN is passed over here, not below
  }
  const float largest = hn::GetLane(hn::MaxOfLanes(d, most));
  *row.largest = largest;
  return Exp2One((before - (largest == kHiddenScore ? 0 : largest)) * to_log2);
}

// Scores become weights 2^((s - largest) to_log2), as floats or pairs of bf16; the total, times
// factor, takes their sum.
template <bool kPairs>
HWY_INLINE void WeighRow(const Columns& columns, float to_log2, const RowState& row, float factor,
                         float* s) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const VF scale = hn::Set(d, to_log2),
           shift = hn::Set(d, *row.largest == kHiddenScore ? 0 : *row.largest);
  // The largest weighs exactly 1, so that a query of one key gets its value as it is.
  const auto weight = [&](int64_t j) {
    return Exp2<kPairs>(hn::Mul(hn::Sub(hn::Load(d, s + j), shift), scale));
  };
  VF sum = hn::Zero(d);
#if ROPEWALK_BF16_IN_HARDWARE
  if constexpr (kPairs) {
    for (int64_t j = columns.begin; j < columns.end; j += 2 * lanes) {
      const VF low = weight(j), high = weight(j + lanes);
      sum = hn::Add(sum, hn::Add(low, high));
      StorePairs(low, high, s + j / 2);
    }
  }
#endif
  if constexpr (!kPairs) {
    for (int64_t j = columns.begin; j < columns.end; j += lanes) {
      const VF w = weight(j);
      sum = hn::Add(sum, w);
      hn::Store(w, d, s + j);
    }
  }
  hn::Store(hn::MulAdd(hn::Load(d, row.totals), hn::Set(d, factor), sum), d, row.totals);
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
