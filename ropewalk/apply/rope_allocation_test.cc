// A decode step allocates nothing: the operators of this program count. The sanitizers have
// operators of their own, so a build with one of them has no such test.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ROPEWALK_SANITIZED 1
#endif
#endif
#if !defined(ROPEWALK_SANITIZED) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/tensors.h"

namespace {
std::atomic<int64_t> allocations{0};
}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace ropewalk {
namespace {

TEST(RopeAllocation, ADecodeStepAllocatesNothing) {
  const RotaryLayout layout{128, {{0, 128, Pairing::half_split}}};
  const Spectrum spectrum = make_spectrum({.rope_theta = 5e5, .rotary_dim = 128, .layout = layout});
  const RopeRows rows = make_rope_rows(spectrum, positions_from(4000), 1, 1);
  const RopeOptions options;
  for (DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    Tensor q = testing::random_tensor({1, 1, 32, 128}, 1, dtype);
    Tensor k = testing::random_tensor({1, 1, 8, 128}, 2, dtype);
    const Rotated rotated_q = in_place(q.view()), rotated_k = in_place(k.view());
    const int64_t before = allocations;
    EXPECT_GT(before, 0) << "the operators above are not the program's";
    apply_rope(spectrum, layout, positions_from(4000), rotated_q, rotated_k, options);
    apply_rope(rows, layout, rotated_q, rotated_k, options);
    EXPECT_EQ(allocations - before, 0) << name(dtype);
  }
}

}  // namespace
}  // namespace ropewalk

#endif
