#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "ropewalk/models/models.h"
#include "ropewalk/report/attention_words.h"
#include "ropewalk/report/columns.h"
#include "ropewalk/report/comparison_words.h"
#include "ropewalk/report/finding_words.h"
#include "ropewalk/report/layer_words.h"
#include "ropewalk/report/model_words.h"
#include "ropewalk/report/scaling_words.h"
#include "ropewalk/report/to_json.h"
#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Level = Difference::Level;
using Row = std::vector<std::string>;

TEST(Words, Ranges) {
  EXPECT_EQ(ranges({}), "");
  EXPECT_EQ(ranges({0, 1, 2, 3, 4, 6, 8, 9}), "0..4, 6, 8..9");
}

TEST(Words, ALayer) {
  const ModelEncoding model = preset("llama-3-8b");
  EXPECT_EQ(in_a_line(model.layers[0].positions),
            "rope, theta 500000, 128 of 128 channels half_split");
  EXPECT_EQ(in_a_line(AlibiConfig{}), "alibi");
  EXPECT_EQ(layer_map(model), "layers 0..31: rope");
  Layer layer{.head_dim = 4};
  layer.attention.softmax_scale = 0.5;
  layer.attention.window_left = 7;
  EXPECT_EQ(in_words(layer), "softmax scale 0.5, mask causal, window of 7 keys before");
  EXPECT_EQ(attention_kinds(model), "  layers 0..31: softmax scale 0.08838835, mask causal\n");
}

TEST(Words, FactsOfAFile) {
  ModelEncoding model;
  model.evidence = {{"rope_theta", "1\n2", "config.json: /rope_theta"}};
  EXPECT_THAT(fact_rows(model), ElementsAre(Row{"rope_theta", "1\\n2", "config.json: /rope_theta"}))
      << "safe to print";
}

TEST(Words, AModel) {
  const ModelEncoding model = preset("chatglm2-6b");
  const std::string facts = facts_in_words(model), text = in_words(model);
  EXPECT_TRUE(text.starts_with(facts) && facts.starts_with("chatglm2-6b: family chatglm"));
  EXPECT_EQ(text, facts + frequencies_in_words(model, {}, false));
  EXPECT_THAT(text, HasSubstr("\npair  inv_freq (rad per position)  wavelength (positions)"));
  EXPECT_THAT(frequencies_in_words(model, {.seq_len = 7}, true),
              HasSubstr("\n--seq-len changes nothing: rope_type default"));
  EXPECT_ROPEWALK_ERROR(frequencies_in_words(model, {.layer = 28}, false),
                        ErrorCode::invalid_argument, "layer: expected 0..27");
  EXPECT_ROPEWALK_ERROR(part_at(model, "vision"), ErrorCode::invalid_argument,
                        "part: expected a model with parts beside its layers");
  EXPECT_EQ(first_with_positions(model), 0);
}

TEST(Words, Columns) {
  EXPECT_EQ(display_width("a\u6211\xFF"), 4) << "one for what is not UTF-8";
  EXPECT_EQ(padded("\u6211", 3), "\u6211 ");
  EXPECT_EQ(table({{"word", "n"}, {"\u6211", "10"}}, {false, true}), "word   n\n\u6211    10\n");
  EXPECT_THAT(wrapped("a bc d", 4), ElementsAre("a bc", "d"));
}

TEST(Words, Bands) {
  const ScalingBands bands{.bands = {Band::kept, Band::kept, Band::between, Band::slowed},
                           .attention_scaling = 1.5,
                           .slow_pairs = {2, 3}};
  EXPECT_EQ(band_letters(bands), "==~.");
  EXPECT_EQ(in_words(bands, {.rope_type = "yarn"}, 4096),
            "\nScaling yarn (= kept, ~ between, . slowed the most), pair 0 first\n"
            "  ==~.\n"
            "  kept: pairs 0..1\n"
            "  between: pairs 2\n"
            "  slowed the most: pairs 3\n"
            "  cos and sin are multiplied by 1.5\n"
            "\nPairs that never complete a turn within 4096 positions: 2..3\n");
  EXPECT_EQ(in_words(ScalingBands{}, {}, 4096), "");
}

TEST(Words, Traps) {
  EXPECT_EQ(in_words(FactorDisagrees{4, 32768, 4096}, "qwen2"),
            "factor is 4, but max_positions / original_max_position_embeddings = 32768 / 4096 = 8: "
            "the factor counts");
  EXPECT_THAT(in_words(BaseNotStated{10000, 32768}, "llama"),
              HasSubstr("10000, which the code of llama takes then, is small for 32768"));
}

TEST(Words, Findings) {
  StoredFrequencies stored{.file = "m.safetensors",
                           .tensor = "inv_freq",
                           .dtype = DType::bf16,
                           .fault = StoredFrequencies::Fault::rounded,
                           .pair = 1,
                           .stored = 0.0100097656,
                           .expected = 0.01,
                           .phase_error = 0.04,
                           .positions = 4096};
  EXPECT_EQ(in_words(stored),
            "m.safetensors: tensor \"inv_freq\" is bf16: pair 1 has 0.0100097656, but the config "
            "gives 0.01, which turns it up to 0.04 radians wrong within 4096 positions");
  EXPECT_EQ(to_json(stored)["phase_error"], 0.04);
  stored.fault = StoredFrequencies::Fault::other_count;
  stored.count = 3;
  stored.expected_count = 2;
  EXPECT_THAT(in_words(stored), HasSubstr("has 3 frequencies, but the config gives 2"));
  const WrongShape shape{.file = "m.safetensors",
                         .tensor = "q_proj.weight",
                         .heads = 2,
                         .kv_heads = 1,
                         .head_dim = 8,
                         .expected = {16, 64},
                         .found = {64, 64}};
  EXPECT_EQ(in_words(shape),
            "m.safetensors: tensor \"q_proj.weight\" has shape [64, 64], but 2 heads and 1 key "
            "head of 8 channels give [16, 64]");
  EXPECT_EQ(to_json(shape)["found"], (std::vector<int64_t>{64, 64}));
}

TEST(Words, Values) {
  EXPECT_EQ(in_words(FieldValue()), "none");
  EXPECT_EQ(in_words(FieldValue(true)), "true");
  EXPECT_EQ(in_words(FieldValue(int64_t{7})), "7");
  EXPECT_EQ(in_words(FieldValue(500000.0)), "500000");
  EXPECT_EQ(in_words(FieldValue(10000000.0)), "10000000");
  EXPECT_EQ(in_words(FieldValue(0.08838834764831845)), "0.088388348");
  EXPECT_NE(in_words(FieldValue(1.0000005)), in_words(FieldValue(1.0)));
}

// The layers are named where not all that both have differ so.
TEST(Words, Comparison) {
  const Comparison comparison{
      .differences = {{Level::config, "heads", int64_t{1}, int64_t{2}, {}},
                      {Level::config, "rope_theta", 1e4, 5e5, {0, 1}},
                      {Level::attention, "window_left", {}, int64_t{7}, {1}}},
      .rotations = {{.layers = {0, 1},
                     .pairs_a = 2,
                     .pairs_b = 2,
                     .first_pair = 1,
                     .inv_freq_a = 0.01,
                     .inv_freq_b = 0.002,
                     .cosines = {{1, 0.5, std::nullopt}}}},
      .common_layers = 2};
  EXPECT_THAT(
      difference_rows(comparison),
      ElementsAre(
          Row{"config", "heads", "1", "2", ""}, Row{"config", "rope_theta", "10000", "500000", ""},
          Row{"spectrum", "inv_freq of pair 1, the first that differs", "0.01", "0.002", ""},
          Row{"attention", "window_left", "none", "7", "1"}));
  EXPECT_THAT(cosine_rows(comparison.rotations[0]),
              ElementsAre(Row{"position", "cosine between the rotations"}, Row{"1", "0.500000"}));
  const nlohmann::ordered_json json = to_json(comparison);
  EXPECT_EQ(json["alike"], false);
  EXPECT_EQ(json["differences"][2]["a"], nullptr);
  EXPECT_EQ(json["differences"][2]["layers"], std::vector<int>{1});
  EXPECT_EQ(json["rotations"][0]["inv_freq"], (std::vector<double>{0.01, 0.002}));
}

}  // namespace
}  // namespace ropewalk
