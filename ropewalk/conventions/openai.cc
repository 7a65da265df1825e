// OpenAI. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"max_source_positions"};

constexpr DefaultRope::Parameter kGptOssRopeParameters[] = {
    {"factor", 32},
    {"beta_fast", 32},
    {"beta_slow", 1},
    {"truncate", 0},
    {"original_max_position_embeddings", 4096}};
constexpr DefaultRope kGptOssRope[] = {{.rope_type = "yarn", .parameters = kGptOssRopeParameters}};

constexpr Part kClipParts[] = {part_model("vision", "vision_config", "clip_vision_model")};

constexpr ModelType kTypes[] = {
    {.name = "gpt_oss",
     .architecture = "GptOssForCausalLM",
     .config_class = "GptOssConfig",
     .size = {2880, 64, 36},
     .head_dim = 64,
     .kv_heads = 8,
     .max_positions = 131072,
     .rope_theta = 150000,
     .default_rope = kGptOssRope,
     .layers = {.kinds = kFullAndSliding, .pattern = "SF"},
     .attention = {.known = true, .window = {.key = "sliding_window", .value = 128}, .sinks = true},
     .weights = kSeparate,
     .gguf = gguf_neox("gpt-oss")},
    {.name = "openai_privacy_filter",
     .architecture = "OpenAIPrivacyFilterForTokenClassification",
     .config_class = "OpenAIPrivacyFilterConfig",
     .size = {640, 14, 8},
     .head_dim = 64,
     .kv_heads = 2,
     .max_positions = 131072,
     .pairing = Pairing::interleaved,
     .rope_theta = 150000,
     .default_rope = kGptOssRope,
     .attention = {.known = true,
                   .mask = Mask::full,
                   .window = {.key = "sliding_window", .value = 128, .all_layers = true},
                   .sinks = true},
     .weights = kSeparate},
    {.name = "whisper",
     .architecture = "WhisperForConditionalGeneration",
     .config_class = "WhisperConfig",
     .max_positions = 1500,
     .positions = Positions::sinusoidal,
     .sinusoidal = {.part = "input of encoder", .layout = SinusoidalLayout::fairseq},
     .learned = {.tensor = "decoder.embed_positions.weight",
                 .part = "input of decoder",
                 .rows = {"max_target_positions", 448}},
     .encoding = "sinusoidal fairseq, added to the input of the encoder"},
    model_of_parts({.name = "clip",
                    .architecture = "CLIPModel",
                    .config_class = "CLIPConfig",
                    .part = "text_config",
                    .part_type = "clip_text_model",
                    .parts = kClipParts}),
    learned_table({.name = "clip_text_model",
                   .architecture = "CLIPTextModel",
                   .config_class = "CLIPTextConfig",
                   .size = {512, 8, 12},
                   .max_positions = 77,
                   .learned = {.tensor = "embeddings.position_embedding.weight"},
                   .mask = Mask::causal}),
    learned_table({.name = "clip_vision_model",
                   .architecture = "CLIPVisionModel",
                   .config_class = "CLIPVisionConfig",
                   .size = {768, 12, 12},
                   .learned = {.tensor = "embeddings.position_embedding.weight",
                               .picture = {.image = 224, .patch = 32, .more = 1}}}),
    learned_table({.name = "gpt2",
                   .architecture = "GPT2Model",
                   .config_class = "GPT2Config",
                   .size = {768, 12, 12},
                   .max_positions = 1024,
                   .learned = {.tensor = "wpe.weight"},
                   .mask = Mask::causal}),
    learned_table({.name = "imagegpt",
                   .architecture = "ImageGPTModel",
                   .config_class = "ImageGPTConfig",
                   .size = {512, 8, 24},
                   .max_positions = 1024,
                   .learned = {.tensor = "wpe.weight"},
                   .mask = Mask::causal}),
    learned_table({.name = "openai-gpt",
                   .architecture = "OpenAIGPTLMHeadModel",
                   .config_class = "OpenAIGPTConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "positions_embed.weight"},
                   .mask = Mask::causal}),
};

}  // namespace

constinit const Family family::openai{
    .name = "openai", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
