// Where things lie in the memory of a block. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ATTENTION_MEMORY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ATTENTION_MEMORY_INL_H_
#undef ROPEWALK_KERNELS_ATTENTION_MEMORY_INL_H_
#else
#define ROPEWALK_KERNELS_ATTENTION_MEMORY_INL_H_
#endif

#include <algorithm>

#include "ropewalk/kernels/attention/attention_kernel.h"
#include "ropewalk/kernels/attention/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows that meet a block of keys one after the other, so that the keys, then the values, stay in
// the first cache: a few tiles.
constexpr int64_t kStripRows = 4 * kTileRows;

// Hands out parts of a memory, at multiples of 64 bytes; counts them where there is none yet.
struct Taker {
  float* memory;
  int64_t numbers = 0;

  float* take(int64_t count) {
    float* const here = memory == nullptr ? nullptr : memory + numbers;
    numbers += (count + 15) / 16 * 16;
    return here;
  }
};

HWY_INLINE int64_t Filled(int64_t count, int64_t whole) {
  return (count + whole - 1) / whole * whole;
}

HWY_INLINE int64_t StepsOf(const AttentionBlock& block) {
  return block.bf16_products ? (block.head_dim + 1) / 2 : block.head_dim;
}

// Of a block of queries.
struct Places {
  int64_t rows;          // of the block, filled to whole tiles
  int64_t steps;         // of a product of q and k
  int64_t step_stride;   // from row to row of q
  int64_t value_stride;  // from row to row of sums: channels, filled to whole vectors
  float *q, *sums, *largest, *totals, *scores, *scratch;
  int64_t numbers;  // of all
};

HWY_INLINE Places PlacesOf(const AttentionBlock& block) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(DF()));
  Places at;
  at.rows = Filled(block.rows(), kTileRows);
  at.steps = StepsOf(block);
  at.step_stride = Filled(at.steps, 16);
  at.value_stride = Filled(block.value_dim, std::max<int64_t>(lanes, 16));
  Taker memory{block.memory};
  at.q = memory.take(at.rows * at.step_stride);
  at.sums = memory.take(at.rows * at.value_stride);
  at.largest = memory.take(at.rows);
  at.totals = memory.take(at.rows * lanes);
  at.scores = memory.take(kStripRows * kAttentionKeys);
  at.scratch = memory.take(lanes);
  at.numbers = memory.numbers;
  return at;
}

// Of a block of keys.
struct KeyPlaces {
  int64_t steps, step_stride, value_stride;
  float* k;         // [panel][step][key of the panel]
  float* v;         // [panel][key, or pair][channel of the panel]
  int32_t* tokens;  // of each key, from that of the first on
  float* scratch;   // four rows of k, or two of v
  int64_t numbers;
};

HWY_INLINE KeyPlaces KeyPlacesOf(const AttentionBlock& block, float* at) {
  KeyPlaces keys;
  keys.steps = StepsOf(block);
  keys.step_stride = Filled(keys.steps, 16);
  keys.value_stride = Filled(block.value_dim, 16);
  Taker memory{at};
  keys.k = memory.take(kAttentionKeys * keys.steps);
  keys.v = memory.take(kAttentionKeys * Filled(block.value_dim, PanelWidth()));
  keys.tokens = reinterpret_cast<int32_t*>(memory.take(kAttentionKeys));
  keys.scratch = memory.take(std::max(4 * keys.step_stride, 2 * keys.value_stride));
  keys.numbers = memory.numbers;
  return keys;
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
