#include "ropewalk/tables/table.h"

#include <gtest/gtest.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/oracle.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

const RotaryLayout kLayout{16, {{0, 16, Pairing::half_split}}};
const Spectrum kSpectrum = make_spectrum({.rotary_dim = 16, .layout = kLayout});

TEST(MakeTable, RowsAreExactAndDoNotDependOnWhereTheTableStarts) {
  const CosSinTable table = make_table(kSpectrum, 0, 2000, {.threads = 2});
  for (int64_t p : {0, 1, 511, 512, 513, 1999}) {
    for (int64_t i = 0; i < 8; ++i) {
      const auto want = testing::cos_sin(kSpectrum.inv_freq[static_cast<size_t>(i)], p);
      EXPECT_EQ(table.cos[static_cast<size_t>(p * 8 + i)], want.cos);
      EXPECT_EQ(table.sin[static_cast<size_t>(p * 8 + i)], want.sin);
    }
  }
  const CosSinTable part = make_table(kSpectrum, 700, 100);
  EXPECT_TRUE(std::equal(part.cos.begin(), part.cos.end(), table.cos.begin() + 5600));
  EXPECT_TRUE(std::equal(part.sin.begin(), part.sin.end(), table.sin.begin() + 5600));
}

TEST(MakeTable, RotatesAsTheRowsMadeOnTheWay) {
  Spectrum spectrum = kSpectrum;
  spectrum.attention_scaling = 1.25;
  const Tensor x = testing::random_tensor({1, 50, 3, 16}, 2);
  const CosSinTable table = make_table(spectrum, -10, 60);
  for (Direction direction : {Direction::forward, Direction::transpose}) {
    Tensor a = x, b = x;
    apply_rope(spectrum, kLayout, positions_from(-5), in_place(a.view()), std::nullopt,
               {.direction = direction});
    apply_rope(view_of(table), kLayout, positions_from(-5), in_place(b.view()), std::nullopt,
               {.direction = direction});
    EXPECT_EQ(a.bytes, b.bytes);
  }
  // The inverse of a table is made from its own numbers: undone within a few roundings.
  Tensor y = x;
  apply_rope(view_of(table), kLayout, positions_from(-5), in_place(y.view()));
  apply_rope(view_of(table), kLayout, positions_from(-5), in_place(y.view()), std::nullopt,
             {.direction = Direction::inverse});
  const auto want = testing::floats(x), got = testing::floats(y);
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 8 * 0x1p-24 * 4);
}

TEST(MakeTable, BadSizes) {
  EXPECT_ROPEWALK_ERROR(make_table(kSpectrum, 0, -1), ErrorCode::invalid_argument, "-1 rows");
  EXPECT_ROPEWALK_ERROR(make_table(kSpectrum, 0, int64_t{1} << 62), ErrorCode::resource_limit,
                        "2^40 bytes");
  Spectrum two = kSpectrum;
  two.axis[3] = 1;
  EXPECT_ROPEWALK_ERROR(make_table(two, 0, 1), ErrorCode::unsupported,
                        "more than one position axis");
}

}  // namespace
}  // namespace ropewalk
