// Products of small matrices whose sums stay in registers. Include guard as Highway wants it.
#if defined(ROPEWALK_KERNELS_ATTENTION_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_ATTENTION_TILE_INL_H_
#undef ROPEWALK_KERNELS_ATTENTION_TILE_INL_H_
#else
#define ROPEWALK_KERNELS_ATTENTION_TILE_INL_H_
#endif

#include <cstring>

#include <hwy/cache_control.h>

#include "ropewalk/kernels/simd/numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows and vectors of a tile: 24 sums and 4 loaded vectors fill the 32 registers of AVX-512 and
// NEON, 12 and 2 the 16 of the others.
constexpr int kTileRows = 6;
#if HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int kTileVectors = 4;
#else
constexpr int kTileVectors = 2;
#endif

// Columns of a panel: what a tile is wide.
HWY_INLINE int64_t PanelWidth() { return kTileVectors * static_cast<int64_t>(hn::Lanes(DF())); }

// Loops over the registers of a tile, which exist only once they are unrolled.
#if HWY_COMPILER_GCC && !HWY_COMPILER_CLANG
#define ROPEWALK_UNROLL _Pragma("GCC unroll 24")
#elif HWY_COMPILER_CLANG
#define ROPEWALK_UNROLL _Pragma("clang loop unroll(full)")
#else
#define ROPEWALK_UNROLL
#endif

// A value that stays in its register: compilers fold a load into each product that uses it, and the
// loads, not the products, then bound the loop (55 % of the peak with GCC 12, where 82 % are had).
HWY_INLINE VF InRegister(VF v) {
// Clang 14 cannot tie such a value.
#if HWY_ARCH_X86_64 && HWY_TARGET != HWY_SCALAR && HWY_COMPILER_GCC && !HWY_COMPILER_CLANG
#if HWY_TARGET == HWY_AVX3
  asm("" : "+v"(v.raw));
#else
  asm("" : "+x"(v.raw));
#endif
#endif
  return v;
}

// A step of a product: one float of either side.
struct FloatStep {
  static HWY_INLINE VF Add(VF a, VF b, VF sum) { return hn::MulAdd(a, b, sum); }
};

#if ROPEWALK_BF16_IN_HARDWARE
// Two numbers of bf16 in each 32-bit lane.
struct Bf16Step {
  static HWY_INLINE VF Add(VF a, VF b, VF sum) {
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
    return sum;
  }
};
#endif

// A matrix of 32-bit steps, row by row.
struct TileRows {
  const float* data;
  int64_t stride;
};

// sums[r][v] = sum over steps of a[r][step] b[step][v].
template <class Step, int kVectors>
HWY_INLINE void MultiplyTile(TileRows a, TileRows b, int64_t steps,
                             VF (&sums)[kTileRows][kVectors]) {
  const DF d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  ROPEWALK_UNROLL
  for (int r = 0; r < kTileRows; ++r) {
    ROPEWALK_UNROLL
    for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
  }
  const float *a0 = a.data, *a3 = a.data + 3 * a.stride, *row = b.data;
  for (int64_t step = 0; step < steps; ++step, row += b.stride) {
    VF loaded[kVectors];
    ROPEWALK_UNROLL
    for (int v = 0; v < kVectors; ++v) loaded[v] = InRegister(hn::Load(d, row + v * lanes));
    ROPEWALK_UNROLL
    for (int r = 0; r < kTileRows; ++r) {
      const float* from = r < 3 ? a0 + r * a.stride : a3 + (r - 3) * a.stride;
      const VF x = InRegister(hn::Set(d, from[step]));
      ROPEWALK_UNROLL
      for (int v = 0; v < kVectors; ++v) sums[r][v] = Step::Add(x, loaded[v], sums[r][v]);
    }
  }
}

// to[r][...] = the product.
template <class Step, int kVectors>
HWY_NOINLINE void StoreProduct(TileRows a, TileRows b, int64_t steps, float* to,
                               int64_t to_stride) {
  const DF d;
  VF sums[kTileRows][kVectors];
  MultiplyTile<Step, kVectors>(a, b, steps, sums);
  ROPEWALK_UNROLL
  for (int r = 0; r < kTileRows; ++r) {
    ROPEWALK_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      hn::Store(sums[r][v], d, to + r * to_stride + v * static_cast<int64_t>(hn::Lanes(d)));
    }
  }
}

// to[r][...] = to[r][...] factors[r] + the product.
template <class Step, int kVectors>
HWY_NOINLINE void AddProduct(TileRows a, TileRows b, int64_t steps, const float* factors, float* to,
                             int64_t to_stride) {
  const DF d;
  VF sums[kTileRows][kVectors];
  for (int r = 0; r < kTileRows; ++r) {  // they come while the product is made
    for (int v = 0; v < kVectors; ++v) {
      hwy::Prefetch(to + r * to_stride + v * static_cast<int64_t>(hn::Lanes(d)));
    }
  }
  MultiplyTile<Step, kVectors>(a, b, steps, sums);
  ROPEWALK_UNROLL
  for (int r = 0; r < kTileRows; ++r) {
    const VF factor = hn::Set(d, factors[r]);
    ROPEWALK_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      float* at = to + r * to_stride + v * static_cast<int64_t>(hn::Lanes(d));
      hn::Store(hn::MulAdd(hn::Load(d, at), factor, sums[r][v]), d, at);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
