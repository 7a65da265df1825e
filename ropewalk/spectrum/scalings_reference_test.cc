// Every rope_type beside transformers' own code, bit for bit.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "ropewalk/spectrum/scaling_parameters.h"
#include "ropewalk/spectrum/scalings_testing.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/fixture.h"

namespace ropewalk {
namespace {

using testing::Fixture;

TEST(ScalingsReference, InvFreqOfTransformers) {
  const Fixture fixture("scalings");
  std::set<std::string> types;
  int64_t entries = 0, differing = 0;
  for (size_t i = 0; i < fixture.info().at("cases").size(); ++i) {
    const auto& item = fixture.info().at("cases")[i];
    SCOPED_TRACE(item.dump());
    const bool mixed = item.at("parameters").contains("mixed_b");
    const Spectrum spectrum = make_spectrum(config_of(item), item.at("seq_len"));
    const Difference scalar = compare(spectrum, fixture.f32("inv_freq_" + std::to_string(i)));
    EXPECT_LE(scalar.largest, mixed ? kPowOfMixedB : kPow);
    entries += mixed ? 0 : static_cast<int64_t>(spectrum.inv_freq.size());
    differing += mixed ? 0 : scalar.count;
    if (item.at("name") != "random") {
      EXPECT_EQ(scalar.count, 0);
    }
    const std::string avx2 = "avx2_" + std::to_string(i);
    if (fixture.contains(avx2)) {
      EXPECT_LE(compare(spectrum, fixture.f32(avx2)).largest, mixed ? kPowOfMixedB : kPow);
    }
    EXPECT_EQ(spectrum.attention_scaling, item.at("attention_scaling").get<double>());
    const RopeConfig config = config_of(item);
    const double scale = item.at("softmax_scale").get<double>();
    const double head_scale = 1 / std::sqrt(static_cast<double>(config.layout.head_dim));
    EXPECT_NEAR(softmax_factor(config), scale == 0 ? 1 : scale / head_scale, 1e-12);
    types.insert(item.at("rope_type"));
  }
  EXPECT_GT(entries, 10000);
  EXPECT_LE(differing, 5);
  for (std::string_view type : rope_types()) {
    EXPECT_EQ(types.count(std::string(type)), type == "default" ? 0u : 1u) << type;
  }
}

// A few of the numbers that transformers' own RopeTest keeps, to the five digits that it has.
TEST(ScalingsReference, NumbersOfRopeTest) {
  const std::map<std::string, double> yarn = {{"factor", 10},
                                              {"beta_fast", 32},
                                              {"beta_slow", 1},
                                              {"original_max_position_embeddings", 2048}};
  const std::map<std::string, double> llama3 = {{"factor", 10},
                                                {"low_freq_factor", 1},
                                                {"high_freq_factor", 4},
                                                {"original_max_position_embeddings", 2048}};
  const std::map<std::string, double> dynamic = {{"factor", 10}, {"max_position_embeddings", 2048}};
  struct Kept {
    const char* rope_type;
    const std::map<std::string, double>& parameters;
    int64_t seq_len;
    size_t pair;
    double inv_freq;
  };
  for (const Kept& kept : std::initializer_list<Kept>{{"dynamic", dynamic, 16384, 1, 8.0931e-01},
                                                      {"dynamic", dynamic, 16384, 63, 1.6265e-06},
                                                      {"dynamic", dynamic, 2048, 63, 1.1548e-04},
                                                      {"yarn", yarn, 0, 16, 1.0000e-01},
                                                      {"yarn", yarn, 0, 17, 8.3479e-02},
                                                      {"yarn", yarn, 0, 40, 4.3007e-04},
                                                      {"yarn", yarn, 0, 41, 2.7384e-04},
                                                      {"llama3", llama3, 0, 30, 1.3335e-02},
                                                      {"llama3", llama3, 0, 31, 1.0730e-02},
                                                      {"llama3", llama3, 0, 40, 3.4539e-04},
                                                      {"llama3", llama3, 0, 63, 1.1548e-05}}) {
    const RopeConfig config = scaled_config(kept.rope_type, 1e4, 128, kept.parameters);
    const double ours = make_spectrum(config, kept.seq_len).inv_freq[kept.pair];
    EXPECT_NEAR(ours, kept.inv_freq, 5.1e-5 * kept.inv_freq) << kept.rope_type << " " << kept.pair;
  }
}

// Qwen3-VL and Qwen3.5 interleave, Qwen2-VL and GLM do not, ERNIE has its own order.
TEST(ScalingsReference, AxesOfTransformers) {
  const Fixture fixture("mrope_axes");
  for (const auto& item : fixture.info().at("cases")) {
    SCOPED_TRACE(item.dump());
    const std::string name = item.at("name");
    RopeConfig config = config_of(item);
    config.position_axes = 3;
    config.mrope_section = item.at("mrope_section").get<std::vector<int64_t>>();
    for (MropeOrder order :
         {MropeOrder::contiguous, MropeOrder::interleaved, MropeOrder::height_width_first}) {
      if (item.at("mrope_order") == ropewalk::name(order)) config.mrope_order = order;
    }
    const Spectrum spectrum = make_spectrum(config);
    const std::span<const int64_t> axis = fixture.i64(name + "_axis");
    EXPECT_TRUE(std::ranges::equal(spectrum.axis, axis));
    EXPECT_LE(compare(spectrum, fixture.f32(name + "_inv_freq")).largest, kPow);
  }
}

}  // namespace
}  // namespace ropewalk
