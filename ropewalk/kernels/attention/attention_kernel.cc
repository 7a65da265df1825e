#include "ropewalk/kernels/attention/attention_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ropewalk/kernels/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ropewalk/kernels/attention/attention_kernel.cc"
#include <hwy/foreach_target.h>

#include "ropewalk/kernels/attention/backward-inl.h"
#include "ropewalk/kernels/attention/decode-inl.h"
#include "ropewalk/kernels/attention/exp-inl.h"
#include "ropewalk/kernels/attention/meet-inl.h"
#include "ropewalk/kernels/attention/pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {

int64_t Memory(const AttentionBlock& block) { return PlacesOf(block).numbers; }

int64_t KeyMemory(const AttentionBlock& block) { return KeyPlacesOf(block, nullptr).numbers; }

void Pack(const AttentionBlock& block, AttentionKeys& keys) {
  const KeyPlaces at = KeyPlacesOf(block, keys.memory);
  PackKeys(block, at, keys);
  PackTokens(at, keys);
  keys.finite = keys.v.data == nullptr || PackValues(block, at, keys);
}

void Start(const AttentionBlock& block, const AttentionRows& q) {
  const Places at = PlacesOf(block);
  PackQueries(block, at, q);
  std::fill_n(at.sums, at.rows * at.value_stride, 0.0f);
  std::fill_n(at.largest, at.rows, kHiddenScore);
  std::fill_n(at.totals, at.rows * static_cast<int64_t>(hn::Lanes(DF())), 0.0f);
}

void Meet(const AttentionBlock& block, const AttentionKeys& keys) {
#if ROPEWALK_BF16_IN_HARDWARE
  if (block.bf16_products) return MeetAs<Bf16Step>(block, keys);
#endif
  MeetAs<FloatStep>(block, keys);
}

template <class K>
void MeetOneAs(const AttentionBlock* blocks, int64_t count, const AttentionKeys& keys) {
  if (keys.v.dtype == DType::f32) return MeetQueriesAs<AsFloats<K, F32>>(blocks, count, keys);
  if (keys.v.dtype == DType::bf16) return MeetQueriesAs<AsFloats<K, BF16>>(blocks, count, keys);
  MeetQueriesAs<AsFloats<K, F16>>(blocks, count, keys);
}

void MeetOne(const AttentionBlock* blocks, int64_t count, const AttentionKeys& keys) {
#if ROPEWALK_BF16_IN_HARDWARE
  if (blocks->bf16_products) return MeetQueriesAs<AsPairs>(blocks, count, keys);
#endif
  if (keys.k.dtype == DType::i8) return MeetQueriesAs<AsFloats<I8, I8>>(blocks, count, keys);
  if (keys.k.dtype == DType::f32) return MeetOneAs<F32>(blocks, count, keys);
  if (keys.k.dtype == DType::bf16) return MeetOneAs<BF16>(blocks, count, keys);
  MeetOneAs<F16>(blocks, count, keys);
}

void Merge(const AttentionBlock& into, const AttentionBlock& from) {
  const Places to = PlacesOf(into), other = PlacesOf(from);
  for (int64_t row = 0; row < into.rows(); ++row) MergeRow(into, to, other, row);
}

void WriteScores(const AttentionBlock& block, const AttentionKeys& keys,
                 const AttentionOutput& out) {
#if ROPEWALK_BF16_IN_HARDWARE
  if (block.bf16_products) return WriteScoresAs<Bf16Step>(block, keys, out);
#endif
  WriteScoresAs<FloatStep>(block, keys, out);
}

void Backward(const AttentionBlock& block, const AttentionKeys& keys,
              const AttentionGradients& gradients) {
  BackwardOf(block, keys, gradients);
}

void Finish(const AttentionBlock& block, const AttentionOutput& out) {
  const Places at = PlacesOf(block);
  for (int64_t r = 0; r < block.rows(); ++r) FinishRow(block, at, r, out);
}

void Exp2All(const float* x, int64_t count, float* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = Exp2One(x[i]);
}

void TanhAll(const float* x, int64_t count, float* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = hn::GetLane(Tanh(hn::Set(DF(), x[i])));
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ropewalk {

HWY_EXPORT(Memory);
HWY_EXPORT(KeyMemory);
HWY_EXPORT(Pack);
HWY_EXPORT(Start);
HWY_EXPORT(Meet);
HWY_EXPORT(MeetOne);
HWY_EXPORT(Merge);
HWY_EXPORT(WriteScores);
HWY_EXPORT(Backward);
HWY_EXPORT(Finish);
HWY_EXPORT(Exp2All);
HWY_EXPORT(TanhAll);

bool attention_bf16_products() { return bf16_conversion_allowed(); }

int64_t attention_memory(const AttentionBlock& block) {
  return HWY_DYNAMIC_DISPATCH(Memory)(block);
}

int64_t attention_key_memory(const AttentionBlock& block) {
  return HWY_DYNAMIC_DISPATCH(KeyMemory)(block);
}

void attention_pack(const AttentionBlock& block, AttentionKeys& keys) {
  HWY_DYNAMIC_DISPATCH(Pack)(block, keys);
}

void attention_start(const AttentionBlock& block, const AttentionRows& q) {
  HWY_DYNAMIC_DISPATCH(Start)(block, q);
}

void attention_meet(const AttentionBlock& block, const AttentionKeys& keys) {
  HWY_DYNAMIC_DISPATCH(Meet)(block, keys);
}

void attention_meet_one(const AttentionBlock* blocks, int64_t count, const AttentionKeys& keys) {
  HWY_DYNAMIC_DISPATCH(MeetOne)(blocks, count, keys);
}

void attention_merge(const AttentionBlock& into, const AttentionBlock& from) {
  HWY_DYNAMIC_DISPATCH(Merge)(into, from);
}

void attention_write_scores(const AttentionBlock& block, const AttentionKeys& keys,
                            const AttentionOutput& out) {
  HWY_DYNAMIC_DISPATCH(WriteScores)(block, keys, out);
}

void attention_backward(const AttentionBlock& block, const AttentionKeys& keys,
                        const AttentionGradients& gradients) {
  HWY_DYNAMIC_DISPATCH(Backward)(block, keys, gradients);
}

void attention_finish(const AttentionBlock& block, const AttentionOutput& out) {
  HWY_DYNAMIC_DISPATCH(Finish)(block, out);
}

void attention_exp2(const float* x, int64_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(Exp2All)(x, count, to);
}

void attention_tanh(const float* x, int64_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(TanhAll)(x, count, to);
}

}  // namespace ropewalk
#endif
