#include "ropewalk/spectrum/pair_axes.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/spectrum/scalings_testing.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::random_tensor;

RopeConfig shared_config(std::vector<int64_t> section, MropeOrder order) {
  RopeConfig config;
  config.position_axes = static_cast<int64_t>(section.size());
  for (int64_t pairs : section) config.rotary_dim += 2 * pairs;
  config.mrope_section = std::move(section);
  config.mrope_order = order;
  config.layout = {config.rotary_dim, {{0, config.rotary_dim, Pairing::half_split}}};
  return config;
}

// T, H, W for axes 0, 1, 2.
std::string axes_of(std::vector<int64_t> section, MropeOrder order) {
  std::string text;
  for (const PairSource& pair : pair_sources(shared_config(std::move(section), order))) {
    text += "THW"[pair.axis];
  }
  return text;
}

TEST(PairAxes, WorkedNumbers) {
  EXPECT_EQ(axes_of({2, 1, 1}, MropeOrder::contiguous), "TTHW");
  EXPECT_EQ(axes_of({2, 1, 1}, MropeOrder::interleaved), "THWT");
  EXPECT_EQ(axes_of({2, 2, 3}, MropeOrder::height_width_first), "HWHWTTT");
}

TEST(PairAxes, StridedTakesEveryOtherFrequency) {
  const std::vector<PairSource> expected = {{0, 0}, {0, 2}, {1, 1}, {1, 3}};
  EXPECT_EQ(pair_sources(shared_config({2, 2}, MropeOrder::strided)), expected);
}

TEST(PairAxes, AlternatingGivesEachAxisAllFrequencies) {
  RopeConfig config = scaled_config("default", 1e4, 8);
  config.rotary_dim = 4;
  config.position_axes = 2;
  config.mrope_order = MropeOrder::alternating;
  const std::vector<PairSource> expected = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
  EXPECT_EQ(pair_sources(config), expected);
  EXPECT_FLOAT_EQ(static_cast<float>(ideal_spectrum(config).inv_freq[3]), 0.01f);
}

// FLUX: frequencies of the axes' own.
TEST(PairAxes, EachAxisHasChannelsOfItsOwn) {
  RopeConfig config = scaled_config("default", 1e4, 128);
  config.position_axes = 3;
  config.axis_dims = {16, 56, 56};
  const Spectrum spectrum = make_spectrum(config);
  const Spectrum first = make_spectrum(scaled_config("default", 1e4, 16));
  const Spectrum second = make_spectrum(scaled_config("default", 1e4, 56));
  std::vector<double> expected = first.inv_freq;
  for (int axis = 1; axis < 3; ++axis) {
    expected.insert(expected.end(), second.inv_freq.begin(), second.inv_freq.end());
  }
  EXPECT_EQ(spectrum.inv_freq, expected);
  EXPECT_EQ(std::ranges::count(spectrum.axis, 0), 8);
  EXPECT_EQ(spectrum.axis.back(), 2);
  const Spectrum ideal = ideal_spectrum(config);
  EXPECT_EQ(ideal.axis, spectrum.axis);
  config.inv_freq_dtype = DType::f64;
  const Spectrum wide = make_spectrum(config);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(ideal.inv_freq[i], expected[i], 4e-7 * expected[i]);
    EXPECT_NEAR(ideal.inv_freq[i], wide.inv_freq[i], 1e-15 * expected[i]);
  }
}

TEST(PairAxes, OneAxisOfAllChannelsIsPlain) {
  RopeConfig config =
      scaled_config("yarn", 1e4, 64, {{"factor", 4}, {"original_max_position_embeddings", 4096}});
  const Spectrum plain = make_spectrum(config);
  config.axis_dims = {64};
  EXPECT_EQ(make_spectrum(config), plain);
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

// Qwen3-VL interleaves the axes over the frequencies, Qwen2-VL does not (alibaba/MNN#4133).
TEST(PairAxes, M01_Qwen3VlIsInterleaved) {
  EXPECT_EQ(axes_of({24, 20, 20}, MropeOrder::interleaved), repeated("THW", 20) + "TTTT");
  EXPECT_EQ(axes_of({16, 24, 24}, MropeOrder::contiguous),
            repeated("T", 16) + repeated("H", 24) + repeated("W", 24));
}

TEST(PairAxes, Ernie45Vl) {
  EXPECT_EQ(axes_of({22, 22, 20}, MropeOrder::height_width_first),
            repeated("HW", 22) + repeated("T", 20));
}

TEST(PairAxes, PairsAreSharedNotRepeated) {
  const RopeConfig config = shared_config({24, 20, 20}, MropeOrder::interleaved);
  RopeConfig plain = config;
  plain.mrope_section.clear();
  plain.position_axes = 1;
  EXPECT_EQ(make_spectrum(config).inv_freq, make_spectrum(plain).inv_freq);
  EXPECT_EQ(axis_count(make_spectrum(config)), 3);
}

// x turned by `ids`: shaped [S] for one axis or [3, 1, S].
Tensor turned(const RopeConfig& config, const std::vector<int64_t>& ids, const Tensor& x) {
  Tensor out = make_tensor(x.dtype, x.shape);
  const int64_t tokens = x.shape[1];
  const int64_t axes = static_cast<int64_t>(ids.size()) / tokens;
  const Dims shape = axes == 1 ? Dims{tokens} : Dims{axes, 1, tokens};
  const auto view = make_view(static_cast<const void*>(ids.data()), DType::i64, shape);
  apply_rope(make_spectrum(config), config.layout, positions_of(view), {x.view(), out.view()});
  return out;
}

// Where the axes agree, as they do for text, M-RoPE is plain RoPE, to the bit.
TEST(PairAxes, TextTurnsAsWithOneAxis) {
  const std::vector<int64_t> ids = {0, 7, 1000, 131071};
  std::vector<int64_t> three = ids;
  for (int i = 0; i < 2; ++i) three.insert(three.end(), ids.begin(), ids.end());
  for (MropeOrder order :
       {MropeOrder::contiguous, MropeOrder::interleaved, MropeOrder::height_width_first}) {
    const bool ernie = order == MropeOrder::height_width_first;
    const RopeConfig config = shared_config(
        ernie ? std::vector<int64_t>{22, 22, 20} : std::vector<int64_t>{24, 20, 20}, order);
    RopeConfig plain = config;
    plain.mrope_section.clear();
    plain.position_axes = 1;
    const Tensor x = random_tensor({1, 4, 2, 128}, 1);
    EXPECT_EQ(turned(config, three, x).bytes, turned(plain, ids, x).bytes) << name(order);
  }
}

// nanochat turns by minus the angle.
TEST(PairAxes, ReversedTurnsByMinusThePosition) {
  const RopeConfig plain = scaled_config("proportional", 1e4, 64, {{"partial_rotary_factor", 0.5}});
  RopeConfig reversed = plain;
  reversed.reversed = true;
  const Tensor x = random_tensor({1, 3, 1, 64}, 2);
  EXPECT_EQ(turned(reversed, {1, 2, 70000}, x).bytes, turned(plain, {-1, -2, -70000}, x).bytes);
}

TEST(PairAxes, SectionsThatDoNotFitAreNamed) {
  const auto refuse = [](const RopeConfig& config, const std::string& text) {
    EXPECT_ROPEWALK_ERROR(make_spectrum(config), ErrorCode::invalid_argument, text);
  };
  RopeConfig config = shared_config({2, 1, 1}, MropeOrder::contiguous);
  config.mrope_section = {2, 1};
  refuse(config, "mrope_section: expected 3 counts, one for each position axis, found [2, 1]");
  config.mrope_section = {2, 1, 2};
  refuse(config, "expected counts that make 4, half of rotary_dim, found ");
  config.mrope_section = {5, -2, 1};
  refuse(config, "expected counts in 0..4");
  refuse(shared_config({2, 2}, MropeOrder::interleaved), "expected 3 counts for the order");
  refuse(shared_config({1, 3, 0}, MropeOrder::interleaved),
         "axis 1 to have at most every third of 4 pairs");
  refuse(shared_config({2, 1, 1}, MropeOrder::height_width_first), "which take turns");
  refuse(shared_config({2, 1}, MropeOrder::strided), "equal counts for the order strided");
  refuse(shared_config({2, 2}, MropeOrder::alternating), "none for the order alternating");
}

TEST(PairAxes, AxisDimsThatDoNotFitAreNamed) {
  const auto refuse = [](const RopeConfig& config, const std::string& text) {
    EXPECT_ROPEWALK_ERROR(make_spectrum(config), ErrorCode::invalid_argument, text);
  };
  RopeConfig config = scaled_config("default", 1e4, 16);
  config.position_axes = 2;
  config.axis_dims = {16};
  refuse(config, "axis_dims: expected 2 numbers, one for each position axis, found [16]");
  config.axis_dims = {8, 6};
  refuse(config, "expected numbers that make the rotary_dim 16, found ");
  config.axis_dims = {9, 7};
  refuse(config, "expected positive even numbers");
  config.axis_dims = {8, 8};
  config.mrope_section = {4, 4};
  refuse(config, "expected none beside a mrope_section");
  config.mrope_section.clear();
  config.lists["freq_factors"] = std::vector<double>(8, 1);
  refuse(config, "expected none beside lists");
}

}  // namespace
}  // namespace ropewalk
