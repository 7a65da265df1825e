#include "ropewalk/weights/wrong_shapes.h"

#include <set>

#include "ropewalk/formats/safetensors.h"
#include "ropewalk/models/models.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/fixture.h"
#include "ropewalk/testing/temp_folder.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

namespace fs = std::filesystem;
using testing::Fixture;
using testing::random_tensor;

ModelEncoding llama(const std::string& more) {
  return read_model_config(R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 2,
      "num_hidden_layers": 2)" +
                               more + "}",
                           "config.json");
}

void write(const fs::path& path, int layer, const Dims& q, DType dtype = DType::f32) {
  const std::string prefix = "model.layers." + std::to_string(layer) + ".self_attn.";
  const Tensor of_q = random_tensor(q, 1, dtype), other = random_tensor({64, 64}, 2);
  write_safetensors(path, {{prefix + "q_proj.weight", of_q.view()},
                           {prefix + "k_proj.weight", other.view()},
                           {"vision_tower." + prefix + "q_proj.weight", of_q.view()}});
}

// faults.md B 15: hidden 64, 2 heads, head_dim 8 in the config, q_proj [64, 64].
TEST(WrongShapes, HeadDimOfTheConfig) {
  const TempFolder folder;
  write(folder / "model.safetensors", 0, {64, 64});
  const std::vector<WrongShape> wrong =
      wrong_shapes(folder / "model.safetensors", llama(R"(, "head_dim": 8)"));
  ASSERT_EQ(wrong.size(), 2U);
  EXPECT_EQ(wrong[0].tensor, "model.layers.0.self_attn.q_proj.weight");
  EXPECT_EQ(wrong[0].file, folder / "model.safetensors");
  EXPECT_EQ(wrong[0].head_dim, 8);
  EXPECT_EQ(wrong[0].expected, (Dims{16, 64}));
  EXPECT_EQ(wrong[0].found, (Dims{64, 64}));
  EXPECT_EQ(wrong[1].tensor, "model.layers.0.self_attn.k_proj.weight");
  EXPECT_TRUE(wrong_shapes(folder / "model.safetensors", llama("")).empty());
}

// An index: only the file of the tensors is opened.
TEST(WrongShapes, SeveralFiles) {
  const TempFolder folder;
  write(folder / "1.safetensors", 0, {32, 64});
  const fs::path index = folder.file("model.safetensors.index.json", R"({"weight_map": {
      "model.layers.0.self_attn.q_proj.weight": "1.safetensors",
      "model.embed_tokens.weight": "2.safetensors"}})");
  const std::vector<WrongShape> wrong = wrong_shapes(index, llama(""));
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_EQ(wrong[0].file, folder / "1.safetensors");
  EXPECT_EQ(wrong[0].found, (Dims{32, 64}));
  fs::remove(folder / "1.safetensors");
  EXPECT_ROPEWALK_ERROR(wrong_shapes(index, llama("")), ErrorCode::io, "1.safetensors");
}

TEST(WrongShapes, WhatIsNotLookedAt) {
  const TempFolder folder;
  write(folder / "later.safetensors", 1, {16, 64});
  EXPECT_TRUE(wrong_shapes(folder / "later.safetensors", llama("")).empty())
      << "of layers that are alike the first, which is elsewhere";
  ModelEncoding unknown = llama(R"(, "head_dim": 8)");
  unknown.model_type = "gpt_of_my_own";
  write(folder / "first.safetensors", 0, {16, 64});
  EXPECT_TRUE(wrong_shapes(folder / "first.safetensors", unknown).empty());
  write_safetensors(folder / "packed.safetensors", {{"model.layers.0.self_attn.q_proj.weight",
                                                     make_tensor(DType::u8, {2048, 1}).view()}});
  EXPECT_TRUE(wrong_shapes(folder / "packed.safetensors", llama("")).empty()) << "4 bits a weight";
}

// The layers that the models' own classes wrote: no fault in any, and one where a head is wider.
TEST(WrongShapes, LayersOfTheModelsThemselves) {
  std::set<std::string> found;
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(ROPEWALK_TESTDATA "/reference/attention")) {
    const Fixture fixture("attention/" + entry.path().stem().string());
    if (fixture.info().at("config").is_null()) continue;
    ModelEncoding model = read_model_config(fixture.info().at("config").dump(), "config.json");
    EXPECT_TRUE(wrong_shapes(entry.path(), model).empty()) << entry.path();
    for (Layer& layer : model.layers) layer.head_dim *= 2;
    if (!wrong_shapes(entry.path(), model).empty()) found.insert(model.model_type);
    ++files;
  }
  EXPECT_GT(files, 200U);
  EXPECT_GT(found.size(), 100U);
}

}  // namespace
}  // namespace ropewalk
