#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "ropewalk/base/half.h"
#include "ropewalk/kernels/rows/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ropewalk/kernels/rows/half_rows.cc"
#include <hwy/foreach_target.h>

#include "ropewalk/kernels/simd/numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What a type keeps of a float: the bits below are `kHalf` on a tie, if it is at least kNormal.
struct TiesOfBF16 {
  static constexpr uint32_t kRest = 0xFFFF, kHalf = 0x8000;
  static constexpr float kNormal = 0x1p-126f;
};
struct TiesOfF16 {
  static constexpr uint32_t kRest = 0x1FFF, kHalf = 0x1000;
  static constexpr float kNormal = 0x1p-14f;
};

// True where a float lies on a tie, or is so small that it may, or becomes a zero.
template <class Ties, class D>
HWY_INLINE hn::Mask<U32<D>> Doubtful(hn::Vec<D> v, D d) {
  const U32<D> du;
  const auto rest = hn::And(hn::BitCast(du, v), hn::Set(du, Ties::kRest));
  const auto small = hn::RebindMask(du, hn::Lt(hn::Abs(v), hn::Set(d, Ties::kNormal)));
  return hn::Or(hn::Eq(rest, hn::Set(du, Ties::kHalf)), small);
}

// Rounds whole vectors, the rest of `count` one by one; true if some number is doubtful.
template <class T, class Ties>
HWY_INLINE bool RoundRow(const float* from, int64_t count, uint16_t* to) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const hn::CappedTag<float, 1> d1;
  auto doubts = hn::Zero(U32<DF>());
  bool doubt = false;
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const VF v = hn::LoadU(d, from + i);
    doubts = hn::Or(doubts, hn::VecFromMask(U32<DF>(), Doubtful<Ties>(v, d)));
    T::template Store<Plain>(v, d, to + i);
  }
  for (; i < count; ++i) {
    const auto v = hn::Set(d1, from[i]);
    doubt |= !hn::AllFalse(U32<decltype(d1)>(), Doubtful<Ties>(v, d1));
    T::template Store<Plain>(v, d1, to + i);
  }
  return doubt || !hn::AllTrue(U32<DF>(), hn::Eq(doubts, hn::Zero(U32<DF>())));
}

bool RoundRowTo(DType dtype, const float* from, int64_t count, uint16_t* to) {
  return dtype == DType::f16 ? RoundRow<F16, TiesOfF16>(from, count, to)
                             : RoundRow<BF16, TiesOfBF16>(from, count, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ropewalk {
namespace {

HWY_EXPORT(RoundRowTo);

// Whether a float is the midpoint of two numbers of the format.
bool is_tie(float value, const FloatFormat& format) {
  if (value == 0 || !std::isfinite(value)) return false;
  // The exponent of half of the last place.
  const int half = std::max(std::ilogb(value), format.least_exponent) - format.digits;
  return std::fmod(std::ldexp(std::fabs(static_cast<double>(value)), -half), 2.0) == 1;
}

// One row of floats as numbers of the 16-bit type; where a float lies on a tie, the exact number
// says from which side.
void round_row(const RowSource& source, DType dtype, int64_t position, const float* row_cos,
               const float* row_sin, uint16_t* cos, uint16_t* sin) {
  const bool in_cos = HWY_DYNAMIC_DISPATCH(RoundRowTo)(dtype, row_cos, source.pairs, cos);
  const bool in_sin = HWY_DYNAMIC_DISPATCH(RoundRowTo)(dtype, row_sin, source.pairs, sin);
  if (!in_cos && !in_sin) return;
  const bool f16 = dtype == DType::f16;
  const FloatFormat& format = f16 ? kF16Format : kBf16Format;
  const auto rounded = [&](float value) {
    return f16 ? f16_from_float(value) : bf16_from_float(value);
  };
  for (int64_t i = 0; i < source.pairs; ++i) {
    if (is_tie(row_cos[i], format) || is_tie(row_sin[i], format)) {
      float c, s;
      cos_sin_exactly(source, i, position, &c, &s, format);
      cos[i] = rounded(c);
      sin[i] = rounded(s);
    }
    // As in rows of floats, zero has no sign.
    if (cos[i] == 0x8000) cos[i] = 0;
    if (sin[i] == 0x8000) sin[i] = 0;
  }
}

}  // namespace

void cos_sin_half_run(const RowSource& source, const RowSteps& steps, DType dtype, int64_t first,
                      int64_t rows, int64_t stride, uint16_t* cos, uint16_t* sin) {
  const int64_t pairs = source.pairs;
  const int64_t at_once = std::clamp<int64_t>(65536 / std::max<int64_t>(pairs, 1), 1, 32);
  std::vector<float> floats(static_cast<size_t>(2 * pairs * std::min(at_once, rows)));
  for (int64_t begin = 0; begin < rows; begin += at_once) {
    const int64_t count = std::min(at_once, rows - begin);
    cos_sin_run(source, steps, first + begin, count, 2 * pairs, floats.data(),
                floats.data() + pairs);
    for (int64_t r = 0; r < count; ++r) {
      const float* const row = floats.data() + 2 * r * pairs;
      const int64_t to = (begin + r) * stride;
      round_row(source, dtype, first + begin + r, row, row + pairs, cos + to, sin + to);
    }
  }
}

}  // namespace ropewalk
#endif
