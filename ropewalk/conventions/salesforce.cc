// Salesforce. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr Part kBlipParts[] = {part_model("vision", "vision_config", "blip_vision_model")};
constexpr Part kBlip2Parts[] = {part_model("vision", "vision_config", "blip_2_vision_model"),
                                part_model("qformer", "qformer_config", "blip_2_qformer")};
constexpr Part kInstructblipParts[] = {
    part_model("vision", "vision_config", "instructblip_vision_model"),
    part_model("qformer", "qformer_config", "instructblip_qformer")};
constexpr Part kInstructblipvideoParts[] = {
    part_model("vision", "vision_config", "instructblipvideo_vision_model"),
    part_model("qformer", "qformer_config", "instructblipvideo_qformer")};

constexpr ModelType kTypes[] = {
    {.name = "codegen",
     .architecture = "CodeGenForCausalLM",
     .config_class = "CodeGenConfig",
     .pairing = Pairing::interleaved,
     .fixed_theta = true,
     .rotary_dim_key = "rotary_dim",
     .rotary_dim = 64,
     .attention = kPlainAttention,
     .weights =
         {.form = QkvForm::fused_in_four, .layer = "h.{}.attn.", .q = "qkv_proj", .o = "out_proj"}},
    sinusoidal_table("ctrl", "CTRLLMHeadModel", "CTRLConfig", 256, {}, kSinCosAdded),
    model_of_parts({.name = "blip",
                    .architecture = "BlipForConditionalGeneration",
                    .config_class = "BlipConfig",
                    .part = "text_config",
                    .part_type = "blip_text_model",
                    .parts = kBlipParts}),
    model_of_parts({.name = "blip-2",
                    .architecture = "Blip2ForConditionalGeneration",
                    .config_class = "Blip2Config",
                    .part = "text_config",
                    .part_type = "opt",
                    .parts = kBlip2Parts}),
    without_positions("blip_2_qformer", "Blip2QFormerModel", "Blip2QFormerConfig", kNoOrder),
    learned_table({.name = "blip_2_vision_model",
                   .architecture = "Blip2VisionModel",
                   .config_class = "Blip2VisionConfig",
                   .size = {1408, 16, 39},
                   .learned = {.tensor = "embeddings.position_embedding",
                               .picture = {.image = 224, .patch = 14, .more = 1}}}),
    learned_table({.name = "blip_text_model",
                   .architecture = "BlipTextModel",
                   .config_class = "BlipTextConfig",
                   .size = {768, 8, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight"}}),
    learned_table({.name = "blip_vision_model",
                   .architecture = "BlipVisionModel",
                   .config_class = "BlipVisionConfig",
                   .size = {768, 12, 12},
                   .learned = {.tensor = "embeddings.position_embedding",
                               .picture = {.image = 384, .patch = 16, .more = 1}}}),
    model_of_parts({.name = "instructblip",
                    .architecture = "InstructBlipForConditionalGeneration",
                    .config_class = "InstructBlipConfig",
                    .part = "text_config",
                    .part_type = "opt",
                    .parts = kInstructblipParts}),
    learned_table({.name = "instructblip_qformer",
                   .architecture = "InstructBlipQFormerModel",
                   .config_class = "InstructBlipQFormerConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight"}}),
    learned_table({.name = "instructblip_vision_model",
                   .architecture = "InstructBlipVisionModel",
                   .config_class = "InstructBlipVisionConfig",
                   .size = {1408, 16, 39},
                   .learned = {.tensor = "embeddings.position_embedding",
                               .picture = {.image = 224, .patch = 14, .more = 1}}}),
    model_of_parts({.name = "instructblipvideo",
                    .architecture = "InstructBlipVideoForConditionalGeneration",
                    .config_class = "InstructBlipVideoConfig",
                    .part = "text_config",
                    .part_type = "opt",
                    .parts = kInstructblipvideoParts}),
    learned_table({.name = "instructblipvideo_qformer",
                   .architecture = "InstructBlipVideoQFormerModel",
                   .config_class = "InstructBlipVideoQFormerConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight"}}),
    learned_table({.name = "instructblipvideo_vision_model",
                   .architecture = "InstructBlipVideoVisionModel",
                   .config_class = "InstructBlipVideoVisionConfig",
                   .size = {1408, 16, 39},
                   .learned = {.tensor = "embeddings.position_embedding",
                               .picture = {.image = 224, .patch = 14, .more = 1}}}),
};

}  // namespace

constinit const Family family::salesforce{.name = "salesforce", .types = kTypes};

}  // namespace ropewalk
