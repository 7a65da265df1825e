#include "ropewalk/diagnose/checkpoint_findings.h"

#include "ropewalk/formats/safetensors.h"
#include "ropewalk/models/models.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/temp_folder.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

namespace fs = std::filesystem;
using testing::random_tensor;

constexpr std::string_view kConfig = R"({"model_type": "llama", "hidden_size": 64, "head_dim": 8,
    "num_attention_heads": 2, "num_hidden_layers": 1})";

TEST(CheckpointFindings, WhichCheckpoint) {
  const TempFolder folder;
  EXPECT_EQ(checkpoint_beside("llama-3-8b"), std::nullopt) << "a preset";
  const fs::path config = folder.file("config.json", kConfig);
  EXPECT_EQ(checkpoint_beside(config), std::nullopt);
  const fs::path index = folder.file("model.safetensors.index.json", "{}");
  EXPECT_EQ(checkpoint_beside(config), index);
  const fs::path single = folder.file("model.safetensors", "");
  EXPECT_EQ(checkpoint_beside(folder.path()), single) << "as transformers looks for them";
  EXPECT_EQ(checkpoint_beside(index), index);
  EXPECT_EQ(checkpoint_beside(folder.file("other.safetensors", "")), folder / "other.safetensors");
  EXPECT_EQ(checkpoint_beside(folder.file("model.gguf", "")), std::nullopt)
      << "a GGUF holds its own weights";
}

TEST(CheckpointFindings, ShapesDiffer) {
  const TempFolder folder;
  folder.file("config.json", kConfig);
  const Tensor weight = random_tensor({64, 64}, 1);
  write_safetensors(folder / "model.safetensors",
                    {{"model.layers.0.self_attn.q_proj.weight", weight.view()}});
  const CheckpointFindings findings = check_checkpoint(read_model(folder.path()), folder.path());
  EXPECT_TRUE(findings.differ());
  ASSERT_EQ(findings.shapes.size(), 1U);
  EXPECT_EQ(findings.shapes[0].expected, (Dims{16, 64}));
  EXPECT_TRUE(findings.frequencies.empty());
}

// An index whose names tell of no frequencies: its files are opened for the shapes alone.
TEST(CheckpointFindings, FilesThatAreMissing) {
  const TempFolder folder;
  folder.file("config.json", kConfig);
  folder.file("model.safetensors.index.json",
              R"({"weight_map": {"model.layers.0.self_attn.q_proj.weight": "1.safetensors"}})");
  const CheckpointFindings findings = check_checkpoint(read_model(folder.path()), folder.path());
  EXPECT_FALSE(findings.differ());
  EXPECT_EQ(findings.frequencies_unread, "");
  EXPECT_THAT(findings.shapes_unread, ::testing::HasSubstr("1.safetensors"));
}

}  // namespace
}  // namespace ropewalk
