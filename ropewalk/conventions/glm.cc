// GLM-4 and later of Z.ai as transformers and diffusers have them (model_type chatglm: chatglm.cc).
// Source: configuration_*.py and modeling_*.py of transformers; transformer_*.py of diffusers
// 0.42.1.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr KeyAlias kGlmLiteAliases[] = {{"head_dim", "qk_rope_head_dim"}};
constexpr MultiAxis kSections{.axes = 3, .section = {8, 12, 12}};
constexpr AxesRule kCogVideoX{.of_head = AxesRule::Dims::quarter_first, .dtype = DType::f32};
constexpr AxesRule kCogView4{
    .of_head = AxesRule::Dims::halves, .dtype = DType::f32, .axes_in_words = "row, column"};

constexpr ModelType kGlm{.name = "glm",
                         .architecture = "GlmForCausalLM",
                         .config_class = "GlmConfig",
                         .size = {4096, 32, 40},
                         .head_dim = 128,
                         .kv_heads = 2,
                         .max_positions = 131072,
                         .pairing = Pairing::interleaved,
                         .fraction = Fraction::leading,
                         .rotary_fraction = 0.5,
                         .rounds_odd_up = true,
                         .attention = kPlainAttention,
                         .weights = kSeparate,
                         .gguf = gguf_norm("chatglm")};

constexpr ModelType kGlm4vText{.name = "glm4v_text",
                               .config_class = "Glm4vTextConfig",
                               .size = {4096, 32, 40},
                               .kv_heads = 2,
                               .max_positions = 32768,
                               .pairing = Pairing::interleaved,
                               .fraction = Fraction::leading,
                               .rounds_odd_up = true,
                               .multi_axis = kSections,
                               .attention = kPlainAttention,
                               .weights = kSeparate};

constexpr ModelType kGlm4Moe{.name = "glm4_moe",
                             .architecture = "Glm4MoeForCausalLM",
                             .config_class = "Glm4MoeConfig",
                             .size = {4096, 96, 46},
                             .kv_heads = 8,
                             .max_positions = 131072,
                             .fraction = Fraction::leading,
                             .rotary_fraction = 0.5,
                             .rounds_odd_up = true,
                             .attention = {.known = true,
                                           .qk_norm = {.norm = {.kind = NormKind::rms, .eps = 1e-5},
                                                       .on = {"use_qk_norm", false}}},
                             .weights = kSeparate,
                             .gguf = gguf_neox("glm4moe")};

constexpr Part kGlm5NextParts[] = {part_model("vision", "vision_config", "glm5_next_vision")};
constexpr KeyAlias kGlmImageVisionKeys[] = {{"num_heads", "num_attention_heads"},
                                            {"depth", "num_hidden_layers"}};
constexpr Part kGlmgaParts[] = {part_model("vision", "vision_config", "glm4v_vision")};

constexpr Part kGlmImageParts[] = {part_model("vision", "vision_config", "glm_image_vision")};

constexpr Part kGlmAsrParts[] = {part_model("audio", "audio_config", "glmasr_encoder")};

constexpr ModelType kTypes[] = {
    kGlm,
    like(kGlm, {.name = "glm4",
                .architecture = "Glm4ForCausalLM",
                .config_class = "Glm4Config",
                .gguf = gguf_norm("glm4")}),
    kGlm4Moe,
    {.name = "glm4_moe_lite",
     .architecture = "Glm4MoeLiteForCausalLM",
     .config_class = "Glm4MoeLiteConfig",
     .aliases = kGlmLiteAliases,
     .size = {2048, 20, 47},
     .kv_heads = 20,
     .max_positions = 202752,
     .pairing = Pairing::interleaved,
     .yarn_type = kDeepseekYarn,
     .latent = {.nope_dim = 192,
                .rope_dim = 64,
                .writes_half_split = true,
                .key_decides = true,
                .q_rank = 768},
     .value_dim = {"v_head_dim", 256},
     .attention = kPlainAttention,
     .weights = kLatent,
     .gguf = gguf_norm("deepseek2")},
    {.name = "glm_moe_dsa",
     .architecture = "GlmMoeDsaForCausalLM",
     .config_class = "GlmMoeDsaConfig",
     .size = {6144, 64, 78},
     .kv_heads = 64,
     .max_positions = 202752,
     .pairing = Pairing::interleaved,
     .yarn_type = kDeepseekYarn,
     .latent = {.nope_dim = 192, .rope_dim = 64, .writes_half_split = true, .q_rank = 2048},
     .value_dim = {"v_head_dim", 256},
     .attention = {.known = true, .not_computed = kSparseIndexer},
     .gguf = gguf_norm("glm-dsa"),
     .parts = kInterleavedIndexer},
    kGlm4vText,
    {.name = "glm4v",
     .architecture = "Glm4vForConditionalGeneration",
     .config_class = "Glm4vConfig",
     .part = "text_config",
     .part_type = "glm4v_text",
     .parts = kGlmTower},
    vision_tower({"glm4v_vision", "Glm4vVisionConfig", {1536, 12, 24}, &kGlmVision}),
    like(kGlm4Moe, {.name = "glm4v_moe_text",
                    .config_class = "Glm4vMoeTextConfig",
                    .max_positions = 65536,
                    .multi_axis = kSections,
                    .attention = kPlainAttention,
                    .gguf = gguf_neox("glm4moe")}),
    {.name = "glm4v_moe",
     .architecture = "Glm4vMoeForConditionalGeneration",
     .config_class = "Glm4vMoeConfig",
     .part = "text_config",
     .part_type = "glm4v_moe_text",
     .parts = kGlmTower},
    vision_tower({"glm4v_moe_vision", "Glm4vMoeVisionConfig", {1536, 12, 24}, &kGlmVision}),
    {.name = "glm46v",
     .architecture = "Glm46VForConditionalGeneration",
     .config_class = "Glm46VConfig",
     .part = "text_config",
     .part_type = "glm4v_text",
     .parts = kGlmTower},
    like(kGlm4vText, {.name = "glm_ocr_text",
                      .config_class = "GlmOcrTextConfig",
                      .size = {1024, 16, 16},
                      .kv_heads = 8,
                      .max_positions = 131072}),
    {.name = "glm_ocr",
     .architecture = "GlmOcrForConditionalGeneration",
     .config_class = "GlmOcrConfig",
     .part = "text_config",
     .part_type = "glm_ocr_text",
     .parts = kGlmOcrTower},
    vision_tower({"glm_ocr_vision", "GlmOcrVisionConfig", {1024, 16, 24}}),
    {.name = "glm_image_text",
     .config_class = "GlmImageTextConfig",
     .size = {4096, 32, 40},
     .kv_heads = 2,
     .max_positions = 131072,
     .fraction = Fraction::leading,
     .rounds_odd_up = true,
     .multi_axis = {.axes = 3, .section = {8, 12, 12}},
     .attention = kPlainAttention,
     .weights = kSeparate},
    {.name = "glm_image",
     .architecture = "GlmImageForConditionalGeneration",
     .config_class = "GlmImageConfig",
     .part = "text_config",
     .part_type = "glm_image_text",
     .parts = kGlmImageParts},
    {.name = "glmasr_encoder",
     .config_class = "GlmAsrEncoderConfig",
     .size = {1280, 20, 32},
     .kv_heads = 20,
     .max_positions = 1500,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5,
     .rounds_odd_up = true,
     .attention = {.known = true, .mask = Mask::full}},
    {.name = "glmasr",
     .architecture = "GlmAsrForConditionalGeneration",
     .config_class = "GlmAsrConfig",
     .part = "text_config",
     .part_type = "llama",
     .parts = kGlmAsrParts},
    diffusion(
        {.name = "CogVideoXTransformer3DModel",
         .rope_theta = 10000,
         .axes = &kCogVideoX,
         .remark =
             "only the tokens of the video turn; rows and columns are scaled where the picture is "
             "not of the size that was trained",
         .only_if = {.key = "use_rotary_positional_embeddings",
                     .refusal = "expected true, found false; without it a table of sines and "
                                "cosines for three axes is added to the input, which is not "
                                "supported"}}),
    diffusion(
        {.name = "CogView4Transformer2DModel",
         .rope_theta = 10000,
         .axes = &kCogView4,
         .encoding = "RoPE half_split, rows on the first half of the pairs, columns on the second",
         .remark =
             "only the tokens of the picture turn; rows are floor(i rope_axes_dim[0] / height)",
         .pairing = Pairing::half_split}),
    model_of_parts({.name = "glm5_next",
                    .architecture = "Glm5NextForConditionalGeneration",
                    .config_class = "Glm5NextConfig",
                    .part = "text_config",
                    .part_type = "glm5_next_text",
                    .parts = kGlm5NextParts}),
    without_positions("glm5_next_text", "Glm5NextTextModel", "Glm5NextTextConfig",
                      kRecurrenceAlone),
    learned_table({.name = "glm_image_vision",
                   .architecture = "GlmImageVisionModel",
                   .config_class = "GlmImageVisionConfig",
                   .size = {1536, 16, 40},
                   .learned = {.tensor = "embeddings.position_embedding.weight",
                               .resampling = Resampling::bilinear,
                               .picture = {.image = 2048, .patch = 16}},
                   .aliases = kGlmImageVisionKeys}),
    without_positions("glm_image_vqmodel", "GlmImageVQVAE", "GlmImageVQVAEConfig",
                      kConvolutionsAlone),
    model_of_parts({.name = "glmga",
                    .architecture = "Glm46VModel",
                    .config_class = "GlmgaConfig",
                    .part = "text_config",
                    .part_type = "glm4v_text",
                    .parts = kGlmgaParts}),
    vision_tower({"glm5_next_vision", "Glm5NextVisionConfig", {1024, 16, 24}}),
};

}  // namespace

constinit const Family family::glm{.name = "glm", .types = kTypes};

}  // namespace ropewalk
