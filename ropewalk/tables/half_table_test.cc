// Tables in bf16 and f16: the exact value rounded once.
#include <bit>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/base/half.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/tables/table.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/fixture.h"
#include "ropewalk/testing/oracle.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/targets.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

constexpr DType kHalves[] = {DType::bf16, DType::f16};

uint16_t rounded(float value, DType dtype) {
  return dtype == DType::f16 ? f16_from_float(value) : bf16_from_float(value);
}

float widened(uint16_t bits, DType dtype) {
  return dtype == DType::f16 ? float_from_f16(bits) : float_from_bf16(bits);
}

testing::CosSin exact(double inv_freq, int64_t position, DType dtype, double scale = 1) {
  return dtype == DType::f16 ? testing::cos_sin_in_digits(inv_freq, position, scale, 11, -14)
                             : testing::cos_sin_in_digits(inv_freq, position, scale, 8, -126);
}

void expect_exact(const HalfCosSinTable& table, const Spectrum& spectrum, double scale = 1) {
  for (int64_t r = 0; r < table.rows; ++r) {
    for (int64_t i = 0; i < table.pairs; ++i) {
      const double inv_freq = spectrum.inv_freq[static_cast<size_t>(i)];
      const testing::CosSin want = exact(inv_freq, table.first + r, table.dtype, scale);
      const auto at = static_cast<size_t>(r * table.pairs + i);
      // A table never holds -0, and past 65504 an f16 is infinite.
      EXPECT_EQ(table.cos[at], rounded(want.cos + 0.0f, table.dtype))
          << name(table.dtype) << " cos of " << table.first + r << " x " << inv_freq;
      EXPECT_EQ(table.sin[at], rounded(want.sin + 0.0f, table.dtype))
          << name(table.dtype) << " sin of " << table.first + r << " x " << inv_freq;
    }
  }
}

Spectrum model_spectrum(double theta, int64_t dim) {
  return make_spectrum(
      {.rope_theta = theta, .rotary_dim = dim, .layout = {dim, {{0, dim, Pairing::half_split}}}});
}

struct FixtureRow {
  Spectrum spectrum;
  int64_t position;
  uint16_t cos[2], sin[2];  // bf16, f16
};

std::vector<FixtureRow> rows_of(const std::string& group) {
  const nlohmann::ordered_json document = testing::json_fixture("half_cos_sin");
  std::vector<FixtureRow> rows;
  for (const auto& row : document.at(group)) {
    const auto text = [&](size_t i) { return row[i].get<std::string>(); };
    const auto bits = [&](size_t i) {
      return static_cast<uint16_t>(std::stoul(text(i), nullptr, 16));
    };
    rows.push_back({spectrum_from_inv_freq(std::vector<double>{std::stod(text(0))}),
                    std::stoll(text(1)),
                    {bits(2), bits(4)},
                    {bits(3), bits(5)}});
  }
  EXPECT_GE(rows.size(), 10u) << group;
  return rows;
}

TEST(HalfTable, AgreesWithMpmath) {
  testing::for_each_target([](const std::string&) {
    for (const char* group :
         {"models", "small", "bf16_wrong_when_rounded_twice", "f16_wrong_when_rounded_twice"}) {
      for (const FixtureRow& row : rows_of(group)) {
        for (size_t t : {0, 1}) {
          const HalfCosSinTable table = make_half_table(row.spectrum, kHalves[t], row.position, 1);
          EXPECT_EQ(table.cos[0], row.cos[t]) << group << " " << row.position;
          EXPECT_EQ(table.sin[0], row.sin[t]) << group << " " << row.position;
        }
      }
    }
  });
}

// What the test above would not notice if its rows were easy: rounding the float32 table again is
// wrong in each of these, at positions that models reach.
TEST(HalfTable, RoundingTheFloatTableAgainIsAnotherTable) {
  const char* const groups[] = {"bf16_wrong_when_rounded_twice", "f16_wrong_when_rounded_twice"};
  for (size_t t : {0, 1}) {
    for (const FixtureRow& row : rows_of(groups[t])) {
      const CosSinTable table = make_table(row.spectrum, row.position, 1);
      EXPECT_TRUE(rounded(table.cos[0], kHalves[t]) != row.cos[t] ||
                  rounded(table.sin[0], kHalves[t]) != row.sin[t])
          << row.position;
    }
  }
}

TEST(HalfTable, EveryPositionOfAShortContextIsRoundedOnce) {
  const Spectrum spectrum = model_spectrum(10000, 36);
  for (DType dtype : kHalves) expect_exact(make_half_table(spectrum, dtype, -40, 1000), spectrum);
}

TEST(HalfTable, EndsOfInt64) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max(),
                    kMin = std::numeric_limits<int64_t>::min();
  const Spectrum spectrum = model_spectrum(500000, 128);
  for (DType dtype : kHalves) {
    for (int64_t first : {kMin, int64_t{1} << 53, (int64_t{1} << 32) - 40, kMax - 79}) {
      expect_exact(make_half_table(spectrum, dtype, first, 80), spectrum);
    }
  }
}

// Sines below 2^-14 are denormal in f16: half a place is 2^-25 wherever they lie. (No frequency on
// a tie below 2^-60: its hair is less than a spectrum's unit of 2^-192 turns.)
TEST(HalfTable, Denormals) {
  const Spectrum spectrum = spectrum_from_inv_freq(
      std::vector<double>{0x1p-25, 0x1p-26, 0x1.8p-25, 0x1.000002p-25, 0x1.fffffep-26, 3e-8, 1e-30,
                          1e-38, 1e-40, 1e-43, 0, -0x1p-25, -0x1.8p-26, -1e-40});
  for (DType dtype : kHalves) expect_exact(make_half_table(spectrum, dtype, -300, 700), spectrum);
}

TEST(HalfTable, ScalingComesBeforeTheRounding) {
  for (double scale : {1.1386294361119891, 0.5, 1 + 0x1p-9, 1 + 0x3p-12, 65000.0, 65520.0, 1e9}) {
    Spectrum spectrum = model_spectrum(10000, 20);
    spectrum.attention_scaling = scale;
    for (DType dtype : kHalves) {
      expect_exact(make_half_table(spectrum, dtype, 0, 100), spectrum, scale);
    }
  }
}

TEST(HalfTable, SameBitsOnEveryTargetWithAnyThreadsFromAnyStart) {
  for (const Spectrum& spectrum : {model_spectrum(10000, 128), model_spectrum(1e30, 22)}) {
    const auto pairs = static_cast<int64_t>(spectrum.inv_freq.size());
    for (DType dtype : kHalves) {
      const HalfCosSinTable whole = make_half_table(spectrum, dtype, -100, 1500);
      testing::for_each_target([&](const std::string&) {
        EXPECT_EQ(make_half_table(spectrum, dtype, -100, 1500, {.threads = 2}), whole);
        const HalfCosSinTable part = make_half_table(spectrum, dtype, 3, 50);
        EXPECT_TRUE(std::equal(part.cos.begin(), part.cos.end(), whole.cos.begin() + 103 * pairs));
        EXPECT_TRUE(std::equal(part.sin.begin(), part.sin.end(), whole.sin.begin() + 103 * pairs));
      });
    }
  }
}

ROPEWALK_PROPERTY(HalfTable, AgreesWithMpfrAtRandom, [] {
  const double base = std::exp(*rc::gen::inRange(0, 1000000) * 27.6e-6) + 1e-4;
  const Spectrum spectrum = model_spectrum(base, 2 * *rc::gen::inRange(1, 40));
  const auto position =
      static_cast<int64_t>(*rc::gen::arbitrary<uint64_t>() >> *rc::gen::inRange(1, 64));
  for (DType dtype : kHalves) {
    const HalfCosSinTable table = make_half_table(spectrum, dtype, -position, 1);
    for (size_t i = 0; i < spectrum.inv_freq.size(); ++i) {
      const testing::CosSin want = exact(spectrum.inv_freq[i], -position, dtype);
      RC_ASSERT(widened(table.cos[i], dtype) == want.cos);
      RC_ASSERT(widened(table.sin[i], dtype) == want.sin);
    }
  }
});

TEST(HalfTable, RotatesAsTheSameNumbersInFloat32) {
  const RotaryLayout layout{16, {{0, 16, Pairing::interleaved}}};
  const Spectrum spectrum = model_spectrum(10000, 16);
  const Tensor x = testing::random_tensor({1, 50, 3, 16}, 2);
  for (DType dtype : kHalves) {
    const HalfCosSinTable table = make_half_table(spectrum, dtype, 100, 60);
    CosSinTable wide{table.rows, table.pairs, {}, {}, table.first};
    for (uint16_t c : table.cos) wide.cos.push_back(widened(c, dtype));
    for (uint16_t s : table.sin) wide.sin.push_back(widened(s, dtype));
    Tensor a = x, b = x;
    apply_rope(view_of(table), layout, positions_from(105), in_place(a.view()));
    apply_rope(view_of(wide), layout, positions_from(105), in_place(b.view()));
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_NE(a.bytes, x.bytes);
  }
}

TEST(HalfTable, BadRequests) {
  const Spectrum spectrum = model_spectrum(10000, 16);
  EXPECT_ROPEWALK_ERROR(make_half_table(spectrum, DType::f32, 0, 1), ErrorCode::unsupported,
                        "expected dtype bf16 or f16, found f32");
  EXPECT_ROPEWALK_ERROR(make_half_table(spectrum, DType::f16, 0, -1), ErrorCode::invalid_argument,
                        "-1 rows");
  EXPECT_ROPEWALK_ERROR(make_half_table(spectrum, DType::f16, 0, int64_t{1} << 62),
                        ErrorCode::resource_limit, "2^40 bytes");
  EXPECT_EQ(make_half_table(spectrum, DType::bf16, 7, 0).cos.size(), 0u);
}

}  // namespace
}  // namespace ropewalk
