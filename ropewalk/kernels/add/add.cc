#include "ropewalk/kernels/add/add.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ropewalk/kernels/add/add.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ropewalk/kernels/lower32-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;

// philox4x32 of base/random.h for as many consecutive counters as 64-bit lanes: word j of counter n
// goes to the lower, then the upper half of words[2 n + j / 2].
HWY_INLINE void PhiloxVector(uint64_t key, uint64_t counter, uint64_t* words) {
  const DU64 d;
  const VU64 low = hn::Set(d, 0xFFFFFFFFu);
  const VU64 m0 = hn::Set(d, 0xD2511F53u), m1 = hn::Set(d, 0xCD9E8D57u);
  const VU64 counters = hn::Add(hn::Set(d, counter), hn::Iota(d, 0));
  VU64 c0 = hn::And(counters, low), c1 = hn::ShiftRight<32>(counters);
  VU64 c2 = hn::Zero(d), c3 = hn::Zero(d);
  auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const VU64 p0 = MulLower32(m0, c0), p1 = MulLower32(m1, c2);
    c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c1), hn::Set(d, k0));
    c1 = hn::And(p1, low);
    c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c3), hn::Set(d, k1));
    c3 = hn::And(p0, low);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  hn::StoreInterleaved2(hn::Or(c0, hn::ShiftLeft<32>(c1)), hn::Or(c2, hn::ShiftLeft<32>(c3)), d,
                        words);
}

// factor where the element is kept, 0 where it is dropped, for elements first .. first + count - 1.
// `words` has room for (count + 4) / 2 + 2 Lanes(DU64()) numbers.
HWY_INLINE void DropoutFactors(const Dropout& dropout, uint64_t first, int64_t count,
                               uint64_t* words, float* factors) {
  const auto lanes = static_cast<int64_t>(4 * hn::Lanes(DU64()));
  const auto skip = static_cast<int64_t>(first % 4);
  for (int64_t i = 0; i < skip + count; i += lanes)
    PhiloxVector(dropout.seed, first / 4 + static_cast<uint64_t>(i / 4), words + i / 2);
  // uniform_at, 24 bits of a word, against the probability in the same units.
  const auto least = static_cast<uint32_t>(std::ceil(dropout.probability * 0x1p24));
  const float factor =
      dropout.probability < 1 ? static_cast<float>(1 / (1 - dropout.probability)) : 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = skip + i;
    const auto word = static_cast<uint32_t>(words[at / 2] >> (at % 2 * 32));
    factors[i] = word >> 8 >= least ? factor : 0;
  }
}

constexpr int64_t kAhead = 1024;  // floats, as far as rotations prefetch

// out = x + addend (+ dropout where `factors` are given), all of stride 1.
void AddAdjacent(const float* x, const float* addend, const float* factors, float* out,
                 int64_t count) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hwy::Prefetch(x + i + kAhead);
    auto value = hn::LoadU(d, x + i);
    if (addend != nullptr) value = hn::Add(value, hn::LoadU(d, addend + i));
    if (factors != nullptr) {
      const auto factor = hn::LoadU(d, factors + i);
      // A dropped NaN or infinity is 0 too.
      value = hn::IfThenElseZero(hn::Ne(factor, hn::Zero(d)), hn::Mul(value, factor));
    }
    hn::StoreU(value, d, out + i);
  }
  for (; i < count; ++i) {
    const float value = addend == nullptr ? x[i] : x[i] + addend[i];
    out[i] = factors == nullptr ? value : factors[i] != 0 ? value * factors[i] : 0;
  }
}

void AddRowOf(ConstFloatRow x, ConstFloatRow addend, FloatRow out, int64_t count,
              const Dropout& dropout, uint64_t first_element) {
  constexpr int64_t kAtOnce = 256;
  uint64_t words[(kAtOnce + 4) / 2 + HWY_MAX_BYTES / 4];
  float factors[kAtOnce];
  const bool drops = dropout.probability > 0;
  const bool adjacent =
      x.stride == 1 && out.stride == 1 && (addend.data == nullptr || addend.stride == 1);
  const int64_t at_once = drops ? kAtOnce : count;
  for (int64_t begin = 0; begin < count; begin += at_once) {
    const int64_t n = std::min(at_once, count - begin);
    if (drops)
      DropoutFactors(dropout, first_element + static_cast<uint64_t>(begin), n, words, factors);
    const float* const factor = drops ? factors : nullptr;
    if (adjacent) {
      AddAdjacent(x.data + begin, addend.data == nullptr ? nullptr : addend.data + begin, factor,
                  out.data + begin, n);
      continue;
    }
    for (int64_t i = 0; i < n; ++i) {
      const int64_t c = begin + i;
      float value = x.data[c * x.stride];
      if (addend.data != nullptr) value += addend.data[c * addend.stride];
      if (drops) value = factors[i] != 0 ? value * factors[i] : 0;
      out.data[c * out.stride] = value;
    }
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
