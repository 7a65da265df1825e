// Vectors of float32 from memory and back, and what the 16-bit types share. Include guard as
// Highway wants it.
#if defined(ROPEWALK_KERNELS_SIMD_FLOAT_NUMBERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ROPEWALK_KERNELS_SIMD_FLOAT_NUMBERS_INL_H_
#undef ROPEWALK_KERNELS_SIMD_FLOAT_NUMBERS_INL_H_
#else
#define ROPEWALK_KERNELS_SIMD_FLOAT_NUMBERS_INL_H_
#endif

#include <cstring>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ropewalk {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

// A full vector at any address.
template <class D>
HWY_INLINE hn::Vec<D> LoadBytes(D d, const void* from) {
#if HWY_TARGET == HWY_SCALAR
  hn::TFromD<D> value;
  std::memcpy(&value, from, sizeof(value));
  return hn::Set(d, value);
#else
  return hn::LoadU(d, static_cast<const hn::TFromD<D>*>(from));
#endif
}

template <class D>
HWY_INLINE void StoreBytes(hn::Vec<D> v, D d, void* to) {
#if HWY_TARGET == HWY_SCALAR
  (void)d;
  const hn::TFromD<D> value = hn::GetLane(v);
  std::memcpy(to, &value, sizeof(value));
#else
  hn::StoreU(v, d, static_cast<hn::TFromD<D>*>(to));
#endif
}

// A vector from memory that is used twice: compilers would read it twice, as operands, and two
// reads of 64 bytes in place of one cost a head of Zen 4 up to a sixth.
template <class V>
HWY_INLINE V ReadOnce(V v) {
#if HWY_TARGET == HWY_AVX3 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)
  asm("" : "+v"(v.raw));
#endif
  return v;
}

// How results are stored: as usual, or, whole vectors at whole addresses, around the caches, for
// results that would have left them before they are read again.
struct Plain {
  template <class D>
  static HWY_INLINE void Write(hn::Vec<D> v, D d, void* to) {
    StoreBytes(v, d, to);
  }
};
struct Streamed {
  template <class D>
  static HWY_INLINE void Write(hn::Vec<D> v, D d, void* to) {
    // Part of a vector (f16 with SSE4) would be written as a whole one.
    if (hn::Lanes(d) * sizeof(hn::TFromD<D>) < 16) return StoreBytes(v, d, to);
    hn::Stream(v, d, static_cast<hn::TFromD<D>*>(to));
  }
};

// Two vectors of floats from memory that holds both: T::LoadTwo gives them in an order of T's own,
// T::LoadRowTwo gives cos or sin in the same order, and T::StoreTwo takes it.
struct F32 {
  static constexpr int64_t kBytes = 4;
  template <class D>
  static HWY_INLINE hn::Vec<D> Load(D d, const void* from) {
    return LoadBytes(d, from);
  }
  template <class W, class D>
  static HWY_INLINE void Store(hn::Vec<D> v, D d, void* to) {
    W::Write(v, d, to);
  }
  static HWY_INLINE void LoadTwo(const char* from, VF& x0, VF& x1) {
    x0 = LoadBytes(DF(), from);
    x1 = LoadBytes(DF(), from + 4 * hn::Lanes(DF()));
  }
  static HWY_INLINE void LoadRowTwo(const float* from, VF& x0, VF& x1) {
    x0 = hn::LoadU(DF(), from);
    x1 = hn::LoadU(DF(), from + hn::Lanes(DF()));
  }
  template <class W>
  static HWY_INLINE void StoreTwo(VF x0, VF x1, char* to) {
    W::Write(x0, DF(), to);
    W::Write(x1, DF(), to + 4 * hn::Lanes(DF()));
  }
  static HWY_INLINE float LoadOne(const void* from) {
    float value;
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
};

// What the two 16-bit types share: their bits in the low half of 32-bit lanes.
template <class D>
using U32 = hn::RebindToUnsigned<D>;
template <class D>
using I32 = hn::RebindToSigned<D>;
template <class D>
using U16 = hn::Rebind<uint16_t, D>;

template <class D>
HWY_INLINE hn::Vec<U32<D>> Load16(D, const void* from) {
  return hn::PromoteTo(U32<D>(), LoadBytes(U16<D>(), from));
}
template <class W, class D>
HWY_INLINE void Store16(hn::Vec<U32<D>> bits, D, void* to) {
  W::Write(hn::DemoteTo(U16<D>(), hn::BitCast(I32<D>(), bits)), U16<D>(), to);
}
HWY_INLINE uint16_t LoadOne16(const void* from) {
  uint16_t bits;
  std::memcpy(&bits, from, sizeof(bits));
  return bits;
}

}  // namespace HWY_NAMESPACE
}  // namespace ropewalk
HWY_AFTER_NAMESPACE();

#endif
