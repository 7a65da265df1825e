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

void CosSinRowsOf(const RowSource& source, int64_t first, int64_t rows, int64_t stride, float* cos,
                  float* sin) {
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t position = first + row;
    CosSinRow(source, &position, cos + row * stride, sin + row * stride);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ropewalk {

HWY_EXPORT(CosSinRowOf);
HWY_EXPORT(CosSinRowsOf);

RowSource row_source(const Spectrum& spectrum, double scale, bool negate_sin) {
  RowSource source{.hi = spectrum.turns.hi.data(),
                   .mid = spectrum.turns.mid.data(),
                   .lo = spectrum.turns.lo.data()};
  source.pairs = static_cast<int64_t>(spectrum.inv_freq.size());
  source.scale = scale;
  source.negate_sin = negate_sin;
  for (int32_t axis : spectrum.axis) {
    if (axis != 0) source.axis = spectrum.axis.data();
  }
  for (int64_t i = 0; i < source.pairs; ++i) {
    const bool zero = (source.hi[i] | source.mid[i] | source.lo[i]) == 0;
    // Within 2^-62 of a whole turn, 128 bits do not hold enough digits of p * frequency.
    const uint64_t from_whole = source.hi[i] + 2;
    source.wide |= !zero && from_whole < 5;
  }
  return source;
}

void cos_sin_row(const RowSource& source, const int64_t* positions, float* cos, float* sin) {
  HWY_DYNAMIC_DISPATCH(CosSinRowOf)(source, positions, cos, sin);
}

void cos_sin_rows(const RowSource& source, int64_t first, int64_t rows, int64_t stride, float* cos,
                  float* sin) {
  HWY_DYNAMIC_DISPATCH(CosSinRowsOf)(source, first, rows, stride, cos, sin);
}

}  // namespace ropewalk
#endif
