// Models whose positions are weights of the checkpoint, by what their published config.json says.

#include <string>

#include <gtest/gtest.h>

#include "ropewalk/models/configs_testing.h"
#include "ropewalk/models/models.h"

namespace ropewalk {
namespace {

ModelEncoding read(const std::string& config) { return read_model_config(config, "config.json"); }

template <typename Config>
const Config& input(const ModelEncoding& model, const std::string& name = "input") {
  for (const NamedEncoding& other : model.others) {
    if (other.name == name) return std::get<Config>(other.encoding);
  }
  throw std::runtime_error("no " + name);
}

// google-bert/bert-base-uncased
TEST(Learned, BertHasARowForEachPosition) {
  const ModelEncoding model = read(R"({"model_type": "bert", "hidden_size": 768,
    "max_position_embeddings": 512, "num_attention_heads": 12, "num_hidden_layers": 12,
    "pad_token_id": 0, "position_embedding_type": "absolute"})");
  EXPECT_EQ(input<LearnedConfig>(model),
            (LearnedConfig{
                .rows = 512, .d_model = 768, .tensor = "embeddings.position_embeddings.weight"}));
  EXPECT_EQ(model.layers.size(), 12U);
  EXPECT_TRUE(std::holds_alternative<NoEncoding>(model.layers[0].positions));
  EXPECT_EQ(model.layers[0].attention.mask, Mask::full);
}

// FacebookAI/roberta-base keeps the two rows of its padding among its 514.
TEST(Learned, RobertaCountsFromThePaddingOn) {
  const ModelEncoding model = read(R"({"model_type": "roberta", "hidden_size": 768,
    "max_position_embeddings": 514, "num_attention_heads": 12, "num_hidden_layers": 12,
    "pad_token_id": 1})");
  const LearnedConfig table = input<LearnedConfig>(model);
  EXPECT_EQ(table.rows, 514);
  EXPECT_EQ(table.offset, 2);
  EXPECT_EQ(table.padding_position, 1);
}

// facebook/opt-125m has them beside its 2048.
TEST(Learned, OptHasTwoRowsMore) {
  const ModelEncoding model = read(R"({"model_type": "opt", "hidden_size": 768,
    "max_position_embeddings": 2048, "num_attention_heads": 12, "num_hidden_layers": 12})");
  const LearnedConfig table = input<LearnedConfig>(model);
  EXPECT_EQ(table.rows, 2050);
  EXPECT_EQ(table.offset, 2);
}

TEST(Learned, Gpt2UnderItsOwnKeys) {
  const ModelEncoding model = read(R"({"model_type": "gpt2", "n_embd": 768, "n_head": 12,
    "n_layer": 12, "n_positions": 1024, "n_ctx": 1024})");
  EXPECT_EQ(input<LearnedConfig>(model),
            (LearnedConfig{.rows = 1024, .d_model = 768, .tensor = "wpe.weight"}));
}

// google/vit-base-patch16-224: 14 x 14 patches and a class token; siglip has no such token.
TEST(Learned, APictureHasARowForEachPatch) {
  const ModelEncoding vit = read(R"({"model_type": "vit", "hidden_size": 768, "image_size": 224,
    "patch_size": 16, "num_attention_heads": 12, "num_hidden_layers": 12})");
  EXPECT_EQ(input<LearnedConfig>(vit).rows, 197);
  const ModelEncoding wide = read(R"({"model_type": "vit", "hidden_size": 768,
    "image_size": [224, 448], "patch_size": 16, "num_attention_heads": 12,
    "num_hidden_layers": 12})");
  EXPECT_EQ(input<LearnedConfig>(wide).rows, 14 * 28 + 1);
  const ModelEncoding siglip = read(R"({"model_type": "siglip", "text_config": {
    "model_type": "siglip_text_model"}, "vision_config": {"model_type": "siglip_vision_model",
    "image_size": 384, "patch_size": 14, "hidden_size": 1152, "num_attention_heads": 16}})");
  EXPECT_EQ(input<LearnedConfig>(siglip).rows, 64);
  EXPECT_EQ(input<LearnedConfig>(siglip, "vision input").rows, 27 * 27);
}

TEST(Learned, APatchIsNoLargerThanItsPicture) {
  EXPECT_ROPEWALK_ERROR(
      read(R"({"model_type": "vit", "hidden_size": 64, "image_size": 8, "patch_size": 16,
               "num_attention_heads": 4, "num_hidden_layers": 2})"),
      ErrorCode::malformed, "/patch_size: expected at most the picture's 8 x 8, found 16 x 16");
}

// albert/albert-base-v2: the table is narrower than the model.
TEST(Learned, AlbertsTableIsAsWideAsItsEmbeddings) {
  const ModelEncoding model = read(R"({"model_type": "albert", "hidden_size": 768,
    "embedding_size": 128, "max_position_embeddings": 512, "num_attention_heads": 12,
    "num_hidden_layers": 12})");
  EXPECT_EQ(model.hidden_size, 768);
  EXPECT_EQ(input<LearnedConfig>(model).d_model, 128);
}

const std::string kTextOfLlama = R"("text_config": {"model_type": "llama", "hidden_size": 64,
    "num_attention_heads": 4, "num_hidden_layers": 2})";

// Qwen/Qwen3-VL-8B: the tower turns, and adds a table that is stretched over the picture.
TEST(Learned, ATowerThatTurnsMayAddATableToo) {
  const ModelEncoding model = read(R"({"model_type": "qwen3_vl", "text_config": {
    "model_type": "qwen3_vl_text", "num_hidden_layers": 2}, "vision_config": {"model_type": "qwen3_vl", "depth": 27,
    "hidden_size": 1152, "num_heads": 16, "num_position_embeddings": 2304,
    "spatial_merge_size": 2}})");
  EXPECT_EQ(input<RopeConfig>(model, "vision").position_axes, 2);
  EXPECT_EQ(input<LearnedConfig>(model, "vision input"),
            (LearnedConfig{.rows = 2304,
                           .d_model = 1152,
                           .resampling = Resampling::bilinear_corners,
                           .tensor = "pos_embed.weight"}));
  EXPECT_EQ(value_of(model, "vision num_position_embeddings"), "2304");
}

// moonshotai/Kimi-K2.5's tower: a grid for the picture, sines for the frames of a film.
TEST(Learned, FramesHaveSinesBesideTheGrid) {
  const ModelEncoding model = read(R"({"model_type": "kimi_k25_vision", "pos_emb_width": 32})");
  EXPECT_EQ(input<LearnedConfig>(model).rows, 64 * 32);
  EXPECT_EQ(input<SinusoidalConfig>(model, "frames"),
            (SinusoidalConfig{.d_model = 1152, .layout = SinusoidalLayout::sin_cos}));
}

// Towers whose config is an object of the model's, which may name no type (LLaVA 1.5), or that of
// the whole (IDEFICS).
TEST(Parts, TheTowersOfOlderModels) {
  const ModelEncoding llava = read(R"({"model_type": "llava", )" + kTextOfLlama + R"(,
    "vision_config": {"hidden_size": 1024, "image_size": 336, "patch_size": 14,
    "num_attention_heads": 16, "num_hidden_layers": 24}})");
  EXPECT_EQ(input<LearnedConfig>(llava, "vision input").rows, 24 * 24 + 1);
  const ModelEncoding pixtral = read(R"({"model_type": "llava", )" + kTextOfLlama + R"(,
    "vision_config": {"model_type": "pixtral", "hidden_size": 1024, "num_attention_heads": 16}})");
  ASSERT_EQ(pixtral.others.size(), 1U);
  EXPECT_EQ(input<RopeConfig>(pixtral, "vision").mrope_order, MropeOrder::strided);
  EXPECT_TRUE(pixtral.warnings.empty());
  const ModelEncoding paligemma = read(R"({"model_type": "paligemma", "text_config": {
    "model_type": "gemma", "num_hidden_layers": 2},
    "vision_config": {"model_type": "siglip_vision_model", "hidden_size": 1152,
    "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size": 14}})");
  EXPECT_EQ(input<LearnedConfig>(paligemma, "vision input").rows, 256);
  const ModelEncoding idefics = read(R"({"model_type": "idefics", "hidden_size": 4096,
    "num_attention_heads": 32, "num_hidden_layers": 2, "vision_config": {"model_type": "idefics",
    "embed_dim": 1280, "image_size": 224, "patch_size": 14, "num_attention_heads": 16}})");
  EXPECT_EQ(input<LearnedConfig>(idefics, "vision input").d_model, 1280);
}

// GSAI-ML/LLaDA-8B's class has a switch, in whose place a table stands.
TEST(Learned, LladaWithoutItsRotation) {
  const std::string start = R"({"model_type": "llada", "d_model": 4096, "n_heads": 32,
    "n_layers": 2, "max_sequence_length": 4096, "alibi": )";
  const ModelEncoding rotates = read(start + R"(false, "rope": true})");
  EXPECT_TRUE(std::holds_alternative<RopeConfig>(rotates.layers[0].positions));
  EXPECT_TRUE(rotates.others.empty());
  EXPECT_EQ(input<LearnedConfig>(read(start + R"(false, "rope": false})")).rows, 4096);
  EXPECT_ROPEWALK_ERROR(read(start + R"(true, "rope": false})"), ErrorCode::unsupported, "alibi");
}

// google-t5/t5-small
TEST(Buckets, T5SeesBothSidesInItsEncoder) {
  const ModelEncoding model = read(R"({"model_type": "t5", "d_model": 512, "d_kv": 64,
    "num_heads": 8, "num_layers": 6, "relative_attention_num_buckets": 32})");
  ASSERT_EQ(model.layers.size(), 6U);
  EXPECT_EQ(std::get<BucketBiasConfig>(model.layers[5].positions), (BucketBiasConfig{.heads = 8}));
  EXPECT_EQ(model.layers[0].attention.softmax_scale, 1);
  EXPECT_EQ(model.layers[0].attention.mask, Mask::full);
  EXPECT_FALSE(input<BucketBiasConfig>(model, "decoder").bidirectional);
}

// microsoft/deberta-v3-base
TEST(Relative, DebertaCountsDistancesInBuckets) {
  const ModelEncoding model = read(R"({"model_type": "deberta-v2", "hidden_size": 768,
    "num_attention_heads": 12, "num_hidden_layers": 12, "max_position_embeddings": 512,
    "position_biased_input": false, "max_relative_positions": -1, "position_buckets": 256,
    "relative_attention": true})");
  EXPECT_EQ(std::get<RelativeConfig>(model.layers[0].positions),
            (RelativeConfig{.form = RelativeForm::disentangled, .buckets = 256}));
}

TEST(Relative, TheConformerTurnsOnlyWhenItsKeySaysSo) {
  const std::string start = R"({"model_type": "wav2vec2-conformer", "hidden_size": 768,
    "num_attention_heads": 12, "num_hidden_layers": 12, "position_embeddings_type": )";
  EXPECT_EQ(std::get<RelativeConfig>(read(start + "\"relative\"}").layers[0].positions).form,
            RelativeForm::transformer_xl);
  EXPECT_TRUE(std::holds_alternative<RopeConfig>(read(start + "\"rotary\"}").layers[0].positions));
}

// facebook/wav2vec2-base
TEST(Convolution, TheInputIsConvolved) {
  const ModelEncoding model = read(R"({"model_type": "wav2vec2", "hidden_size": 768,
    "num_attention_heads": 12, "num_hidden_layers": 12, "num_conv_pos_embeddings": 128,
    "num_conv_pos_embedding_groups": 16})");
  EXPECT_EQ(input<ConvolutionConfig>(model), (ConvolutionConfig{.kernel = 128, .groups = 16}));
}

TEST(NoPositions, RecurrentModelsHaveNoLayersToTurn) {
  const ModelEncoding model = read(R"({"model_type": "mamba", "hidden_size": 768})");
  EXPECT_TRUE(model.layers.empty());
  EXPECT_TRUE(model.others.empty());
  EXPECT_EQ(value_of(model, "encoding"), "none");
}

// A part that is not known leaves a note, and the rest its answer.
TEST(Parts, AnUnknownPartIsANote) {
  const ModelEncoding model = read(R"({"model_type": "clip", "text_config": {
    "model_type": "clip_text_model", "hidden_size": 512, "num_attention_heads": 8},
    "vision_config": {"model_type": "no_such_tower"}})");
  EXPECT_EQ(input<LearnedConfig>(model).rows, 77);
  ASSERT_FALSE(model.warnings.empty());
  EXPECT_NE(model.warnings.back().find("the vision is not read"), std::string::npos);
}

}  // namespace
}  // namespace ropewalk
