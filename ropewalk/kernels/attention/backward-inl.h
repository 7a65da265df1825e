// Gradients of a block of queries and the keys that it meets. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ATTENTION_BACKWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ATTENTION_BACKWARD_INL_H_
#undef ROPEWALK_KERNELS_ATTENTION_BACKWARD_INL_H_
#else
#define ROPEWALK_KERNELS_ATTENTION_BACKWARD_INL_H_
#endif

#include <algorithm>

#include "ropewalk/kernels/attention/meet-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE float DotOf(const float* a, const float* b, int64_t count) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  VF sum = hn::Zero(d);
  int64_t c = 0;
  for (; c + lanes <= count; c += lanes) {
    sum = hn::MulAdd(hn::LoadU(d, a + c), hn::LoadU(d, b + c), sum);
  }
  float all = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; c < count; ++c) all += a[c] * b[c];
  return all;
}

// to += factor x.
HWY_INLINE void AddTimes(float factor, const float* x, int64_t count, float* to) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const VF f = hn::Set(d, factor);
  int64_t c = 0;
  for (; c + lanes <= count; c += lanes) {
    hn::StoreU(hn::MulAdd(f, hn::LoadU(d, x + c), hn::LoadU(d, to + c)), d, to + c);
  }
  for (; c < count; ++c) to[c] += factor * x[c];
}

// What one row gives to the gradients: `products` are q.k, `scores` what became of them.
HWY_INLINE void BackwardRow(const AttentionBlock& block, const AttentionKeys& keys,
                            const AttentionGradients& g, int64_t row, const Columns& columns,
                            const float* q, const float* products, const float* scores) {
  const AttentionScoring& how = *block.scoring;
  const int64_t dim = block.head_dim, width = block.value_dim;
  const float* const d_out = g.d_out + row * width;
  for (int64_t j = columns.first; j < columns.last; ++j) {
    if (scores[j] == kHiddenScore) continue;
    const int64_t key = keys.number(j);
    const float weight = Exp2One((scores[j] - g.lse[row]) * kLog2E);
    float d_score = weight * (DotOf(d_out, g.v + key * width, width) - g.delta[row]) * how.scale;
    if (how.softcap > 0) {
      const float t = hn::GetLane(Tanh(hn::Set(DF(), products[j] * how.scale / how.softcap)));
      d_score *= 1 - t * t;
    }
    AddTimes(weight, d_out, width, g.dv + key * width);
    AddTimes(d_score, q, dim, g.dk + key * dim);
    AddTimes(d_score, g.k + key * dim, dim, g.dq + row * dim);
  }
}

HWY_INLINE void BackwardOf(const AttentionBlock& block, const AttentionKeys& keys,
                           const AttentionGradients& g) {
  const Places at = PlacesOf(block);
  const KeyPlaces packed = KeyPlacesOf(block, keys.memory);
  HWY_ALIGN float products[kAttentionKeys];
  for (int64_t first = 0; first < at.rows; first += kTileRows) {
    const Tile tile = FindTile(block, keys, first);
    if (tile.empty()) continue;
    for (int64_t panel = 0; panel * PanelWidth() < keys.count; ++panel) {
      ProductsOfPanel<FloatStep>(at, packed.k, tile, panel, at.scores);
    }
    Columns columns = ColumnsOf<FloatStep>(tile);
    for (int64_t r = 0; r < kTileRows && first + r < block.rows(); ++r) {
      const int64_t row = first + r;
      columns.first = tile.row_first[r];
      columns.last = tile.row_last[r];
      if (columns.first >= columns.last) continue;
      float* const s = at.scores + r * kAttentionKeys;
      std::copy_n(s, kAttentionKeys, products);
      MakeScores(block, keys, {row / block.group, row % block.group}, packed.tokens, columns, s);
      BackwardRow(block, keys, g, row, columns, at.q + row * at.step_stride, products, s);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
