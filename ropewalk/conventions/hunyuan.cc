// Hunyuan of Tencent: rope_type dynamic with alpha is a base that is larger once and for all.
// Source: configuration_*.py and modeling_*.py of transformers; transformer_*.py of diffusers
// 0.42.1.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"rope_axes_dim", "patch_size_t"};

constexpr AxesRule kHunyuanVideo{.dims_key = "rope_axes_dim",
                                 .dims = {16, 56, 56},
                                 .theta_key = "rope_theta",
                                 .dtype = DType::f32};
constexpr AxesRule kHunyuanImage{.dims_key = "rope_axes_dim",
                                 .dims = {64, 64},
                                 .theta_key = "rope_theta",
                                 .dtype = DType::f32,
                                 .axes_in_words = "row, column; or frame, row, column"};

constexpr ModelType kDense{
    .name = "hunyuan_v1_dense",
    .architecture = "HunYuanDenseV1ForCausalLM",
    .config_class = "HunYuanDenseV1Config",
    .size = {4096, 32, 32},
    .reads_alpha = true,
    .attention = {.known = true, .qk_norm = rms_norm_after(1e-5)},
    .weights = {.form = QkvForm::separate, .q_norm = "query_layernorm", .k_norm = "key_layernorm"},
    .gguf = gguf_neox("hunyuan-dense")};

constexpr Part kHyV4VlParts[] = {part_model("vision", "vision_config", "hy_v4_vl_vision")};

constexpr Part kHunyuanVlParts[] = {part_model("vision", "vision_config", "hunyuan_vl_vision")};

constexpr ModelType kTypes[] = {
    kDense,
    like(kDense, {.name = "hunyuan_v1_moe",
                  .architecture = "HunYuanMoEV1ForCausalLM",
                  .config_class = "HunYuanMoEV1Config",
                  .gguf = gguf_neox("hunyuan-moe")}),
    {.name = "hy_v3",
     .architecture = "HYV3ForCausalLM",
     .config_class = "HYV3Config",
     .size = {4096, 64, 80},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 131072,
     .rope_theta = 11158840,
     .attention = {.known = true, .qk_norm = rms_norm(1e-5)},
     .weights = kSeparate,
     .gguf = gguf_neox("hy_v3")},
    // Four axes (token, column, row, frame), equal in text. transformers gives the two channels of
    // a pair different axes, which is no rotation; here each pair has the axis of its section, as
    // in vLLM, which is the same for text.
    like(kDense, {.name = "hunyuan_vl_text",
                  .architecture = "HunYuanVLForConditionalGeneration",
                  .config_class = "HunYuanVLTextConfig",
                  .multi_axis = MultiAxis{.axes = 4}}),
    {.name = "hunyuan_vl",
     .config_class = "HunYuanVLConfig",
     .part = "text_config",
     .part_type = "hunyuan_vl_text",
     .parts = kHunyuanVlParts},
    {.name = "hy_v4",
     .architecture = "HYV4ForCausalLM",
     .config_class = "HYV4Config",
     .size = {2816, 32, 34},
     .kv_heads = 32,
     .max_positions = 262144,
     .latent = {.nope_dim = 192, .rope_dim = 64, .q_rank = 1536},
     .value_dim = {"v_head_dim", 256},
     .attention = {.known = true, .sinks = true, .not_computed = kSparseIndexer}},
    diffusion({.name = "HunyuanVideoTransformer3DModel",
               .rope_theta = 256,
               .axes = &kHunyuanVideo,
               .remark = "only the tokens of the video turn, not those of the text"}),
    diffusion({.name = "HunyuanVideo15Transformer3DModel",
               .rope_theta = 256,
               .axes = &kHunyuanVideo,
               .remark = "only the tokens of the video turn, not those of the text"}),
    diffusion({.name = "HunyuanImageTransformer2DModel",
               .rope_theta = 256,
               .axes = &kHunyuanImage,
               .encoding = kAxesOfTheKey}),
    learned_table(
        {.name = "hunyuan_vl_vision",
         .architecture = "HunYuanVLVisionTransformer",
         .config_class = "HunYuanVLVisionConfig",
         .size = {1152, 16, 27},
         .learned =
             {.tensor = "embeddings.position_embedding.weight",
              .picture = {.image_key = "max_image_size", .image = 2048, .patch = 16, .more = 1}}}),
    model_of_parts({.name = "hy_v4_vl",
                    .architecture = "HYV4VLForConditionalGeneration",
                    .config_class = "HYV4VLConfig",
                    .part = "text_config",
                    .part_type = "hy_v4_vl_text",
                    .parts = kHyV4VlParts}),
    learned_table(
        {.name = "hy_v4_vl_vision",
         .architecture = "HYV4VLVisionModel",
         .config_class = "HYV4VLVisionConfig",
         .size = {1536, 16, 40},
         .learned =
             {.tensor = "embeddings.position_embedding.weight",
              .picture = {.image_key = "max_image_size", .image = 2048, .patch = 16, .more = 1}}}),
    refused("hy_v4_vl_text", "HYV4VLTextModel", "HYV4VLTextConfig",
            "latent heads with positions of three axes, which is not supported"),
};

}  // namespace

constinit const Family family::hunyuan{
    .name = "hunyuan", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
