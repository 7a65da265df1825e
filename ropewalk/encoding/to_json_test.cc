#include "ropewalk/encoding/to_json.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ropewalk {
namespace {

RopeConfig llama() {
  RopeConfig config;
  config.rope_theta = 500000;
  config.rotary_dim = 128;
  config.layout = {.head_dim = 128, .windows = {{0, 128, Pairing::half_split}}};
  return config;
}

constexpr const char* kLlama =
    R"({"kind":"rope","rope_theta":500000.0,"rope_type":"default","rotary_dim":128,)"
    R"("position_axes":1,"inv_freq_dtype":"f32","parameters":{},"mrope_section":[],)"
    R"("mrope_order":"contiguous","axis_dims":[],"reversed":false,)"
    R"("layout":{"head_dim":128,"windows":[{"offset":0,"dim":128,"pairing":"half_split"}]}})";

TEST(ToJson, Layout) {
  const RotaryLayout layout{128, {{0, 64, Pairing::half_split}, {64, 64, Pairing::interleaved}}};
  EXPECT_EQ(to_json(layout).dump(),
            R"({"head_dim":128,"windows":[{"offset":0,"dim":64,"pairing":"half_split"},)"
            R"({"offset":64,"dim":64,"pairing":"interleaved"}]})");
  EXPECT_EQ(to_json(RotaryLayout{}).dump(), R"({"head_dim":0,"windows":[]})");
}

TEST(ToJson, EachKindOfEncoding) {
  EXPECT_EQ(to_json(PositionEncoding(NoEncoding{})).dump(), R"({"kind":"none"})");
  EXPECT_EQ(to_json(PositionEncoding(llama())).dump(), kLlama);
  EXPECT_EQ(to_json(PositionEncoding(AlibiConfig{.heads = 40})).dump(),
            R"({"kind":"alibi","heads":40,"max_bias":8.0,"first_head":0,"head_count":0,)"
            R"("form":"relative","dtype":"f32","before_scale":false})");
  EXPECT_EQ(
      to_json(PositionEncoding(SinusoidalConfig{.layout = SinusoidalLayout::fairseq, .offset = 2}))
          .dump(),
      R"({"kind":"sinusoidal","d_model":512,"layout":"fairseq","base":10000.0,"offset":2,)"
      R"("padding_position":-1})");
}

TEST(ToJson, ParametersAndSections) {
  RopeConfig config = llama();
  config.inv_freq_dtype = DType::f16;
  config.parameters = {{"factor", 8}, {"beta_fast", 32}};
  config.mrope_section = {16, 24, 24};
  config.mrope_order = MropeOrder::interleaved;
  config.lists = {{"long_factor", {1, 1.5}}};
  config.output_layout = RotaryLayout{128, {}};
  const nlohmann::ordered_json json = to_json(config);
  EXPECT_EQ(json["inv_freq_dtype"], "f16");
  EXPECT_EQ(json["parameters"].dump(),
            R"({"beta_fast":32.0,"factor":8.0,"long_factor":[1.0,1.5]})");
  EXPECT_EQ(json["mrope_order"], "interleaved");
  EXPECT_EQ(json["output_layout"].dump(), R"({"head_dim":128,"windows":[]})");
  EXPECT_EQ(json["mrope_section"].dump(), "[16,24,24]");
}

TEST(ToJson, SpectrumNumbersReadBackTheSame) {
  const Spectrum spectrum{
      .inv_freq = {1.0, 0.1, 1.0 / 3}, .turns = {{}, {}, {}}, .axis = {0, 0, 1}};
  const std::string text = to_json(spectrum).dump();
  const auto read = nlohmann::ordered_json::parse(text);
  EXPECT_EQ(read["inv_freq"].get<std::vector<double>>(), spectrum.inv_freq);
  EXPECT_EQ(read["axis"].dump(), "[0,0,1]");
  EXPECT_FALSE(read.contains("turns"));
}

TEST(ToJson, ModelGroupsEqualLayers) {
  const Layer turns{
      .heads = 2, .kv_heads = 1, .head_dim = 128, .value_dim = 128, .positions = llama()};
  Layer passes{.mixer = Mixer::recurrence};
  const ModelEncoding model{.name = "m",
                            .family = "llama",
                            .model_type = "llama",
                            .hidden_size = 256,
                            .heads = 2,
                            .kv_heads = 1,
                            .head_dim = 128,
                            .layers = {turns, turns, passes, turns},
                            .others = {{"vision", NoEncoding{}}},
                            .evidence = {{"heads", "2", "m: /num_attention_heads"}},
                            .warnings = {"look"}};
  const nlohmann::ordered_json json = to_json(model);
  EXPECT_EQ(json["layer_count"], 4);
  ASSERT_EQ(json["layers"].size(), 3u);
  const auto& first = json["layers"][0];
  EXPECT_EQ(first["first"], 0);
  EXPECT_EQ(first["last"], 1);
  EXPECT_EQ(first["mixer"], "attention");
  EXPECT_EQ(first["encoding"].dump(), std::string(kLlama));
  EXPECT_EQ(first["attention"], to_json(turns.attention));
  EXPECT_EQ(json["layers"][1].dump(),
            R"({"first":2,"last":2,"mixer":"recurrence","heads":0,"kv_heads":0,"head_dim":0,)"
            R"("value_dim":0,"encoding":{"kind":"none"},"attention":null})");
  EXPECT_TRUE(json["max_positions"].is_null());
  EXPECT_EQ(json["others"].dump(), R"([{"name":"vision","encoding":{"kind":"none"}}])");
  EXPECT_EQ(json["evidence"].dump(),
            R"([{"field":"heads","value":"2","source":"m: /num_attention_heads"}])");
  EXPECT_EQ(json["warnings"].dump(), R"(["look"])");
}

// A field that to_json leaves out would be in no comparison.
TEST(ToJson, AttentionHoldsEveryField) {
  const AttentionConfig plain;
  const std::vector<AttentionConfig> changed = {
      {.softmax_scale = 0.1},
      {.qk_norm = {.kind = NormKind::rms}},
      {.qk_norm = {.kind = NormKind::rms, .extent = NormExtent::all_heads}},
      {.qk_norm = {.kind = NormKind::rms, .place = NormPlace::after_rotation}},
      {.qk_norm = {.kind = NormKind::rms, .eps = 1e-5}},
      {.qk_norm = {.kind = NormKind::rms, .weights = false}},
      {.qk_norm = {.kind = NormKind::rms, .unit_offset = true}},
      {.v_norm = {.kind = NormKind::rms}},
      {.output_norm = {.kind = NormKind::rms}},
      {.mask = Mask::full},
      {.window_left = 3},
      {.window_right = 3},
      {.chunk = 4},
      {.softcap = 50},
      {.sinks = true},
      {.query_scale = QueryScale{}},
      {.query_scale = QueryScale{.beta = 1}},
      {.query_scale = QueryScale{.length = 1}},
      {.query_scale = QueryScale{.offset = 1}},
      {.query_scale = QueryScale{.rule = QueryScale::Rule::log_ratio}},
      {.value_is_key = true},
      {.key_multiplier = 2},
      {.value_multiplier = 2},
      {.clip_qkv = 8},
      {.output_gate = OutputGate::per_head},
      {.latent = {.kv_rank = 512}},
      {.latent = {.q_rank = 1, .kv_rank = 512}},
      {.latent = {.kv_rank = 512, .shared_dim = 64}},
      {.latent = {.kv_rank = 512, .eps = 1e-5}},
      {.latent = {.kv_rank = 512, .q_scale = 2}},
      {.latent = {.kv_rank = 512, .kv_scale = 2}},
      {.not_computed = {NotComputed::unknown}}};
  std::set<std::string> texts = {to_json(plain).dump()};
  for (const AttentionConfig& config : changed) texts.insert(to_json(config).dump());
  EXPECT_EQ(texts.size(), changed.size() + 1);
}

}  // namespace
}  // namespace ropewalk
