#include "ropewalk/kernels/rows/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ropewalk/kernels/rows/rows.cc"
#include <hwy/foreach_target.h>

#include "ropewalk/kernels/rows/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {

void CosSinRowOf(const RowSource& source, const int64_t* positions, float* cos, float* sin) {
  CosSinRow(source, positions, cos, sin);
}

void CosSinInDoubleOf(const RowSource& source, int64_t position, double scale, double* cos,
                      double* sin) {
  CosSinInDouble(source, position, scale, 0, source.pairs, cos, sin);
}

void CosSinRunOf(const RowSource& source, const RowSteps& steps, int64_t first, int64_t rows,
                 int64_t stride, float* cos, float* sin) {
  CosSinRun<1>(source, steps, first, rows, stride, cos, sin);
}

void SinCosRunOf(const RowSource& source, const RowSteps& steps, int64_t first, int64_t rows,
                 int64_t stride, float* out) {
  CosSinRun<2>(source, steps, first, rows, stride, out + 1, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ropewalk {

HWY_EXPORT(CosSinRowOf);
HWY_EXPORT(CosSinInDoubleOf);
HWY_EXPORT(CosSinRunOf);
HWY_EXPORT(SinCosRunOf);

RowSource row_source(const Spectrum& spectrum, double scale, bool negate_sin) {
  RowSource source{.hi = spectrum.turns.hi.data(),
                   .mid = spectrum.turns.mid.data(),
                   .lo = spectrum.turns.lo.data()};
  source.pairs = static_cast<int64_t>(spectrum.inv_freq.size());
  source.scale = scale;
  source.negate_sin = negate_sin;
  int32_t axes = 0;
  for (int32_t axis : spectrum.axis) axes |= axis;
  if (axes != 0) source.axis = spectrum.axis.data();
  // Within 2^-62 of a whole turn, 128 bits do not hold enough digits of p * frequency.
  const auto near_whole = [&](int64_t i) { return source.hi[i] + 2 < 5; };
  bool any = false;
  for (int64_t i = 0; i < source.pairs; ++i) any |= near_whole(i);
  for (int64_t i = 0; i < source.pairs && any && !source.wide; ++i) {
    source.wide = near_whole(i) && (source.hi[i] | source.mid[i] | source.lo[i]) != 0;
  }
  return source;
}

void cos_sin_row(const RowSource& source, const int64_t* positions, float* cos, float* sin) {
  HWY_DYNAMIC_DISPATCH(CosSinRowOf)(source, positions, cos, sin);
}

RowSteps row_steps(const RowSource& source, int64_t rows) {
  constexpr int64_t kMost = 32;  // 32 KB for 64 pairs: they stay in the first cache
  RowSteps steps;
  // Fewer rows would not pay for the steps.
  if (rows < 2 * kMost || source.axis != nullptr) return steps;
  steps.rows = kMost;
  const auto pairs = static_cast<size_t>(source.pairs);
  steps.cos.resize(kMost * pairs);
  steps.sin.resize(kMost * pairs);
  for (int64_t r = 0; r < kMost; ++r) {
    const auto offset = static_cast<size_t>(r) * pairs;
    HWY_DYNAMIC_DISPATCH(CosSinInDoubleOf)
    (source, r, 1, steps.cos.data() + offset, steps.sin.data() + offset);
  }
  return steps;
}

void cos_sin_run(const RowSource& source, const RowSteps& steps, int64_t first, int64_t rows,
                 int64_t stride, float* cos, float* sin) {
  HWY_DYNAMIC_DISPATCH(CosSinRunOf)(source, steps, first, rows, stride, cos, sin);
}

void sin_cos_run(const RowSource& source, const RowSteps& steps, int64_t first, int64_t rows,
                 int64_t stride, float* out) {
  HWY_DYNAMIC_DISPATCH(SinCosRunOf)(source, steps, first, rows, stride, out);
}

void cos_sin_rows(const RowSource& source, int64_t first, int64_t rows, int64_t stride, float* cos,
                  float* sin) {
  cos_sin_run(source, row_steps(source, rows), first, rows, stride, cos, sin);
}

}  // namespace ropewalk
#endif
