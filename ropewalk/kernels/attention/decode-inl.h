// One query of each of several heads meets keys where they lie. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ATTENTION_DECODE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ATTENTION_DECODE_INL_H_
#undef ROPEWALK_KERNELS_ATTENTION_DECODE_INL_H_
#else
#define ROPEWALK_KERNELS_ATTENTION_DECODE_INL_H_
#endif

#include <algorithm>

#include "ropewalk/kernels/attention/decode_tiles-inl.h"
#include "ropewalk/kernels/attention/meet-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Key heads whose queries meet keys together, each with its group of heads of q.
struct DecodeHeads {
  const AttentionBlock* blocks;
  int64_t count;
  Places at[kDecodeHeads];

  int64_t rows() const { return blocks->rows(); }
};

// Calls f with a number of rows, as a constant, and the first of them, until none of `rows` is
// left.
template <class F>
HWY_INLINE void ForRows(int64_t rows, F f) {
  int64_t row = 0;
  if constexpr (kRowsAtOnce == 4) {
    for (; row + 4 <= rows; row += 4) f(std::integral_constant<int, 4>(), row);
  }
  for (; row + 2 <= rows; row += 2) f(std::integral_constant<int, 2>(), row);
  if (row < rows) f(std::integral_constant<int, 1>(), row);
}

// The keys first .. first + count - 1 of `keys` and whether more come behind them.
struct DecodeBlock {
  const AttentionKeys& keys;
  int64_t first, count;
  int64_t head_begin, head_end;

  int64_t end() const { return first + count; }
  // How far ahead of some keys to fetch: the next ones where heads lie side by side.
  int64_t ahead(int64_t at_once) const {
    return head_end - head_begin > 1 ? at_once : std::max(at_once, kKeysAhead);
  }
};

// How keys, values and weights are read and multiplied.
template <class KType, class VType>
struct AsFloats {
  using K = KType;
  using V = VType;
  using Step = FloatStep;
};
#if ROPEWALK_BF16_IN_HARDWARE
// q and keys as they are, two numbers a step, and weights in pairs.
struct AsPairs {
  using K = F32;
  using V = BF16;
  using Step = Bf16Step;
};
#endif
template <class How>
constexpr bool kInPairs = kKeysOfStep<typename How::Step> == 2;

// Scores, in the order in which the heads of a few keys lie.
template <class How>
HWY_INLINE void DotsOfBlock(const DecodeHeads& heads, const DecodeBlock& block) {
  const AttentionKeys& keys = block.keys;
  for (int64_t j = 0; j < block.count; j += kKeysAtOnce) {
    const int64_t first = block.first + j, next = first + block.ahead(kKeysAtOnce);
    for (int64_t h = block.head_begin; h < block.head_end; ++h) {
      FewRows<kKeysAtOnce> rows;
      rows.find(keys.k, first, block.end(), h);
      if (next < block.end()) {
        rows.fetch(keys.k, next, block.end(), h);
      } else {
        rows.fetch(keys.v, next - block.count, block.end(), h);
      }
      const Places& at = heads.at[h];
      ForRows(heads.rows(), [&](auto count, int64_t row) {
        FourDots<typename How::K, typename How::Step, count()>(
            {at.q + row * at.step_stride, at.step_stride}, rows, at.steps,
            at.scores + row * kAttentionKeys + j);
      });
    }
  }
}

template <class How>
HWY_INLINE void ValuesOfBlock(const DecodeHeads& heads, const DecodeBlock& block) {
  const AttentionKeys& keys = block.keys;
  for (int64_t j = 0; j < block.count; j += kValuesAtOnce) {
    const int64_t first = block.first + j, next = first + block.ahead(kValuesAtOnce);
    const int64_t count = std::min<int64_t>(kValuesAtOnce, block.count - j);
    for (int64_t h = block.head_begin; h < block.head_end; ++h) {
      FewRows<kValuesAtOnce> rows;
      rows.find(keys.v, first, block.end(), h);
      if (next < block.end()) {
        rows.fetch(keys.v, next, block.end(), h);
      } else {
        rows.fetch(keys.k, next, keys.count, h);
      }
      const Places& at = heads.at[h];
      const int64_t channels = heads.blocks->value_dim;
      ForRows(heads.rows(), [&](auto of_rows, int64_t row) {
        const SumRows sums{at.scores + row * kAttentionKeys + j / kKeysOfStep<typename How::Step>,
                           at.sums + row * at.value_stride, at.value_stride};
        if constexpr (kInPairs<How>) {
          AddPairsOfValues<of_rows()>(sums, rows, count, channels);
        } else {
          AddValues<typename How::V, of_rows()>(sums, rows, count, channels);
        }
      });
    }
  }
}

HWY_INLINE void ScaleRow(const float* by, int64_t count, float* x) {
  for (int64_t j = 0; j < count; ++j) x[j] *= by[j];
}

// The scores of one head become weights; sums so far are multiplied by what the new largest asks.
template <bool kPairs>
HWY_INLINE void WeighHead(const DecodeHeads& heads, const DecodeBlock& block, int64_t h) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(DF()));
  const AttentionKeys& keys = block.keys;
  const AttentionBlock& head = heads.blocks[h];
  const Places& at = heads.at[h];
  const bool plain = head.scoring->plain();
  const Columns columns{0, Filled(block.count, kPairs ? 2 * lanes : lanes), 0, block.count};
  const float to_log2 = plain ? head.scoring->scale * kLog2E : kLog2E;
  const auto state = [&](int64_t row) {
    return RowState{at.largest + row, at.totals + row * lanes};
  };
  float factors[kDecodeRows];
  AttentionKeys part = keys;
  HWY_ALIGN int32_t tokens[kAttentionKeys] = {};
  if (!plain) {
    part.first += block.first;
    part.count = block.count;
    if (keys.numbers != nullptr) part.numbers += block.first;
    for (int64_t j = 0; j < block.count; ++j) {
      tokens[j] = static_cast<int32_t>(part.token(j) - part.token(0));
    }
  }
  const int64_t scales = h * keys.count + block.first;
  for (int64_t row = 0; row < heads.rows(); ++row) {
    float* const s = at.scores + row * kAttentionKeys;
    if (keys.k_scales != nullptr) ScaleRow(keys.k_scales + scales, block.count, s);
    if (!plain) MakeScores(head, part, {0, row}, tokens, columns, s);
    HideScores(columns, s);
    factors[row] = FindLargest(columns, to_log2, state(row), s);
  }
  for (int64_t row = 0; row < heads.rows(); ++row) {
    float* const s = at.scores + row * kAttentionKeys;
    WeighRow<kPairs>(columns, to_log2, state(row), factors[row], s);
    if (keys.v_scales != nullptr) ScaleRow(keys.v_scales + scales, block.count, s);
    if (factors[row] == 1) continue;
    for (int64_t c = 0; c < at.value_stride; c += lanes) {
      float* const sum = at.sums + row * at.value_stride + c;
      hn::Store(hn::Mul(hn::Load(DF(), sum), hn::Set(DF(), factors[row])), DF(), sum);
    }
  }
}

template <class How>
HWY_INLINE void MeetHeads(const DecodeHeads& heads, const AttentionKeys& keys, int64_t head_begin,
                          int64_t head_end) {
  for (int64_t first = 0; first < keys.count;) {
    const int64_t whole = kAttentionKeys - (keys.first + first) % kAttentionKeys;
    const DecodeBlock block{keys, first, std::min(whole, keys.count - first), head_begin, head_end};
    DotsOfBlock<How>(heads, block);
    for (int64_t h = head_begin; h < head_end; ++h) WeighHead<kInPairs<How>>(heads, block, h);
    ValuesOfBlock<How>(heads, block);
    first += block.count;
  }
}

template <class How>
void MeetQueriesAs(const AttentionBlock* blocks, int64_t count, const AttentionKeys& keys) {
  using K = typename How::K;
  using V = typename How::V;
  DecodeHeads heads;
  heads.blocks = blocks;
  heads.count = count;
  const auto each_row = [&](auto work) {
    for (int64_t h = 0; h < count; ++h) {
      for (int64_t row = 0; row < heads.rows(); ++row) work(heads.at[h], row);
    }
  };
  for (int64_t h = 0; h < count; ++h) heads.at[h] = PlacesOf(blocks[h]);
  each_row([&](const Places& at, int64_t row) {
    SplitRow<K>(at.q + row * at.step_stride, blocks->head_dim);
    SplitRow<V>(at.sums + row * at.value_stride, blocks->value_dim);
  });
  const bool beside = std::abs(keys.k.head_stride) < std::abs(keys.k.row_stride);
  if (beside) {
    MeetHeads<How>(heads, keys, 0, count);
  } else {
    for (int64_t h = 0; h < count; ++h) MeetHeads<How>(heads, keys, h, h + 1);
  }
  each_row([&](const Places& at, int64_t row) {
    JoinRow<K>(at.q + row * at.step_stride, blocks->head_dim);
    JoinRow<V>(at.sums + row * at.value_stride, blocks->value_dim);
  });
}

// Folds what `from` knows of other keys into `into`, of the same queries.
HWY_INLINE void MergeRow(const AttentionBlock& block, const Places& into, const Places& from,
                         int64_t row) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const float to_log2 = block.scoring->plain() ? block.scoring->scale * kLog2E : kLog2E;
  const float a = into.largest[row], b = from.largest[row];
  const float largest = a < b ? b : a;
  const float base = largest == kHiddenScore ? 0 : largest;
  const auto factor = [&](float m) {
    return hn::Set(d, m == largest ? 1 : Exp2One((m - base) * to_log2));
  };
  const VF of_into = factor(a), of_from = factor(b);
  const auto add = [&](float* to, const float* other) {
    hn::Store(hn::MulAdd(hn::Load(d, other), of_from, hn::Mul(hn::Load(d, to), of_into)), d, to);
  };
  into.largest[row] = largest;
  add(into.totals + row * lanes, from.totals + row * lanes);
  for (int64_t c = 0; c < into.value_stride; c += lanes) {
    add(into.sums + row * into.value_stride + c, from.sums + row * into.value_stride + c);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
