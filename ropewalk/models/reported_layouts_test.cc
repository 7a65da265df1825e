// Faults that were reported of other programs: which channels turn, on which axis, in which layers.

#include <filesystem>

#include <fmt/format.h>

#include "ropewalk/models/configs_testing.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

const std::filesystem::path kFolder = std::filesystem::path(ROPEWALK_TESTDATA) / "models";

// The first layer that rotates.
const RopeConfig& first_rope(const ModelEncoding& model) {
  for (const PositionEncoding& layer : layer_positions(model)) {
    if (const auto* rope = std::get_if<RopeConfig>(&layer)) return *rope;
  }
  throw std::logic_error("no layer rotates");
}

// T, H, W for axes 0, 1, 2.
std::string axes_of(const ModelEncoding& model) {
  std::string text;
  for (const int32_t axis : make_spectrum(first_rope(model)).axis) text += "THW"[axis];
  return text;
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

// pie-project/pie#603: the exponent was that of the whole head, and pairs were half a head apart.
TEST(ReportedFaults, R01_PartOfAHeadHasItsOwnExponent) {
  const RopeConfig rope = first_rope(read_model(kFolder / "qwen3-next-80b-a3b"));
  EXPECT_EQ(rope.layout, (RotaryLayout{256, {{0, 64, Pairing::half_split}}}));
  EXPECT_NEAR(make_spectrum(rope).inv_freq[1], 0.60429639, 5e-9);  // of 256: 0.88168307
}

// ml-explore/mlx-lm#1698: without the key the class's own share holds, and not the whole head.
TEST(ReportedFaults, R03_ShareOfTheHeadWithoutItsKey) {
  const std::pair<const char*, double> shares[] = {{"bamba", 0.5},
                                                   {"glm", 0.5},
                                                   {"glm4", 0.5},
                                                   {"glm4_moe", 0.5},
                                                   {"nemotron", 0.5},
                                                   {"persimmon", 0.5},
                                                   {"phi", 0.5},
                                                   {"gpt_neox", 0.25},
                                                   {"stablelm", 0.25},
                                                   {"qwen3_next", 0.25},
                                                   {"phi3", 1},
                                                   {"gpt_neox_japanese", 1},
                                                   {"recurrent_gemma", 0.5},
                                                   {"moonshine_streaming", 0.8}};
  for (const auto& [type, share] : shares) {
    ordered_json config = small_config(type);
    config["head_dim"] = 128;
    if (std::string_view(type) == "bamba") config["attn_layer_indices"] = {0};
    const RopeConfig rope = first_rope(read(config));
    EXPECT_EQ(rope.rotary_dim, static_cast<int64_t>(rope.layout.head_dim * share)) << type;
  }
}

// huggingface/transformers#48652: frequencies were made for the whole head.
TEST(ReportedFaults, R04_AsManyFrequenciesAsPairs) {
  const ordered_json config = small_config("gpt_neox", R"({"hidden_size": 32, "rotary_pct": 0.5})");
  const RopeConfig rope = first_rope(read(config));
  EXPECT_EQ(rope.layout.head_dim, 8);
  EXPECT_EQ(make_spectrum(rope).inv_freq.size(), 2u);
}

// huggingface/transformers#48101, #35233: accepted when loaded, and a shape error when called, but
// for the classes that turn one channel more.
TEST(ReportedFaults, R06_OddNumbersOfChannels) {
  EXPECT_ROPEWALK_ERROR(
      read(small_config("phi", R"({"hidden_size": 16, "partial_rotary_factor": 0.75})")),
      ErrorCode::unsupported, "expected an even number of rotated channels in 2..4, found 3");
}

// alibaba/MNN#4133: Qwen3-VL interleaves its axes, Qwen2-VL does not; text cannot show it.
TEST(ReportedFaults, M01_AxesOfQwen3Vl) {
  EXPECT_EQ(axes_of(read_model(kFolder / "qwen3-vl-8b")), repeated("THW", 20) + "TTTT");
  EXPECT_EQ(axes_of(read_model(kFolder / "qwen2-vl-7b")),
            repeated("T", 16) + repeated("H", 24) + repeated("W", 24));
}

// kekzl/imp#1172: the section moved from rope_scaling to rope_parameters, and a reader of the first
// fell back to one axis without a word.
TEST(ReportedFaults, M03_SectionInEitherBlock) {
  const char* block = R"({{"{}": {{"rope_type": "default", "mrope_section": [16, 24, 24],
                                   "rope_theta": 1e6}}}})";
  const ModelEncoding old_words =
      read(small_config("qwen2_vl_text", fmt::format(fmt::runtime(block), "rope_scaling")));
  EXPECT_EQ(axes_of(old_words), repeated("T", 16) + repeated("H", 24) + repeated("W", 24));
  EXPECT_EQ(without_words(old_words),
            without_words(read(small_config("qwen2_vl_text",
                                            fmt::format(fmt::runtime(block), "rope_parameters")))));
  EXPECT_ROPEWALK_ERROR(read(small_config("hunyuan_vl_text")), ErrorCode::malformed,
                        "expected a mrope_section");
}

// turboderp-org/exllamav3#332: the section was read where the type was "default" only.
TEST(ReportedFaults, M04_SectionBesideYarn) {
  const ModelEncoding model = read(small_config("qwen3_5_text", R"({"head_dim": 256,
      "max_position_embeddings": 262144, "rope_parameters": {"rope_type": "yarn", "factor": 4,
      "rope_theta": 1e7, "partial_rotary_factor": 0.25, "mrope_section": [11, 11, 10],
      "mrope_interleaved": true, "original_max_position_embeddings": 65536}})"));
  EXPECT_EQ(axes_of(model), repeated("THW", 10) + "TH");
  RopeConfig one_axis = first_rope(model);
  one_axis.position_axes = 1;
  one_axis.mrope_section.clear();
  const Spectrum spectrum = make_spectrum(first_rope(model));
  EXPECT_EQ(first_rope(model).rope_type, "yarn");
  EXPECT_EQ(spectrum.inv_freq, make_spectrum(one_axis).inv_freq);
  EXPECT_NEAR(spectrum.inv_freq.back() * std::pow(1e7, 31.0 / 32), 0.25, 1e-6);
}

// vllm-project/vllm-omni#1784: HunyuanImage-3 has rows and columns take turns over the frequencies,
// and not one after the other. (It has no config of its own here.)
TEST(ReportedFaults, M09_RowsAndColumnsTakeTurns) {
  RopeConfig config = first_rope(read(small_config("llama")));
  config.position_axes = 3;
  config.mrope_section = {32, 32, 0};
  config.mrope_order = MropeOrder::height_width_first;
  const Spectrum spectrum = make_spectrum(config);
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(spectrum.axis[i], i % 2 == 0 ? 1 : 2) << i;
  EXPECT_EQ(spectrum.inv_freq, make_spectrum(first_rope(read(small_config("llama")))).inv_freq);
}

// timtoole02/Camelid#535, huggingface/transformers#37344: SmolLM3 and Llama 4 do not rotate in one
// layer of four. The name reads the other way round: 1 in no_rope_layers is a layer that rotates.
TEST(ReportedFaults, U01_LayersThatDoNotRotate) {
  const auto expect_every_fourth = [](const ModelEncoding& model, size_t layers) {
    ASSERT_EQ(model.layers.size(), layers);
    for (size_t i = 0; i < layers; ++i) {
      EXPECT_EQ(std::holds_alternative<NoEncoding>(model.layers[i].positions), i % 4 == 3) << i;
    }
  };
  expect_every_fourth(read_model(kFolder / "smollm3-3b"), 36);
  expect_every_fourth(read_model(kFolder / "llama-4-scout"), 48);
  expect_every_fourth(read(small_config("smollm3")), 8);  // no key at all
  expect_every_fourth(read(small_config("smollm3", R"({"no_rope_layer_interval": 4})")), 8);
  const ModelEncoding stated =
      read(small_config("smollm3", R"({"no_rope_layers": [0, 1, 1, 1, 1, 1, 1, 1]})"));
  EXPECT_TRUE(std::holds_alternative<NoEncoding>(stated.layers[0].positions));
  EXPECT_TRUE(std::holds_alternative<RopeConfig>(stated.layers[1].positions));
}

// tenstorrent/tt-mlir#9125: a rotation that was fused across the norm of q. Which of the two comes
// first is a fact of the model.
TEST(ReportedFaults, U03_NormBeforeOrAfterTheRotation) {
  EXPECT_EQ(read(small_config("qwen3")).layers[0].attention.qk_norm.place,
            NormPlace::before_rotation);
  EXPECT_EQ(read(small_config("hunyuan_v1_dense")).layers[0].attention.qk_norm.place,
            NormPlace::after_rotation);
}

}  // namespace
}  // namespace ropewalk
