// Sinusoidal vectors are the same numbers however they are made: alone or in runs, where they
// belong or by way of a buffer; and in 16 bits they are rounded once.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "ropewalk/base/half.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/tables/sinusoidal.h"
#include "ropewalk/tables/table.h"
#include "ropewalk/testing/targets.h"

namespace ropewalk {
namespace {

constexpr SinusoidalLayout kLayouts[] = {SinusoidalLayout::interleaved, SinusoidalLayout::sin_cos,
                                         SinusoidalLayout::fairseq, SinusoidalLayout::cos_sin};

std::vector<int64_t> positions_of_test(int64_t first, int64_t count) {
  std::vector<int64_t> positions(static_cast<size_t>(count));
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

TEST(SinusoidalWays, RunsEqualSingleRowsInAnyMemory) {
  testing::for_each_target([](const std::string&) {
    for (SinusoidalLayout layout : kLayouts) {
      for (int64_t d : {4, 6, 7, 36, 130, 514}) {
        const SinusoidalConfig config{.d_model = d, .layout = layout, .padding_position = 70};
        const std::vector<int64_t> positions = positions_of_test(-20, 150);
        const std::vector<float> run = sinusoidal(config, positions);
        std::vector<float> wide(2 * run.size() + 1, 7);
        sinusoidal(config, positions, TensorView{{wide.data(), DType::f32, {150, d}, {2 * d, 2}}},
                   {.threads = 2});
        for (size_t r = 0; r < positions.size(); ++r) {
          const std::vector<float> one = sinusoidal(config, {{positions[r]}});
          const auto at = static_cast<std::ptrdiff_t>(r) * d;
          EXPECT_TRUE(std::equal(one.begin(), one.end(), run.begin() + at))
              << name(layout) << " " << d << " position " << positions[r];
          for (int64_t c = 0; c < d; ++c) {
            EXPECT_EQ(wide[static_cast<size_t>(2 * (at + c))], one[static_cast<size_t>(c)]);
            EXPECT_EQ(wide[static_cast<size_t>(2 * (at + c) + 1)], 7);
          }
        }
      }
    }
  });
}

TEST(SinusoidalWays, ATailOfARowLeavesItsNeighbourAlone) {
  testing::for_each_target([](const std::string&) {
    for (int64_t d : {2, 6, 10, 18, 30, 62}) {
      std::vector<float> memory(static_cast<size_t>(100 * (d + 3)), 7);
      sinusoidal({.d_model = d}, positions_of_test(0, 100),
                 TensorView{{memory.data(), DType::f32, {100, d}, {d + 3, 1}}});
      for (int64_t r = 0; r < 100; ++r) {
        for (int64_t c = d; c < d + 3; ++c) {
          EXPECT_EQ(memory[static_cast<size_t>(r * (d + 3) + c)], 7) << d << " " << r;
        }
      }
    }
  });
}

TEST(SinusoidalWays, HalvesAreRoundedOnce) {
  constexpr int64_t kD = 40, kRows = 700;
  const Spectrum spectrum = ideal_spectrum(10000, kD, kD / 2);
  for (DType dtype : {DType::bf16, DType::f16}) {
    const HalfCosSinTable table = make_half_table(spectrum, dtype, 0, kRows);
    std::vector<uint16_t> out(kRows * kD);
    sinusoidal({.d_model = kD}, positions_of_test(0, kRows),
               make_view(static_cast<void*>(out.data()), dtype, {kRows, kD}));
    for (size_t i = 0; i < table.cos.size(); ++i) {
      EXPECT_EQ(out[2 * i], table.sin[i]) << name(dtype) << " " << i;
      EXPECT_EQ(out[2 * i + 1], table.cos[i]) << name(dtype) << " " << i;
    }
  }
  // sin 300 = -0.999756: float32 rounds it to the midpoint of -1 and the next f16, -0.99951.
  std::vector<uint16_t> pair(2);
  sinusoidal({.d_model = 2}, {{300}},
             make_view(static_cast<void*>(pair.data()), DType::f16, {1, 2}));
  EXPECT_EQ(pair[0], 0xBBFF);
  EXPECT_EQ(f16_from_float(sinusoidal({.d_model = 2}, {{300}})[0]), 0xBC00);
}

}  // namespace
}  // namespace ropewalk
