#include "ropewalk/encoding/to_json.h"

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
  EXPECT_TRUE(read["softmax_scale"].is_null());
  EXPECT_FALSE(read.contains("turns"));
}

TEST(ToJson, ModelGroupsEqualLayers) {
  const ModelEncoding model{.name = "m",
                            .family = "llama",
                            .hidden_size = 256,
                            .heads = 2,
                            .kv_heads = 1,
                            .head_dim = 128,
                            .layers = {llama(), llama(), NoEncoding{}, llama()},
                            .others = {{"vision", NoEncoding{}}},
                            .evidence = {{"heads", "2", "m: /num_attention_heads"}},
                            .warnings = {"look"}};
  const std::string rope(kLlama);
  EXPECT_EQ(to_json(model).dump(),
            R"({"name":"m","family":"llama","hidden_size":256,"heads":2,"kv_heads":1,)"
            R"("head_dim":128,"max_positions":null,"layer_count":4,"layers":[)"
            R"({"first":0,"last":1,"encoding":)" +
                rope + R"(},{"first":2,"last":2,"encoding":{"kind":"none"}},)" +
                R"({"first":3,"last":3,"encoding":)" + rope +
                R"(}],"others":[{"name":"vision","encoding":{"kind":"none"}}],)"
                R"("evidence":[{"field":"heads","value":"2","source":"m: /num_attention_heads"}],)"
                R"("warnings":["look"]})");
}

}  // namespace
}  // namespace ropewalk
