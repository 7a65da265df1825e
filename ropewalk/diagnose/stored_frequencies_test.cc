#include "ropewalk/diagnose/stored_frequencies.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "ropewalk/diagnose/checkpoint_findings.h"
#include "ropewalk/formats/safetensors.h"
#include "ropewalk/models/models.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/temp_folder.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::tensor_of;
using Fault = StoredFrequencies::Fault;

// Two pairs, 1 and 0.01.
RopeConfig two_pairs() {
  RopeConfig rope{.rotary_dim = 4};
  rope.layout = {4, {{0, 4, Pairing::half_split}}};
  return rope;
}

TEST(StoredFrequencies, AsTheConfigSays) {
  EXPECT_FALSE(check_frequencies(two_pairs(), {1, 0.01F}, DType::f32, 4096));
  RopeConfig linear = two_pairs();
  linear.rope_type = "linear";
  linear.parameters["factor"] = 2;
  EXPECT_FALSE(check_frequencies(linear, {0.5, 0.005F}, DType::f32, 4096));
  EXPECT_FALSE(check_frequencies(linear, {1, 0.01F}, DType::f32, 4096)) << "before the scaling";
}

TEST(StoredFrequencies, Differ) {
  const auto fault = check_frequencies(two_pairs(), {1, 0.02}, DType::f32, 4096);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->fault, Fault::differs);
  EXPECT_EQ(fault->pair, 1U);
  EXPECT_EQ(fault->stored, 0.02);
  EXPECT_NEAR(fault->expected, 0.01, 1e-9);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(check_frequencies(two_pairs(), {nan, 0.01}, DType::f32, 4096)->pair, 0U);
  const auto three = check_frequencies(two_pairs(), {1, 0.1, 0.01}, DType::f32, 4096);
  EXPECT_EQ(three->fault, Fault::other_count);
  EXPECT_EQ(three->count, 3U);
  EXPECT_EQ(three->expected_count, 2U);
}

// 0.01 is 0.010009765625 in bf16: 9.765625e-6 a position.
TEST(StoredFrequencies, PhaseErrorOfARounding) {
  const double bf16 = 0.010009765625;
  const auto fault = check_frequencies(two_pairs(), {1, bf16}, DType::bf16, 4096);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->fault, Fault::rounded);
  EXPECT_EQ(fault->pair, 1U);
  EXPECT_EQ(fault->stored, bf16);
  EXPECT_EQ(fault->positions, 4096);
  EXPECT_NEAR(fault->phase_error, 4095 * 9.765625e-6, 1e-6);
  EXPECT_EQ(check_frequencies(two_pairs(), {1, bf16}, DType::bf16, 1000000)->phase_error,
            std::numbers::pi)
      << "they come to point in opposite directions";
  RopeConfig f16 = two_pairs();
  f16.inv_freq_dtype = DType::f16;
  EXPECT_FALSE(check_frequencies(f16, make_spectrum(f16).inv_freq, DType::f16, 4096))
      << "the model itself keeps them so";
}

// A real head: Llama 2 kept in bf16 is 3.14 radians off within its 4096 positions.
TEST(StoredFrequencies, LlamaInBf16) {
  const ModelEncoding model = preset("llama-2-7b");
  const RopeConfig& rope = rope_at(model, 0);
  const std::vector<double> exact = make_spectrum(rope).inv_freq;
  std::vector<float> floats(exact.begin(), exact.end());
  const Tensor half = converted(tensor_of({64}, floats).view(), DType::bf16);
  std::vector<double> stored;
  for (const float number : testing::floats(half)) stored.push_back(number);
  const auto fault = check_frequencies(rope, stored, DType::bf16, model.max_positions);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->fault, Fault::rounded);
  EXPECT_GT(fault->phase_error, 3.1);
}

TEST(StoredFrequencies, OfACheckpoint) {
  const TempFolder folder;
  const std::string config = R"({"model_type": "llama", "hidden_size": 4,
      "num_attention_heads": 1, "num_hidden_layers": 2, "rope_theta": 10000})";
  const std::filesystem::path path = folder.file("config.json", config);
  const ModelEncoding model = read_model(path);
  EXPECT_EQ(check_checkpoint(model, path), CheckpointFindings{}) << "there is none";
  const Tensor right = tensor_of({2}, {1, 0.01F}), wrong = tensor_of({2}, {1, 0.02F});
  write_safetensors(folder / "model.safetensors",
                    {{"model.layers.0.self_attn.rotary_emb.inv_freq", right.view()},
                     {"model.layers.1.self_attn.rotary_emb.inv_freq", wrong.view()},
                     {"model.layers.2.self_attn.rotary_emb.inv_freq", right.view()},
                     {"visual.inv_freq", wrong.view()}});
  const CheckpointFindings findings = check_checkpoint(model, folder.path());
  EXPECT_TRUE(findings.differ());
  ASSERT_EQ(findings.frequencies.size(), 2U);
  const StoredFrequencies& one = findings.frequencies[0];
  EXPECT_EQ(one.tensor, "model.layers.1.self_attn.rotary_emb.inv_freq");
  EXPECT_EQ(one.file, folder / "model.safetensors");
  EXPECT_EQ(one.dtype, DType::f32);
  EXPECT_EQ(one.pair, 1U);
  EXPECT_NEAR(one.stored, 0.02, 1e-9);
  EXPECT_EQ(findings.frequencies[1].fault, Fault::no_rotation) << "there is no layer 2";
  EXPECT_EQ(check_checkpoint(model, path), findings) << "beside the config.json";
}

TEST(StoredFrequencies, RoundingAloneIsNoDifference) {
  const TempFolder folder;
  folder.file("config.json", R"({"model_type": "llama", "hidden_size": 4,
      "num_attention_heads": 1, "num_hidden_layers": 1, "rope_theta": 10000})");
  const Tensor half = converted(tensor_of({2}, {1, 0.01F}).view(), DType::bf16);
  write_safetensors(folder / "model.safetensors", {{"rotary_emb.inv_freq", half.view()}});
  const CheckpointFindings findings = check_checkpoint(read_model(folder.path()), folder.path());
  ASSERT_EQ(findings.frequencies.size(), 1U);
  EXPECT_EQ(findings.frequencies[0].fault, Fault::rounded);
  EXPECT_EQ(findings.frequencies[0].dtype, DType::bf16);
  EXPECT_FALSE(findings.differ());
}

TEST(StoredFrequencies, CheckpointThatCannotBeRead) {
  const TempFolder folder;
  folder.file("config.json", R"({"model_type": "llama", "hidden_size": 4,
      "num_attention_heads": 1, "num_hidden_layers": 1, "rope_theta": 10000})");
  folder.file("model.safetensors", "no");
  const CheckpointFindings findings = check_checkpoint(read_model(folder.path()), folder.path());
  EXPECT_FALSE(findings.differ());
  EXPECT_THAT(findings.frequencies_unread, ::testing::HasSubstr("model.safetensors"));
}

}  // namespace
}  // namespace ropewalk
