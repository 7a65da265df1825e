// Layers of a GGUF file that are not all alike.

#include "ropewalk/models/gguf_testing.h"

namespace ropewalk {
namespace {

// A layer of 0 key heads does not attend: a convolution, a recurrence.
TEST(GgufModel, LayersWithoutHeads) {
  const GgufBytes bytes =
      sized("lfm2").array<int32_t>("lfm2.attention.head_count_kv", 5, {0, 2, 0, 2});
  const ModelEncoding model = read_gguf(bytes);
  EXPECT_EQ(model.kv_heads, 2);
  EXPECT_EQ(kinds(model), (std::vector<std::string>{"none", "rope", "none", "rope"}));
}

TEST(GgufModel, RecurrentLayers) {
  const GgufBytes bytes =
      sized("qwen3next").array<uint8_t>("qwen3next.attention.recurrent_layers", 7, {0, 1, 1, 0});
  EXPECT_EQ(kinds(read_gguf(bytes)), (std::vector<std::string>{"rope", "none", "none", "rope"}));
  const GgufBytes interval = sized("qwen3next").u32("qwen3next.full_attention_interval", 2);
  EXPECT_EQ(kinds(read_gguf(interval)), (std::vector<std::string>{"none", "rope", "none", "rope"}));
}

TEST(GgufModel, LayersOfUnlikeHeadsAreNamed) {
  const GgufBytes bytes =
      sized("llama").array<int32_t>("llama.attention.head_count_kv", 5, {4, 2, 4, 4});
  EXPECT_THAT(read_gguf(bytes).warnings,
              testing::Contains(testing::HasSubstr("head_count_kv: the layers differ")));
}

// sliding_window 0: no layer has one, and all rotate alike.
TEST(GgufModel, NoWindow) {
  EXPECT_EQ(kinds(read_gguf(sized("llama4"))),
            (std::vector<std::string>{"rope", "rope", "rope", "none"}));
  EXPECT_EQ(kinds(read_gguf(sized("llama4").u32("llama4.attention.sliding_window", 0))),
            std::vector<std::string>(4, "rope"));
  GgufBytes gemma = sized("gemma3").f32("gemma3.rope.freq_base", 1e6);
  gemma.u32("gemma3.attention.sliding_window", 0);
  for (const auto& layer : read_gguf(gemma).layers) {
    EXPECT_EQ(std::get<RopeConfig>(layer.positions).rope_theta, 1e6);
  }
}

// YaRN is for the layers that see all (src/models/laguna.cpp).
TEST(GgufModel, WindowedLayersOfLagunaAreNotScaled) {
  GgufBytes bytes = sized("laguna").text("laguna.rope.scaling.type", "yarn");
  bytes.f32("laguna.rope.scaling.factor", 4).u32("laguna.attention.sliding_window", 64);
  bytes.array<uint8_t>("laguna.attention.sliding_window_pattern", 7, {0, 1, 1, 1});
  const ModelEncoding model = read_gguf(bytes);
  EXPECT_EQ(std::get<RopeConfig>(model.layers[0].positions).rope_type, "yarn");
  EXPECT_EQ(std::get<RopeConfig>(model.layers[1].positions).rope_type, "default");
}

// Which layers have a window, as an array or as a period; a base of their own.
TEST(GgufModel, Windows) {
  GgufBytes bytes = sized("gemma3").f32("gemma3.rope.freq_base", 1e6);
  const auto bases = [](const ModelEncoding& model) {
    std::vector<double> found;
    for (const auto& layer : model.layers) {
      found.push_back(std::get<RopeConfig>(layer.positions).rope_theta);
    }
    return found;
  };
  bytes.u32("gemma3.attention.sliding_window", 512);
  EXPECT_EQ(bases(read_gguf(bytes)), (std::vector<double>{1e4, 1e4, 1e4, 1e4}));
  GgufBytes period = bytes;
  period.u32("gemma3.attention.sliding_window_pattern", 2);
  EXPECT_EQ(bases(read_gguf(period)), (std::vector<double>{1e4, 1e6, 1e4, 1e6}));
  bytes.f32("gemma3.rope.freq_base_swa", 5000);
  bytes.array<uint8_t>("gemma3.attention.sliding_window_pattern", 7, {0, 1, 1, 0});
  EXPECT_EQ(bases(read_gguf(bytes)), (std::vector<double>{1e6, 5000, 5000, 1e6}));
}

// Gemma 4: heads of their own and another number of channels that turn in layers with a window.
TEST(GgufModel, HeadsOfWindowedLayers) {
  GgufBytes bytes = sized("gemma4").f32("gemma4.rope.freq_base", 1e6);
  bytes.u32("gemma4.attention.key_length", 32).u32("gemma4.attention.key_length_swa", 16);
  bytes.u32("gemma4.rope.dimension_count", 32).u32("gemma4.rope.dimension_count_swa", 16);
  bytes.array<uint8_t>("gemma4.attention.sliding_window_pattern", 7, {1, 1, 1, 0});
  std::vector<float> turning(16, 1e30f);
  for (size_t i = 0; i < 4; ++i) turning[i] = 1;
  const ModelEncoding model = read_with_tensor(bytes, "rope_freqs.weight", turning);
  const auto& windowed = std::get<RopeConfig>(model.layers[0].positions);
  EXPECT_EQ(windowed.layout.head_dim, 16);
  EXPECT_EQ(windowed.rotary_dim, 16);
  EXPECT_EQ(windowed.rope_theta, 10000);
  EXPECT_EQ(windowed.rope_type, "default");
  const auto& full = std::get<RopeConfig>(model.layers[3].positions);
  EXPECT_EQ(full.layout.head_dim, 32);
  EXPECT_EQ(full.rotary_dim, 32);
  EXPECT_EQ(full.rope_theta, 1e6);
  EXPECT_EQ(full.rope_type, "proportional");
  EXPECT_EQ(full.parameters.at("partial_rotary_factor"), 0.25);
  const auto missing = testing::Contains(testing::HasSubstr("\"rope_freqs.weight\" is missing"));
  EXPECT_THAT(model.warnings, testing::Not(missing));
  EXPECT_THAT(read_gguf(bytes).warnings, missing);
}

// Kinds of layers that turn alike by the model's own code, but not in this file.
TEST(GgufModel, HeadsOfWindowedLayersOfOneKind) {
  GgufBytes bytes = sized("llama").u32("llama.attention.sliding_window", 64);
  bytes.u32("llama.attention.key_length", 16).u32("llama.attention.key_length_swa", 8);
  bytes.array<uint8_t>("llama.attention.sliding_window_pattern", 7, {1, 0, 1, 0});
  const ModelEncoding model = read_gguf(bytes, "ministral");
  EXPECT_EQ(std::get<RopeConfig>(model.layers[0].positions).layout.head_dim, 8);
  EXPECT_EQ(std::get<RopeConfig>(model.layers[1].positions).layout.head_dim, 16);
}

// Half of the head turns in layers that see all, all of it in those with a window.
TEST(GgufModel, FractionsOfWindowedLayers) {
  GgufBytes bytes = sized("laguna").f32("laguna.rope.freq_base", 5e5);
  bytes.u32("laguna.rope.dimension_count", 8).u32("laguna.rope.dimension_count_swa", 16);
  bytes.array<uint8_t>("laguna.attention.sliding_window_pattern", 7, {0, 1, 1, 1});
  const ModelEncoding model = read_gguf(bytes);
  EXPECT_EQ(std::get<RopeConfig>(model.layers[0].positions).rotary_dim, 8);
  EXPECT_EQ(std::get<RopeConfig>(model.layers[1].positions).rotary_dim, 16);
  bytes.u32("laguna.attention.key_length", 4);
  EXPECT_GGUF_ERROR(bytes, malformed, "laguna.rope.dimension_count");
}

TEST(GgufModel, UnknownWindowsAreRefused) {
  GgufBytes bytes = sized("llama").f32("llama.rope.freq_base", 5e5);
  bytes.u32("llama.attention.sliding_window", 64);
  EXPECT_EQ(kinds(read_gguf(GgufBytes(bytes).f32("llama.rope.freq_base_swa", 5e5))),
            std::vector<std::string>(4, "rope"));
  EXPECT_GGUF_ERROR(GgufBytes(bytes).f32("llama.rope.freq_base_swa", 1e4), unsupported,
                    "m.gguf: llama.rope.freq_base_swa: ropewalk does not know which layers of a "
                    "llama have a window");
  EXPECT_GGUF_ERROR(bytes.u32("llama.rope.dimension_count_swa", 8), unsupported,
                    "llama.rope.dimension_count_swa");
}

// Granite's hybrids use the key to say that nothing turns.
TEST(GgufModel, GraniteSwitchedOff) {
  const ModelEncoding off =
      read_gguf(sized("granitehybrid").boolean("granitehybrid.rope.scaling.finetuned", 0));
  EXPECT_EQ(kinds(off), std::vector<std::string>(4, "none"));
  const ModelEncoding llama = read_gguf(sized("llama").boolean("llama.rope.scaling.finetuned", 0));
  EXPECT_EQ(kinds(llama), std::vector<std::string>(4, "rope"));
}

}  // namespace
}  // namespace ropewalk
