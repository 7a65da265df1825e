// Transformers of diffusion models, which turn a patch by its frame, row and column, each on
// channels of its own. Their config.json, of diffusers, names the class under /_class_name. Source:
// transformer_*.py, embeddings.py and the pipelines of diffusers 0.42.1.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"attention_head_dim", "axes_dims_rope",
                                              "rope_axes_dim", "patch_size_t"};

constexpr std::string_view kIds = "first id, row, column; text has zeros";
constexpr AxesRule kFlux{.dims_key = "axes_dims_rope", .dims = {16, 56, 56}, .axes_in_words = kIds};
constexpr AxesRule kFlux2{.dims_key = "axes_dims_rope",
                          .dims = {32, 32, 32, 32},
                          .theta_key = "rope_theta",
                          .axes_in_words = "time, row, column, token of the text"};
constexpr AxesRule kKrea2{.dims_key = "axes_dims_rope",
                          .dims = {32, 48, 48},
                          .theta_key = "rope_theta",
                          .axes_in_words = kIds};
constexpr AxesRule kBria{.dims_key = "axes_dims_rope",
                         .dims = {16, 56, 56},
                         .theta_key = "rope_theta",
                         .axes_in_words = kIds};
constexpr AxesRule kHiDream{.dims_key = "axes_dims_rope",
                            .dims = {32, 32},
                            .axes_in_words = "one for each entry of axes_dims_rope"};
constexpr AxesRule kQwenImage{
    .dims_key = "axes_dims_rope", .dims = {16, 56, 56}, .dtype = DType::f32};
constexpr AxesRule kHunyuanVideo{.dims_key = "rope_axes_dim",
                                 .dims = {16, 56, 56},
                                 .theta_key = "rope_theta",
                                 .dtype = DType::f32};
constexpr AxesRule kHunyuanImage{.dims_key = "rope_axes_dim",
                                 .dims = {64, 64},
                                 .theta_key = "rope_theta",
                                 .dtype = DType::f32,
                                 .axes_in_words = "row, column; or frame, row, column"};
constexpr AxesRule kWan{.of_head = AxesRule::Dims::thirds};
constexpr AxesRule kLumina2{.dims_key = "axes_dim_rope",
                            .dims = {32, 32, 32},
                            .axes_in_words = "token of the text, row, column"};
constexpr AxesRule kLuminaNext{.of_head = AxesRule::Dims::halves,
                               .dtype = DType::f32,
                               .order = MropeOrder::alternating,
                               .axes_in_words = "row, column"};
constexpr AxesRule kZImage{.dims_key = "axes_dims",
                           .dims = {32, 48, 48},
                           .theta_key = "rope_theta",
                           .axes_in_words = "token of the text, row, column"};
constexpr AxesRule kCogVideoX{.of_head = AxesRule::Dims::quarter_first, .dtype = DType::f32};
constexpr AxesRule kCogView4{
    .of_head = AxesRule::Dims::halves, .dtype = DType::f32, .axes_in_words = "row, column"};
constexpr AxesRule kStableAudio{
    .of_head = AxesRule::Dims::first_half, .dtype = DType::f32, .axes_in_words = "token"};

constexpr ModelType kTypes[] = {
    diffusion({.name = "FluxTransformer2DModel", .rope_theta = 10000, .axes = &kFlux}),
    diffusion({.name = "Flux2Transformer2DModel",
               .rope_theta = 2000,
               .axes = &kFlux2,
               .encoding = "RoPE interleaved, 4 axes with channels of their own"}),
    diffusion({.name = "ChromaTransformer2DModel", .rope_theta = 10000, .axes = &kFlux}),
    diffusion({.name = "OvisImageTransformer2DModel", .rope_theta = 10000, .axes = &kFlux}),
    diffusion({.name = "LongCatImageTransformer2DModel", .rope_theta = 10000, .axes = &kFlux}),
    diffusion({.name = "BriaTransformer2DModel", .rope_theta = 10000, .axes = &kBria}),
    diffusion({.name = "Krea2Transformer2DModel", .rope_theta = 1000, .axes = &kKrea2}),
    diffusion({.name = "HiDreamImageTransformer2DModel",
               .rope_theta = 10000,
               .axes = &kHiDream,
               .encoding = kAxesOfTheKey}),
    diffusion({.name = "QwenImageTransformer2DModel",
               .rope_theta = 10000,
               .axes = &kQwenImage,
               .remark = "row and column are counted from the middle of the picture"}),
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
    diffusion({.name = "WanTransformer3DModel", .rope_theta = 10000, .axes = &kWan}),
    diffusion({.name = "WanVACETransformer3DModel", .rope_theta = 10000, .axes = &kWan}),
    diffusion({.name = "SkyReelsV2Transformer3DModel", .rope_theta = 10000, .axes = &kWan}),
    diffusion({.name = "Lumina2Transformer2DModel", .rope_theta = 10000, .axes = &kLumina2}),
    diffusion({.name = "LuminaNextDiT2DModel",
               .rope_theta = 10000,
               .axes = &kLuminaNext,
               .encoding = "RoPE interleaved, rows and columns on pairs by turns"}),
    diffusion({.name = "ZImageTransformer2DModel", .rope_theta = 256, .axes = &kZImage}),
    diffusion(
        {.name = "CogVideoXTransformer3DModel",
         .rope_theta = 10000,
         .axes = &kCogVideoX,
         .remark =
             "only the tokens of the video turn; rows and columns are scaled where the picture is "
             "not of the size that was trained",
         .only_if = {.key = "use_rotary_positional_embeddings",
                     .refusal = "expected true: without it a table of sines and cosines for three "
                                "axes is added to "
                                "the input, which is not supported"}}),
    diffusion(
        {.name = "CogView4Transformer2DModel",
         .rope_theta = 10000,
         .axes = &kCogView4,
         .encoding = "RoPE half_split, rows on the first half of the pairs, columns on the second",
         .remark =
             "only the tokens of the picture turn; rows are floor(i rope_axes_dim[0] / height)",
         .pairing = Pairing::half_split}),
    diffusion({.name = "StableAudioDiTModel",
               .rope_theta = 10000,
               .axes = &kStableAudio,
               .encoding = "RoPE half_split on the first half of the head",
               .remark = "only in the attention to itself",
               .pairing = Pairing::half_split}),
    diffusion({.name = "OmniGenTransformer2DModel",
               .rope_theta = 10000,
               .encoding = "RoPE half_split on the whole head, longrope",
               .pairing = Pairing::half_split,
               .special = Special::omnigen}),
};

}  // namespace

constinit const Family family::diffusion{
    .name = "diffusion", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
