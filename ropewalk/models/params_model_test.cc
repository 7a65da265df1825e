#include "ropewalk/models/params_model.h"

#include <cmath>
#include <string>

#include "ropewalk/formats/file.h"
#include "ropewalk/models/configs_testing.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

const std::filesystem::path kTestdata = ROPEWALK_TESTDATA;

ordered_json params_of(const std::string& name) {
  return ordered_json::parse(read_text(kTestdata / "models" / name / "params.json", 1 << 16));
}
ModelEncoding read_params(const ordered_json& json) {
  return read_model_config(json.dump(), "params.json");
}

TEST(Params, BaseIsInTheCodeWhereNoKeyStatesIt) {
  // transformer.py of mistral-inference: 1e6 without a window, 1e4 with one.
  EXPECT_EQ(rope_of(read_params(params_of("mixtral-8x7b"))).rope_theta, 1e6);
  EXPECT_EQ(rope_of(read_params(params_of("mistral-7b-v0.1"))).rope_theta, 1e4);
  EXPECT_EQ(rope_of(read_params(params_of("llama-2-7b"))).rope_theta, 1e4);
  EXPECT_EQ(source_of(read_params(params_of("llama-2-7b")), "rope_theta"),
            "default of Meta's code");
}

TEST(Params, FactorOfLlama3IsInTheCode) {
  const ModelEncoding model = read_params(params_of("llama-3.1-8b"));
  EXPECT_EQ(rope_of(model).parameters.at("factor"), 8);
  EXPECT_EQ(source_of(model, "factor"),
            "params.json: /use_scaled_rope, apply_scaling in Meta's code");
  // Llama 3.2's config.json says 32, its params.json nothing: the size alone tells.
  const ModelEncoding small = read_params(params_of("llama-3.2-1b"));
  EXPECT_EQ(rope_of(small).parameters.at("factor"), 32);
  EXPECT_THAT(small.warnings, testing::Contains(testing::HasSubstr("use_scaled_rope")));
  ordered_json stated = params_of("llama-4-scout");
  stated["rope_scaling_factor"] = 8.0;
  EXPECT_EQ(rope_of(read_params(stated)).parameters.at("factor"), 8);
}

TEST(Params, YarnOfMistral) {
  ordered_json params = params_of("mistral-7b-v0.3");
  params["yarn"] = {{"beta", 32.0},
                    {"alpha", 1.0},
                    {"factor", 16.0},
                    {"original_max_position_embeddings", 16384},
                    {"apply_scale", false}};
  const RopeConfig rope = rope_of(read_params(params));
  EXPECT_EQ(rope.rope_type, "yarn");
  EXPECT_EQ(rope.parameters.at("beta_fast"), 32);
  EXPECT_EQ(rope.parameters.at("original_max_position_embeddings"), 16384);
  EXPECT_EQ(make_spectrum(rope).attention_scaling, 1);
  params["yarn"]["apply_scale"] = true;
  EXPECT_NEAR(make_spectrum(rope_of(read_params(params))).attention_scaling, 1 + 0.1 * std::log(16),
              1e-12);
  params["yarn"]["gamma"] = 1;
  EXPECT_THAT(read_params(params).warnings, testing::Contains("/yarn/gamma is 1, and not used"));
}

TEST(Params, ErrorsNameTheKeysOfTheFile) {
  ordered_json params = params_of("llama-3-8b");
  params["n_heads"] = 0;
  EXPECT_ROPEWALK_ERROR(read_params(params), ErrorCode::malformed,
                        "params.json: /n_heads: expected an integer in 1..1048576, found 0");
  params = params_of("llama-3-8b");
  params["rope_theta"] = -1.0;
  EXPECT_ROPEWALK_ERROR(read_params(params), ErrorCode::malformed, "params.json: /rope_theta: ");
  params = params_of("llama-3-8b");
  params["use_scaled_rope"] = "yes";
  EXPECT_ROPEWALK_ERROR(read_params(params), ErrorCode::malformed,
                        "params.json: /use_scaled_rope: expected true or false");
}

// Published files carry keys of other models as null.
TEST(Params, NullIsAbsent) {
  ordered_json params = params_of("mistral-7b-v0.3");
  const ModelEncoding plain = read_params(params);
  for (const char* key :
       {"qk_rope_head_dim", "nope_layer_interval", "yarn", "rope_scaling_factor"}) {
    params[key] = nullptr;
  }
  EXPECT_EQ(without_words(read_params(params)), without_words(plain));
}

// A config.json of another kind may have the same short names.
TEST(Params, AreNotTakenFromAConfig) {
  const ordered_json distilbert = {{"model_type", "distilbert"},
                                   {"dim", 768},
                                   {"n_layers", 6},
                                   {"n_heads", 12},
                                   {"sinusoidal_pos_embds", true}};
  EXPECT_NE(read(distilbert).family, "llama");
}

}  // namespace
}  // namespace ropewalk
