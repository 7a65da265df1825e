// Alibaba's models beside Qwen. Source: configuration_*.py and modeling_*.py of transformers;
// transformer_*.py and embeddings.py of diffusers 0.42.1.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr AxesRule kZImage{.dims_key = "axes_dims",
                           .dims = {32, 48, 48},
                           .theta_key = "rope_theta",
                           .axes_in_words = "token of the text, row, column"};

constexpr Part kFunAsrNanoParts[] = {part_model("audio", "audio_config", "fun_asr_nano_encoder")};
constexpr Part kVideoLlama3Parts[] = {
    part_model("vision", "vision_config", "video_llama_3_vision")};

constexpr ModelType kTypes[] = {
    {.name = "gte",
     .architecture = "GteModel",
     .config_class = "GteConfig",
     .size = {768, 12, 12},
     .max_positions = 8192,
     .rope_theta = 160000,
     .attention = {.known = true, .mask = Mask::full},
     .weights = {.form = QkvForm::fused, .layer = "layer.{}.attention.", .q = "qkv_proj"}},
    {.name = "new",
     .architecture = "NewModel",
     .config_class = "NewConfig of Alibaba-NLP/new-impl",
     .max_positions = 8192,
     .attention = {.known = true, .mask = Mask::full}},
    vision_tower(
        {"video_llama_3_vision", "VideoLlama3VisionConfig", {768, 12, 12}, &kVideoLlamaVision}),
    diffusion({.name = "WanTransformer3DModel", .rope_theta = 10000, .axes = &kWanAxes}),
    diffusion({.name = "WanVACETransformer3DModel", .rope_theta = 10000, .axes = &kWanAxes}),
    diffusion({.name = "OvisImageTransformer2DModel", .rope_theta = 10000, .axes = &kFluxAxes}),
    diffusion({.name = "ZImageTransformer2DModel", .rope_theta = 256, .axes = &kZImage}),
    model_of_parts({.name = "fun_asr_nano",
                    .architecture = "FunAsrNanoForConditionalGeneration",
                    .config_class = "FunAsrNanoConfig",
                    .part = "text_config",
                    .part_type = "qwen3",
                    .parts = kFunAsrNanoParts}),
    refused("fun_asr_nano_encoder", "FunAsrNanoEncoder", "FunAsrNanoEncoderConfig",
            "its frames are counted from 1 over the input features, which is not supported"),
    learned_table(
        {.name = "mgp-str",
         .architecture = "MgpstrForSceneTextRecognition",
         .config_class = "MgpstrConfig",
         .size = {768, 12, 12},
         .learned = {.tensor = "mgp_str.embeddings.pos_embed",
                     .picture = {.image = 32, .patch = 4, .more = 1, .image_width = 128}}}),
    model_of_parts({.name = "video_llama_3",
                    .architecture = "VideoLlama3ForConditionalGeneration",
                    .config_class = "VideoLlama3Config",
                    .part = "text_config",
                    .part_type = "qwen2",
                    .parts = kVideoLlama3Parts}),
    model_of_parts({"ovis", "Ovis", "OvisConfig", "llm_config", "qwen2"}),
    model_of_parts({"funaudiochat", "FunAudioChatForConditionalGeneration", "FunAudioChatConfig",
                    "text_config", "qwen3"}),
};

}  // namespace

constinit const Family family::alibaba{.name = "alibaba", .types = kTypes};

}  // namespace ropewalk
