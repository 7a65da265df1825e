// cos and sin beside mpmath: every float32 number correctly rounded, at any int64 position.
#include <bit>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/tables/sinusoidal.h"
#include "ropewalk/tables/table.h"
#include "ropewalk/testing/fixture.h"

namespace ropewalk {
namespace {

struct Row {
  int64_t position = 0;
  float cos = 0, sin = 0;
};

// One list of the fixture: by value, so that a loop over it does not outlive the document.
nlohmann::ordered_json groups(const std::string& kind) {
  nlohmann::ordered_json list = testing::json_fixture("exact_cos_sin").at(kind);
  EXPECT_GE(list.size(), 6u) << kind;
  return list;
}

std::vector<Row> rows_of(const nlohmann::ordered_json& group) {
  std::vector<Row> rows;
  for (const auto& row : group.at("rows")) {
    rows.push_back({std::stoll(row[0].get<std::string>()),
                    std::strtof(row[1].get<std::string>().c_str(), nullptr),
                    std::strtof(row[2].get<std::string>().c_str(), nullptr)});
  }
  EXPECT_GE(rows.size(), 5u);
  return rows;
}

std::string context(const nlohmann::ordered_json& group, const Row& row) {
  nlohmann::ordered_json where = group;
  where.erase("rows");
  return where.dump() + " at position " + std::to_string(row.position);
}

double hex_number(const nlohmann::ordered_json& text) {
  return std::strtod(text.get<std::string>().c_str(), nullptr);
}

// Bits, so that -0 and 0 differ.
void expect_bits(float ours, float expected, const std::string& where) {
  EXPECT_EQ(std::bit_cast<uint32_t>(ours), std::bit_cast<uint32_t>(expected))
      << ours << " instead of " << expected << ": " << where;
}

constexpr int64_t kLastPosition = std::numeric_limits<int64_t>::max();

void expect_row(const Spectrum& spectrum, size_t pair, const nlohmann::ordered_json& group,
                const Row& row) {
  const CosSinTable table = make_table(spectrum, row.position, 1);
  expect_bits(table.cos.at(pair), row.cos, "cos " + context(group, row));
  expect_bits(table.sin.at(pair), row.sin, "sin " + context(group, row));
}

void expect_table(const Spectrum& spectrum, size_t pair, const nlohmann::ordered_json& group) {
  for (const Row& row : rows_of(group)) {
    if (row.position != kLastPosition) expect_row(spectrum, pair, group, row);
  }
}

Spectrum spectrum_of(const nlohmann::ordered_json& group) {
  return spectrum_from_inv_freq({{hex_number(group.at("inv_freq"))}});
}

TEST(ExactReference, TableOfStoredFrequencies) {
  for (const auto& group : groups("stored")) expect_table(spectrum_of(group), 0, group);
}

// make_table refuses the row of 2^63 - 1, which sinusoidal and apply_rope do give: see the tests
// below.
TEST(ExactReference, TableOfTheLastPosition) {
  for (const auto& group : groups("stored")) {
    for (const Row& row : rows_of(group)) {
      if (row.position == kLastPosition) expect_row(spectrum_of(group), 0, group, row);
    }
  }
}

// A hair below the midpoint of two floats, where double precision cannot tell.
TEST(ExactReference, TableOfMidpoints) {
  for (const auto& group : groups("special")) {
    if (hex_number(group.at("inv_freq")) >= 0x1p-60) expect_table(spectrum_of(group), 0, group);
  }
}

// Sines that are subnormal, or near: a row gives 0 where the phase is below 2^-127 of a turn.
TEST(ExactReference, TableOfSubnormals) {
  for (const auto& group : groups("special")) {
    if (hex_number(group.at("inv_freq")) < 0x1p-60) expect_table(spectrum_of(group), 0, group);
  }
}

TEST(ExactReference, TableOfIdealFrequencies) {
  for (const auto& group : groups("ideal")) {
    const auto index = group.at("index").get<int64_t>();
    expect_table(
        ideal_spectrum(group.at("base").get<double>(), group.at("dim").get<double>(), index + 1),
        static_cast<size_t>(index), group);
  }
}

// The frequencies that make_spectrum derives are the ones in the fixture.
TEST(ExactReference, TableOfAModelsSpectrum) {
  for (const auto& group : groups("stored")) {
    const int64_t dim = group.at("dim").get<int64_t>();
    RopeConfig config;
    config.rope_theta = group.at("rope_theta").get<double>();
    config.rotary_dim = dim;
    config.layout = {dim, {{0, dim, Pairing::half_split}}};
    expect_table(make_spectrum(config), group.at("index").get<size_t>(), group);
  }
}

// Rotating (1, 0) gives (cos, sin): the kernel turns by the same exact numbers.
TEST(ExactReference, RotationOfUnitVector) {
  const RotaryLayout layout{2, {{0, 2, Pairing::interleaved}}};
  for (const auto& group : groups("stored")) {
    const Spectrum spectrum = spectrum_of(group);
    const std::vector<Row> rows = rows_of(group);
    const auto count = static_cast<int64_t>(rows.size());
    std::vector<int64_t> ids;
    std::vector<float> x;
    for (const Row& row : rows) {
      ids.push_back(row.position);
      x.insert(x.end(), {1.0f, 0.0f});
    }
    const PositionIds positions =
        positions_of(make_view(static_cast<const void*>(ids.data()), DType::i64, {count}));
    apply_rope(spectrum, layout, positions,
               in_place(make_view(static_cast<void*>(x.data()), DType::f32, {1, count, 1, 2})));
    for (size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(x[2 * i], rows[i].cos) << context(group, rows[i]);
      EXPECT_EQ(x[2 * i + 1], rows[i].sin) << context(group, rows[i]);
    }
  }
}

TEST(ExactReference, SinusoidalAtAnyPosition) {
  for (const auto& group : groups("ideal")) {
    const int64_t dim = group.at("dim").get<int64_t>();
    const auto index = group.at("index").get<size_t>();
    const bool fairseq = dim == 510;  // its spacing: 10000^(-i / (512/2 - 1))
    const SinusoidalConfig config{
        .d_model = fairseq ? 512 : dim,
        .layout = fairseq ? SinusoidalLayout::fairseq : SinusoidalLayout::interleaved};
    for (const Row& row : rows_of(group)) {
      const std::vector<float> vector = sinusoidal(config, {{row.position}});
      const size_t sin = fairseq ? index : 2 * index;
      const size_t cos = fairseq ? 256 + index : 2 * index + 1;
      expect_bits(vector.at(sin), row.sin, "sin " + context(group, row));
      if (cos < vector.size()) expect_bits(vector[cos], row.cos, "cos " + context(group, row));
    }
  }
}

}  // namespace
}  // namespace ropewalk
