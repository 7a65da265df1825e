// The rotation of bf16 and f16.

#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/apply/rope_testing.h"
#include "ropewalk/base/half.h"
#include "ropewalk/testing/targets.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::floats;
using testing::kLayouts;
using testing::LayoutCase;
using testing::random_tensor;
using testing::reference;
using testing::run_of;
using testing::spectrum_for;
using testing::spectrum_of;
using testing::tensor_of;
using testing::view_of_ids;
using testing::whole;

TEST(ApplyRope, SixteenBitTypesAreTheFloat32ResultRoundedOnce) {
  for (DType dtype : {DType::bf16, DType::f16}) {
    for (const LayoutCase& c : kLayouts) {
      const Spectrum spectrum = spectrum_for(c.layout);
      const Tensor x = random_tensor({5, 2, c.layout.head_dim}, 9, dtype);
      const auto want32 = reference(floats(x), 2, spectrum, c.layout, run_of(1000, 5));
      const Tensor want = converted(tensor_of(x.shape, want32).view(), dtype);
      testing::for_each_target([&](const std::string&) {
        Tensor y = x;
        apply_rope(spectrum, c.layout, positions_from(1000), in_place(y.view()));
        EXPECT_EQ(y.bytes, want.bytes) << c.name << name(dtype);
      });
    }
  }
}

// Every 16-bit number through the load and store of every target: position 0 multiplies by 1 and
// adds 0.
TEST(ApplyRope, EverySixteenBitNumberSurvivesPositionZero) {
  for (DType dtype : {DType::bf16, DType::f16}) {
    Tensor x = make_tensor(dtype, {512, 1, 128});
    auto* bits = reinterpret_cast<uint16_t*>(x.bytes.data());
    for (int i = 0; i < 65536; ++i) bits[i] = static_cast<uint16_t>(i);
    testing::for_each_target([&](const std::string&) {
      for (Pairing pairing : {Pairing::half_split, Pairing::interleaved}) {
        Tensor y = x;
        const std::vector<int64_t> zeros(512, 0);
        apply_rope(spectrum_of(128), whole(128, pairing), positions_of(view_of_ids(zeros)),
                   in_place(y.view()));
        const auto want = floats(x), got = floats(y);
        for (size_t i = 0; i < want.size(); ++i) {
          const size_t partner =
              pairing == Pairing::interleaved ? i ^ 1 : (i % 128 < 64 ? i + 64 : i - 64);
          if (!std::isfinite(want[partner])) {  // 0 * inf: the pair is lost, as the definition says
            EXPECT_TRUE(std::isnan(got[i]));
          } else if (std::isnan(want[i])) {
            EXPECT_TRUE(std::isnan(got[i]));
          } else {
            EXPECT_EQ(want[i], got[i]) << i;
          }
        }
      }
    });
  }
}

TEST(ApplyRope, StoresRoundToNearestEvenAndKeepDenormals) {
  // x = [v, 0] at an angle of 0: the float32 result v is what is rounded.
  const Spectrum still = spectrum_from_inv_freq(std::vector<double>{0.0});
  const CosSinTable table{
      1, 1, {1.00048828125f}, {0.0f}, 0};  // 1 + 2^-11: makes halves of the last place of f16
  for (uint16_t bits : {0x3C00, 0x3C01, 0x3C02, 0x0001, 0x03FF, 0x0400, 0x7BFF, 0x8001, 0xBC01}) {
    Tensor x = make_tensor(DType::f16, {1, 1, 2});
    std::memcpy(x.bytes.data(), &bits, 2);
    const uint16_t want = f16_from_float(float_from_f16(bits) * 1.00048828125f);
    testing::for_each_target([&](const std::string&) {
      Tensor y = x;
      apply_rope(view_of(table), whole(2, Pairing::half_split), positions_from(0),
                 in_place(y.view()));
      uint16_t got;
      std::memcpy(&got, y.bytes.data(), 2);
      EXPECT_EQ(got, want) << bits;
    });
  }
}

}  // namespace
}  // namespace ropewalk
