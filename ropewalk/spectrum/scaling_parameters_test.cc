#include "ropewalk/spectrum/scaling_parameters.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ropewalk/spectrum/scaling_traits.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

// A config of one rope_type in which some of its parameters matter.
struct Scene {
  std::map<std::string, double> parameters;
  std::map<std::string, std::vector<double>> lists = {};
  int64_t seq_len = 0;
};

const std::vector<double> kShort(8, 1.1), kLong(8, 5.0);

std::vector<Scene> yarn_scenes() {
  return {{{{"factor", 4}, {"original_max_position_embeddings", 256}}},
          {{{"factor", 4}, {"max_position_embeddings", 4096}, {"truncate", 0}}},
          {{{"original_max_position_embeddings", 256}, {"max_position_embeddings", 1024}}},
          {{{"factor", 4},
            {"original_max_position_embeddings", 256},
            {"mscale", 1},
            {"mscale_all_dim", 0.5}}}};
}

// Every declared key of a type is seen by at least one of its scenes.
const std::map<std::string_view, std::vector<Scene>>& scenes() {
  static const std::map<std::string, std::vector<double>> lists = {{"short_factor", kShort},
                                                                   {"long_factor", kLong}};
  static const std::map<std::string_view, std::vector<Scene>> all = {
      {"default", {{{}}}},
      {"linear", {{{{"factor", 2}}}}},
      {"dynamic", {{{{"factor", 2}, {"max_position_embeddings", 64}}, {}, 100}, {{{"alpha", 10}}}}},
      {"yarn", yarn_scenes()},
      {"deepseek_yarn", yarn_scenes()},
      {"telechat3-yarn", yarn_scenes()},
      {"longrope",
       {{{{"factor", 8}, {"original_max_position_embeddings", 64}}, lists, 64},
        {{{"original_max_position_embeddings", 64}, {"max_position_embeddings", 256}}, lists, 65},
        {{{"factor", 8}, {"max_position_embeddings", 64}}, lists, 65}}},
      {"llama3",
       {{{{"factor", 8},
          {"low_freq_factor", 1},
          {"high_freq_factor", 4},
          {"original_max_position_embeddings", 256}}},
        {{{"factor", 8},
          {"low_freq_factor", 1},
          {"high_freq_factor", 4},
          {"max_position_embeddings", 256}}}}},
      {"xdrope", {{{{"alpha", 10}}}}},
      {"ntk", {{{{"factor", 4}}}}},
      {"qwen_dynamic", {{{{"seq_length", 64}}, {}, 1000}}},
      {"proportional", {{{{"partial_rotary_factor", 0.5}}}}}};
  return all;
}

RopeConfig config_of(std::string_view type, const Scene& scene) {
  RopeConfig config;
  config.rope_type = type;
  config.rotary_dim = 16;
  config.layout = {16, {{0, 16, Pairing::half_split}}};
  config.parameters = scene.parameters;
  config.lists = scene.lists;
  return config;
}

Spectrum spectrum_of(std::string_view type, const Scene& scene) {
  return make_spectrum(config_of(type, scene), scene.seq_len);
}

// The scene with another value of the key, or with one where it had none.
Scene changed(Scene scene, const ScalingParameter& parameter) {
  const std::string key(parameter.key);
  if (parameter.kind == ParameterKind::list) {
    scene.lists[key].resize(8, 1.0);
    for (double& value : scene.lists[key]) value *= 3;
    return scene;
  }
  const auto found = scene.parameters.find(key);
  double value = found != scene.parameters.end() ? found->second : parameter.fallback.value_or(3);
  if (parameter.kind == ParameterKind::boolean) {
    value = 1 - value;
  } else {
    value = value == 0 ? 2 : value * 2;
    if (!parameter.rule.holds(value)) value /= 4;
  }
  scene.parameters[key] = value;
  return scene;
}

bool matters(std::string_view type, const ScalingParameter& parameter) {
  return std::ranges::any_of(scenes().at(type), [&](const Scene& scene) {
    return spectrum_of(type, changed(scene, parameter)) != spectrum_of(type, scene);
  });
}

TEST(ScalingParameters, EachDeclaredKeyChangesTheSpectrum) {
  for (std::string_view type : rope_types()) {
    for (const ScalingParameter& parameter : scaling_parameters(type)) {
      EXPECT_TRUE(matters(type, parameter)) << type << ": " << parameter.key;
    }
    EXPECT_TRUE(matters(type, kFreqFactors)) << type;
  }
}

TEST(ScalingParameters, NoOtherKeyIsRead) {
  std::map<std::string_view, ScalingParameter> all;
  for (std::string_view type : rope_types()) {
    for (const ScalingParameter& parameter : scaling_parameters(type)) {
      all.emplace(parameter.key, parameter);
    }
  }
  EXPECT_GT(all.size(), 20u);
  for (std::string_view type : rope_types()) {
    for (const auto& [key, parameter] : all) {
      const auto declared = scaling_parameters(type);
      if (std::ranges::count(declared, key, &ScalingParameter::key) > 0) continue;
      EXPECT_FALSE(matters(type, parameter)) << type << " reads " << key;
    }
  }
}

// The same call gives the same spectrum, whatever was asked between; frequencies never rise.
TEST(ScalingParameters, EveryScalingIsPureAndFalls) {
  for (const auto& [type, its_scenes] : scenes()) {
    for (const Scene& scene : its_scenes) {
      const Spectrum spectrum = spectrum_of(type, scene);
      make_spectrum(config_of(type, scene), 1 << 20);
      EXPECT_EQ(spectrum_of(type, scene), spectrum) << type;
      EXPECT_TRUE(std::ranges::is_sorted(spectrum.inv_freq, std::greater<>())) << type;
      EXPECT_GE(spectrum.inv_freq.back(), 0) << type;
    }
  }
}

// huggingface/transformers#45902: inv_freq was memory that nobody had set, inv_freq[0] 6.93e-18.
// The fastest pair turns by 1 a position, or by 1 / what the scaling divides it by, and each after
// it slower.
TEST(ScalingParameters, T01_TheFirstFrequency) {
  const std::map<std::string_view, double> divided = {
      {"linear", 2.0f}, {"longrope", 1.1f}, {"ntk", std::pow(4.0, 1 / 8.0)}};
  for (const auto& [type, its_scenes] : scenes()) {
    const std::vector<double> inv_freq = spectrum_of(type, its_scenes.front()).inv_freq;
    const auto found = divided.find(type);
    EXPECT_NEAR(inv_freq[0] * (found == divided.end() ? 1 : found->second), 1, 1e-6) << type;
    for (size_t i = 1; i < inv_freq.size(); ++i) {
      EXPECT_TRUE(inv_freq[i] < inv_freq[i - 1] || (type == "proportional" && inv_freq[i] == 0))
          << type << " " << i;
    }
  }
}

// Each trait of a rope_type, beside what its spectra do.
TEST(ScalingTraits, AreTrueOfTheSpectra) {
  for (const auto& [type, its_scenes] : scenes()) {
    const ScalingTraits& traits = scaling_traits(type);
    const std::vector<double> plain = spectrum_of("default", {}).inv_freq;
    bool scales = false, one_factor = true, stands_still = false;
    for (const Scene& scene : its_scenes) {
      const std::vector<double> inv_freq = spectrum_of(type, scene).inv_freq;
      const auto factor = scene.parameters.find("factor");
      scales |= inv_freq != plain;
      stands_still |= std::ranges::count(inv_freq, 0) > 0;
      for (size_t i = 0; i < plain.size(); ++i) {
        one_factor &= factor != scene.parameters.end() &&
                      std::abs(inv_freq[i] * factor->second / plain[i] - 1) < 1e-6;
      }
    }
    EXPECT_EQ(traits.scales, scales) << type;
    EXPECT_EQ(is_scaled(type), scales) << type;
    EXPECT_EQ(traits.one_factor, one_factor) << type;
    EXPECT_EQ(traits.may_stand_still, stands_still) << type;
    EXPECT_EQ(traits.yarn, reads_parameter(type, "beta_fast")) << type;
  }
}

// Where a factor is the growth of the context, it may be left out for the two lengths.
TEST(ScalingTraits, AFactorOfGrowthFollowsFromTheLengths) {
  for (const auto& [type, its_scenes] : scenes()) {
    Scene scene = its_scenes.front();
    if (scaling_traits(type).factor_is_growth) {
      const Spectrum stated = spectrum_of(type, scene);
      const double original = scene.parameters.at("original_max_position_embeddings");
      scene.parameters["max_position_embeddings"] = original * scene.parameters.at("factor");
      scene.parameters.erase("factor");
      EXPECT_EQ(spectrum_of(type, scene), stated) << type;
    } else if (reads_parameter(type, "factor")) {
      EXPECT_FALSE(reads_parameter(type, "beta_fast") || reads_parameter(type, "long_factor"));
    }
  }
}

TEST(ScalingTraits, GoByAliasesToo) {
  EXPECT_FALSE(is_scaled("mrope"));
  EXPECT_TRUE(reads_parameter("su", "short_factor"));
  EXPECT_FALSE(reads_parameter("yarn", "short_factor"));
  EXPECT_ROPEWALK_ERROR(is_scaled("no such"), ErrorCode::unsupported,
                        "rope_type: expected one of default, linear, ");
}

TEST(ScalingParameters, KeysAreListedOnce) {
  for (std::string_view type : rope_types()) {
    std::set<std::string_view> keys;
    for (const ScalingParameter& parameter : scaling_parameters(type)) {
      EXPECT_TRUE(keys.insert(parameter.key).second) << type << ": " << parameter.key;
    }
  }
}

TEST(ScalingParameters, ARequiredKeyThatIsMissingIsNamed) {
  for (std::string_view type : rope_types()) {
    for (const ScalingParameter& parameter : scaling_parameters(type)) {
      if (!parameter.required()) continue;
      Scene scene = scenes().at(type).front();
      scene.parameters.erase(std::string(parameter.key));
      scene.lists.erase(std::string(parameter.key));
      EXPECT_ROPEWALK_ERROR(spectrum_of(type, scene), ErrorCode::invalid_argument,
                            fmt::format("rope_type \"{}\": {}: expected {}, found none", type,
                                        parameter.key, parameter.rule.expected));
    }
  }
}

TEST(ScalingParameters, AnImpossibleValueIsNamed) {
  for (std::string_view type : rope_types()) {
    for (const ScalingParameter& parameter : scaling_parameters(type)) {
      if (parameter.kind == ParameterKind::list) continue;
      for (double bad : {-1.0, std::nan(""), double{INFINITY}}) {
        int refused = 0;
        for (Scene scene : scenes().at(type)) {
          scene.parameters[std::string(parameter.key)] = bad;
          try {
            spectrum_of(type, scene);
          } catch (const Error& error) {
            EXPECT_THAT(error.what(),
                        testing::HasSubstr(std::string(parameter.key) + ": expected " +
                                           std::string(parameter.rule.expected) + ", found "));
            ++refused;
          }
        }
        EXPECT_GT(refused, 0) << type << ": " << parameter.key << " " << bad;
      }
    }
  }
}

TEST(ScalingParameters, AliasesMakeTheSameSpectrum) {
  EXPECT_EQ(canonical_rope_type("su"), "longrope");
  EXPECT_EQ(canonical_rope_type("mrope"), "default");
  for (const RopeTypeAlias& alias : rope_type_aliases()) {
    EXPECT_EQ(canonical_rope_type(alias.alias), alias.rope_type);
    const Scene scene = scenes().at(alias.rope_type).front();
    EXPECT_EQ(spectrum_of(alias.alias, scene), spectrum_of(alias.rope_type, scene));
  }
  EXPECT_ROPEWALK_ERROR(canonical_rope_type(""), ErrorCode::unsupported,
                        "rope_type: expected one of default, linear, ");
}

TEST(ScalingParameters, ListsHaveOneNumberForEachPair) {
  Scene scene = scenes().at("longrope").front();
  scene.lists["long_factor"].pop_back();
  EXPECT_ROPEWALK_ERROR(
      spectrum_of("longrope", scene), ErrorCode::invalid_argument,
      "rope_type \"longrope\": long_factor: expected 8 numbers, one for each pair, found 7");
  scene.lists["long_factor"].push_back(0);
  EXPECT_ROPEWALK_ERROR(spectrum_of("longrope", scene), ErrorCode::invalid_argument,
                        "long_factor[7]: expected a positive number, found 0");
}

// Names of other software's: the reason is said.
TEST(ScalingParameters, ScalingsThatAreNotComputedAreKnown) {
  for (const auto& [name, why] :
       {std::pair{"fope", "\"fope\": its frequencies are mixed by learned coefficients"},
        {"openpangu", "\"openpangu\": its axes of positions"},
        {"mllama4", "\"mllama4\": it is the rotation of Llama 4's vision tower"},
        {"xpos", "\"xpos\": it is the default rotation, and apply_xpos"}}) {
    EXPECT_ROPEWALK_ERROR(scaling_parameters(name), ErrorCode::unsupported, why);
  }
}

}  // namespace
}  // namespace ropewalk
