#include "ropewalk/kernels/add/add.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ropewalk/kernels/add/add.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ropewalk/kernels/simd/lower32-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;

// The upper 32 bits of each lane in the place of the lower ones; what goes up is left over.
HWY_INLINE VU64 Upper32(VU64 v) {
#if HWY_TARGET == HWY_SCALAR
  return hn::ShiftRight<32>(v);
#else
  // A shuffle, because the multiplications already fill the ports of shifts.
  const hn::Repartition<uint32_t, DU64> du32;
  return hn::BitCast(DU64(), hn::Shuffle2301(hn::BitCast(du32, v)));
#endif
}

// philox4x32 of base/random.h for as many consecutive counters as 64-bit lanes: its words in order,
// from words[0] on. Only the lower halves of lanes count until the end.
HWY_INLINE void PhiloxVector(const uint64_t (&keys)[10][2], uint64_t counter, uint32_t* words) {
  const DU64 d;
  const VU64 m0 = hn::Set(d, 0xD2511F53u), m1 = hn::Set(d, 0xCD9E8D57u);
  VU64 c0 = hn::Add(hn::Set(d, counter), hn::Iota(d, 0)), c1 = hn::ShiftRight<32>(c0);
  VU64 c2 = hn::Zero(d), c3 = hn::Zero(d);
  for (const auto& [k0, k1] : keys) {
    const VU64 p0 = MulLower32(m0, c0), p1 = MulLower32(m1, c2);
    c0 = hn::Xor(hn::Xor(Upper32(p1), c1), hn::Set(d, k0));
    c1 = p1;
    c2 = hn::Xor(hn::Xor(Upper32(p0), c3), hn::Set(d, k1));
    c3 = p0;
  }
#if HWY_TARGET == HWY_SCALAR
  const VU64 results[] = {c0, c1, c2, c3};
  for (int i = 0; i < 4; ++i) words[i] = static_cast<uint32_t>(hn::GetLane(results[i]));
#else
  const auto both = [&](VU64 first, VU64 second) HWY_ATTR {  // in the order of memory
    if constexpr (std::endian::native == std::endian::big) std::swap(first, second);
    return hn::Or(hn::And(first, hn::Set(d, 0xFFFFFFFFu)), hn::ShiftLeft<32>(second));
  };
  hn::StoreInterleaved2(both(c0, c1), both(c2, c3), d, reinterpret_cast<uint64_t*>(words));
#endif
}

constexpr int64_t kAtOnce = 256;  // elements whose words lie in memory together

// The words of some elements, and what is made of them: an element is kept, times `factor`, when 24
// bits of its word are at least `least`.
struct Draws {
  uint32_t least;
  float factor;
  uint64_t keys[10][2];
  HWY_ALIGN uint32_t memory[kAtOnce + 4 + 4 * HWY_MAX_BYTES / 8];

  explicit Draws(const Dropout& dropout) {
    // uniform_at against the probability, both in 2^-24.
    least = static_cast<uint32_t>(std::ceil(dropout.probability * 0x1p24));
    factor = dropout.probability < 1 ? static_cast<float>(1 / (1 - dropout.probability)) : 0;
    auto k0 = static_cast<uint32_t>(dropout.seed), k1 = static_cast<uint32_t>(dropout.seed >> 32);
    for (auto& key : keys) {
      key[0] = k0;
      key[1] = k1;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
  }
};

// The words of elements first .. first + count - 1.
HWY_INLINE const uint32_t* Draw(Draws& draws, uint64_t first, int64_t count) {
  const auto lanes = static_cast<int64_t>(4 * hn::Lanes(DU64()));
  const auto skip = static_cast<int64_t>(first % 4);
  for (int64_t i = 0; i < skip + count; i += lanes) {
    PhiloxVector(draws.keys, first / 4 + static_cast<uint64_t>(i / 4), draws.memory + i);
  }
  return draws.memory + skip;
}

// A dropped NaN or infinity is 0 too.
HWY_INLINE float Dropped(float value, uint32_t word, const Draws& draws) {
  return word >> 8 >= draws.least ? value * draws.factor : 0;
}

constexpr int64_t kAhead = 1024;  // floats, as far as rotations prefetch

// out = x + addend, then dropout where there are words, all of stride 1.
template <bool kAdds, bool kDrops>
HWY_INLINE void AddAdjacent(const float* x, const float* addend, const Draws* draws,
                            const uint32_t* words, float* out, int64_t count) {
  const DF d;
  const hn::RebindToSigned<DF> di;
  const hn::RebindToUnsigned<DF> du;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto least = hn::Set(di, kDrops ? static_cast<int32_t>(draws->least) - 1 : 0);
  const auto factor = hn::Set(d, kDrops ? draws->factor : 1);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hwy::Prefetch(x + i + kAhead);
    auto value = hn::LoadU(d, x + i);
    if (kAdds) value = hn::Add(value, hn::LoadU(d, addend + i));
    if (kDrops) {
      const auto word = hn::BitCast(di, hn::ShiftRight<8>(hn::LoadU(du, words + i)));
      value = hn::IfThenElseZero(hn::RebindMask(d, hn::Gt(word, least)), hn::Mul(value, factor));
    }
    hn::StoreU(value, d, out + i);
  }
  for (; i < count; ++i) {
    const float value = kAdds ? x[i] + addend[i] : x[i];
    out[i] = kDrops ? Dropped(value, words[i], *draws) : value;
  }
}

// The same at any strides.
void AddStrided(ConstFloatRow x, ConstFloatRow addend, FloatRow out, int64_t count,
                const Draws* draws, const uint32_t* words) {
  for (int64_t i = 0; i < count; ++i) {
    float value = x.data[i * x.stride];
    if (addend.data != nullptr) value += addend.data[i * addend.stride];
    out.data[i * out.stride] = words != nullptr ? Dropped(value, words[i], *draws) : value;
  }
}

void AddPart(ConstFloatRow x, ConstFloatRow addend, FloatRow out, int64_t count, const Draws* draws,
             const uint32_t* words) {
  const bool adds = addend.data != nullptr;
  if (x.stride != 1 || out.stride != 1 || (adds && addend.stride != 1)) {
    return AddStrided(x, addend, out, count, draws, words);
  }
  const float* const a = addend.data;
  if (words == nullptr) {
    adds ? AddAdjacent<true, false>(x.data, a, draws, words, out.data, count)
         : AddAdjacent<false, false>(x.data, a, draws, words, out.data, count);
  } else {
    adds ? AddAdjacent<true, true>(x.data, a, draws, words, out.data, count)
         : AddAdjacent<false, true>(x.data, a, draws, words, out.data, count);
  }
}

void AddRowOf(ConstFloatRow x, ConstFloatRow addend, FloatRow out, int64_t count,
              const Dropout& dropout, uint64_t first_element) {
  if (!(dropout.probability > 0)) return AddPart(x, addend, out, count, nullptr, nullptr);
  Draws draws(dropout);
  for (int64_t begin = 0; begin < count; begin += kAtOnce) {
    const int64_t n = std::min(kAtOnce, count - begin);
    const uint32_t* const words = Draw(draws, first_element + static_cast<uint64_t>(begin), n);
    AddPart(x, addend, out, n, &draws, words);
    x.data += n * x.stride;
    if (addend.data != nullptr) addend.data += n * addend.stride;
    out.data += n * out.stride;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ropewalk {

HWY_EXPORT(AddRowOf);

void add_row(ConstFloatRow x, ConstFloatRow addend, FloatRow out, int64_t count,
             const Dropout& dropout, uint64_t first_element) {
  HWY_DYNAMIC_DISPATCH(AddRowOf)(x, addend, out, count, dropout, first_element);
}

}  // namespace ropewalk
#endif
