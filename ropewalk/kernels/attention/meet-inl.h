// A block of queries meets a block of keys. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ATTENTION_MEET_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ATTENTION_MEET_INL_H_
#undef ROPEWALK_KERNELS_ATTENTION_MEET_INL_H_
#else
#define ROPEWALK_KERNELS_ATTENTION_MEET_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "ropewalk/kernels/attention/pack-inl.h"
#include "ropewalk/kernels/attention/scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Of two keys at once where they are pairs of bf16.
template <class Step>
constexpr int64_t kKeysOfStep = std::is_same_v<Step, FloatStep> ? 1 : 2;

// The keys of the block that some row of a tile sees, and those of each row.
struct Tile {
  int64_t first_row, first = kAttentionKeys, last = 0;
  int64_t row_first[kTileRows], row_last[kTileRows];

  bool empty() const { return first >= last; }
};

HWY_INLINE Tile FindTile(const AttentionBlock& block, const AttentionKeys& keys,
                         int64_t first_row) {
  Tile tile;
  tile.first_row = first_row;
  for (int r = 0; r < kTileRows; ++r) {
    int64_t first = 0, last = 0;
    if (first_row + r < block.rows()) {
      const int64_t query = (first_row + r) / block.group;
      first = std::clamp<int64_t>(block.begin[query] - keys.first, 0, keys.count);
      last = std::clamp<int64_t>(block.end[query] - keys.first, 0, keys.count);
    }
    tile.row_first[r] = first;
    tile.row_last[r] = std::max(first, last);
    if (first >= last) continue;
    tile.first = std::min(tile.first, first);
    tile.last = std::max(tile.last, last);
  }
  return tile;
}

// Of a tile's keys, those that its products are made with: whole vectors.
template <class Step>
HWY_INLINE Columns ColumnsOf(const Tile& tile) {
  const int64_t whole = kKeysOfStep<Step> * static_cast<int64_t>(hn::Lanes(DF()));
  return {tile.first / whole * whole, (tile.last + whole - 1) / whole * whole, 0, 0};
}

// The products of a tile's queries with the keys of one panel, into rows of kAttentionKeys.
template <class Step>
HWY_INLINE void ProductsOfPanel(const Places& at, const float* keys, const Tile& tile,
                                int64_t panel, float* scores) {
  const Columns columns = ColumnsOf<Step>(tile);
  const auto lanes = static_cast<int64_t>(hn::Lanes(DF()));
  const int64_t width = PanelWidth(), c = panel * width;
  if (tile.empty() || c >= columns.end || c + width <= columns.begin) return;
  const TileRows q{at.q + tile.first_row * at.step_stride, at.step_stride};
  const TileRows k{keys + c * at.steps, width};
  float* const to = scores + c;
  switch (std::min<int64_t>((columns.end - c) / lanes, kTileVectors)) {
    case 1:
      return StoreProduct<Step, 1>(q, k, at.steps, to, kAttentionKeys);
    case 2:
      return StoreProduct<Step, 2>(q, k, at.steps, to, kAttentionKeys);
    case 3:
      return StoreProduct<Step, 3>(q, k, at.steps, to, kAttentionKeys);
    default:
      return StoreProduct<Step, 4>(q, k, at.steps, to, kAttentionKeys);
  }
}

// Which keys a row sees: looked at where some value is not finite.
using SeenKeys = bool[kAttentionKeys];

HWY_INLINE void FindSeen(const Columns& columns, const float* s, SeenKeys& seen) {
  std::fill_n(seen, kAttentionKeys, false);
  for (int64_t j = columns.first; j < columns.last; ++j) seen[j] = s[j] != kHiddenScore;
}

// The scores of a tile become weights; factors[r]: what sums of row r are to be multiplied by. All
// rows' largest scores come before any weight: what one row waits for, the next ones fill.
template <class Step>
HWY_INLINE void WeighTile(const AttentionBlock& block, const Places& at, const AttentionKeys& keys,
                          const int32_t* tokens, const Tile& tile, float* scores, float* factors,
                          SeenKeys* seen) {
  Columns columns = ColumnsOf<Step>(tile);
  const AttentionScoring& how = *block.scoring;
  const auto lanes = static_cast<int64_t>(hn::Lanes(DF()));
  const bool plain = how.plain();
  const float to_log2 = plain ? how.scale * kLog2E : kLog2E;
  const auto state = [&](int64_t r) {
    const int64_t row = tile.first_row + r;
    return RowState{at.largest + row, at.totals + row * lanes};
  };
  for (int r = 0; r < kTileRows; ++r) {
    float* const s = scores + r * kAttentionKeys;
    const int64_t row = tile.first_row + r;
    columns.first = tile.row_first[r];
    columns.last = tile.row_last[r];
    factors[r] = 1;
    if (columns.first < columns.last) {
      if (!plain) {
        MakeScores(block, keys, {row / block.group, row % block.group}, tokens, columns, s);
      }
      HideScores(columns, s);
      factors[r] = FindLargest(columns, to_log2, state(r), s);
    }
    if (!keys.finite) FindSeen(columns, s, seen[r]);
  }
  for (int r = 0; r < kTileRows; ++r) {
    float* const s = scores + r * kAttentionKeys;
    if (tile.row_first[r] < tile.row_last[r]) {
      WeighRow<kKeysOfStep<Step> == 2>(columns, to_log2, state(r), factors[r], s);
    } else {
      std::fill(s + columns.begin / kKeysOfStep<Step>, s + columns.end / kKeysOfStep<Step>, 0.0f);
    }
  }
}

// sums of one row and one vector of channels, without the values that the row does not see.
template <class Step>
HWY_INLINE void AddSeen(const float* weights, const bool* seen, TileRows v, int64_t steps,
                        float factor, float* to) {
  const DF d;
  VF sum = hn::Zero(d);
  for (int64_t step = 0; step < steps; ++step, seen += kKeysOfStep<Step>) {
    VF value = hn::Load(d, v.data + step * v.stride);
    if constexpr (kKeysOfStep<Step> == 2) {
      const hn::RebindToUnsigned<DF> du;
      const uint32_t kept = (seen[0] ? 0xFFFFu : 0) | (seen[1] ? 0xFFFF0000u : 0);
      value = hn::BitCast(d, hn::And(hn::BitCast(du, value), hn::Set(du, kept)));
    } else if (!seen[0]) {
      continue;
    }
    sum = Step::Add(hn::Set(d, weights[step]), value, sum);
  }
  hn::Store(hn::MulAdd(hn::Load(d, to), hn::Set(d, factor), sum), d, to);
}

// The sums of a tile take the values times their weights.
template <class Step>
HWY_INLINE void AddValues(const AttentionBlock& block, const Places& at, const Tile& tile,
                          const float* values, int64_t panel, const float* weights,
                          const float* factors, const SeenKeys* seen) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(DF()));
  const int64_t width = PanelWidth(), channel = panel * width;
  constexpr int64_t kKeys = kKeysOfStep<Step>;
  const int64_t first = tile.first / kKeys, last = (tile.last + kKeys - 1) / kKeys;
  const TileRows p{weights + first, kAttentionKeys},
      v{values + panel * kAttentionKeys * width + first * width, width};
  float* const to = at.sums + tile.first_row * at.value_stride + channel;
  const int64_t vectors =
      std::min<int64_t>((block.value_dim - channel + lanes - 1) / lanes, kTileVectors);
  if (seen != nullptr) {
    for (int r = 0; r < kTileRows; ++r) {
      for (int64_t c = 0; c < vectors; ++c) {
        AddSeen<Step>(p.data + r * kAttentionKeys, seen[r] + first * kKeys,
                      {v.data + c * lanes, width}, last - first, factors[r],
                      to + r * at.value_stride + c * lanes);
      }
    }
    return;
  }
  switch (vectors) {
    case 1:
      return AddProduct<Step, 1>(p, v, last - first, factors, to, at.value_stride);
    case 2:
      return AddProduct<Step, 2>(p, v, last - first, factors, to, at.value_stride);
    case 3:
      return AddProduct<Step, 3>(p, v, last - first, factors, to, at.value_stride);
    default:
      return AddProduct<Step, 4>(p, v, last - first, factors, to, at.value_stride);
  }
}

template <class Step>
void MeetAs(const AttentionBlock& block, const AttentionKeys& keys) {
  const Places at = PlacesOf(block);
  const KeyPlaces packed = KeyPlacesOf(block, keys.memory);
  constexpr int64_t kTiles = kStripRows / kTileRows;
  for (int64_t strip = 0; strip < at.rows; strip += kStripRows) {
    Tile tiles[kTiles];
    float factors[kStripRows];
    SeenKeys seen[kStripRows];
    const int64_t count = std::min(kTiles, (at.rows - strip) / kTileRows);
    for (int64_t t = 0; t < count; ++t) {
      tiles[t] = FindTile(block, keys, strip + t * kTileRows);
    }
    for (int64_t panel = 0; panel * PanelWidth() < keys.count; ++panel) {
      for (int64_t t = 0; t < count; ++t) {
        ProductsOfPanel<Step>(at, packed.k, tiles[t], panel,
                              at.scores + t * kTileRows * kAttentionKeys);
      }
    }
    for (int64_t t = 0; t < count; ++t) {
      if (tiles[t].empty()) continue;
      WeighTile<Step>(block, at, keys, packed.tokens, tiles[t],
                      at.scores + t * kTileRows * kAttentionKeys, factors + t * kTileRows,
                      seen + t * kTileRows);
    }
    for (int64_t panel = 0; panel * PanelWidth() < block.value_dim; ++panel) {
      for (int64_t t = 0; t < count; ++t) {
        if (tiles[t].empty()) continue;
        AddValues<Step>(block, at, tiles[t], packed.v, panel,
                        at.scores + t * kTileRows * kAttentionKeys, factors + t * kTileRows,
                        keys.finite ? nullptr : seen + t * kTileRows);
      }
    }
  }
}

HWY_INLINE void StoreFloat(float value, char* to) { std::memcpy(to, &value, sizeof(value)); }

template <class Step>
void WriteScoresAs(const AttentionBlock& block, const AttentionKeys& keys,
                   const AttentionOutput& out) {
  const Places at = PlacesOf(block);
  const KeyPlaces packed = KeyPlacesOf(block, keys.memory);
  for (int64_t first = 0; first < at.rows; first += kTileRows) {
    const Tile tile = FindTile(block, keys, first);
    if (tile.empty()) continue;
    for (int64_t panel = 0; panel * PanelWidth() < keys.count; ++panel) {
      ProductsOfPanel<Step>(at, packed.k, tile, panel, at.scores);
    }
    Columns columns = ColumnsOf<Step>(tile);
    for (int64_t r = 0; r < kTileRows && first + r < block.rows(); ++r) {
      const int64_t query = (first + r) / block.group, head = (first + r) % block.group;
      float* const s = at.scores + r * kAttentionKeys;
      columns.first = tile.row_first[r];
      columns.last = tile.row_last[r];
      if (columns.first >= columns.last) continue;
      MakeScores(block, keys, {query, head}, packed.tokens, columns, s);
      char* const to = out.data + query * out.query_stride + head * out.head_stride;
      for (int64_t j = columns.first; j < columns.last; ++j) {
        StoreFloat(s[j], to + keys.number(j) * out.channel_stride);
      }
    }
  }
}

HWY_INLINE char* OutputRow(const AttentionBlock& block, const AttentionOutput& out, int64_t row) {
  return out.data + row / block.group * out.query_stride + row % block.group * out.head_stride;
}

// Sums over totals, with the sink.
HWY_INLINE void FinishRow(const AttentionBlock& block, const Places& at, int64_t row,
                          const AttentionOutput& out) {
  const DF d;
  const AttentionScoring& how = *block.scoring;
  const int64_t query = row / block.group, head = row % block.group;
  // Scores as far as the largest float: their logarithms to base 2 are beyond it.
  const double unit = how.plain() ? how.scale : 1;
  const bool none = block.begin[query] >= block.end[query] || at.largest[row] == kHiddenScore;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  float total = hn::GetLane(hn::SumOfLanes(d, hn::Load(d, at.totals + row * lanes)));
  double largest = none ? 0 : at.largest[row] * unit;
  float factor = 1;
  if (how.sinks != nullptr && !none) {
    const double sink = how.sinks[head], most = std::max(largest, sink);
    factor = Exp2One(static_cast<float>(largest - most) * kLog2E);
    total = total * factor + Exp2One(static_cast<float>(sink - most) * kLog2E);
    largest = most;
  }
  // A NaN among the scores left the largest as it was, and is in the total.
  const bool nothing = none && !(total != total);
  if (nothing) total = 1;
  char* const to = OutputRow(block, out, row);
  if (row + kRowsAhead < block.rows()) {
    FetchRow(OutputRow(block, out, row + kRowsAhead), block.value_dim * out.channel_stride);
  }
  const float* const sums = at.sums + row * at.value_stride;
  const VF share = hn::Set(d, factor / total);
  for (int64_t c = 0; c < block.value_dim; c += lanes) {
    VF mean = hn::Mul(hn::Load(d, sums + c), share);
    if (nothing) mean = hn::Zero(d);
    if (out.channel_stride == 4 && c + lanes <= block.value_dim) {
      StoreBytes(mean, d, to + 4 * c);
      continue;
    }
    hn::Store(mean, d, at.scratch);
    for (int64_t i = 0; i < lanes && c + i < block.value_dim; ++i) {
      StoreFloat(at.scratch[i], to + (c + i) * out.channel_stride);
    }
  }
  if (out.lse == nullptr) return;
  const auto lse = static_cast<float>(largest + std::log(static_cast<double>(total)));
  StoreFloat(nothing ? kHiddenScore : lse,
             out.lse + query * out.lse_query_stride + head * out.lse_head_stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
