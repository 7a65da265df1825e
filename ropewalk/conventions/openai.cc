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
     .remark = "the positions of the decoder are learned",
     .encoding = "sinusoidal fairseq, added to the input of the encoder"},
    learned_table("gpt2", "GPT2LMHeadModel"),
    learned_table("openai-gpt", "OpenAIGPTLMHeadModel"),
    learned_table("clip", "CLIPModel"),
};

}  // namespace

constinit const Family family::openai{
    .name = "openai", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
