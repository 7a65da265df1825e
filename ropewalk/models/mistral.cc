// Mistral, Mixtral, Ministral, and what Mistral AI built on them.
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/models/family.h"
#include "ropewalk/models/vision.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"num_local_experts", "llama_4_scaling"};
constexpr std::string_view kBeta[] = {"llama_4_scaling_beta"};
constexpr std::string_view kTemperature =
    "after the rotation q is multiplied by 1 + llama_4_scaling_beta ln(1 + floor(p / "
    "original_max_position_embeddings))";

constexpr ModelType kTypes[] = {
    {.name = "mistral",
     .architecture = "MistralForCausalLM",
     .config_class = "MistralConfig",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 131072,
     .gguf = gguf_norm("llama")},
    {.name = "mixtral",
     .architecture = "MixtralForCausalLM",
     .config_class = "MixtralConfig",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 131072,
     .rope_theta = 1000000,
     .gguf = gguf_norm("llama")},
    {.name = "ministral",
     .architecture = "MinistralForCausalLM",
     .config_class = "MinistralConfig",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 131072,
     .gguf = gguf_norm("llama")},
    {.name = "ministral3",
     .architecture = "Ministral3ForCausalLM",
     .config_class = "Ministral3Config",
     .size = {4096, 32, 34},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 262144,
     .rope_theta = 1000000,
     .rope_parameters =
         R"({"rope_type": "yarn", "rope_theta": 1000000.0, "factor": 16.0, "beta_fast": 32.0,
             "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.1,
             "original_max_position_embeddings": 16384})",
     .block_facts = kBeta,
     .remark = kTemperature,
     .gguf = gguf_norm("mistral3")},
    {.name = "mistral4",
     .architecture = "Mistral4ForCausalLM",
     .config_class = "Mistral4Config",
     .size = {4096, 32, 36},
     .kv_heads = 32,
     .max_positions = 1048576,
     .pairing = Pairing::interleaved,
     .rope_parameters =
         R"({"rope_type": "yarn", "rope_theta": 10000.0, "factor": 128.0, "beta_fast": 32.0,
             "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.1,
             "original_max_position_embeddings": 8192})",
     .block_facts = kBeta,
     .yarn_type = "deepseek_yarn",
     .latent = {.nope_dim = 64, .rope_dim = 64, .writes_half_split = true, .key_decides = true},
     .remark = kTemperature,
     .gguf = gguf_norm("mistral4")},
    {.name = "mistral3",
     .architecture = "Mistral3ForConditionalGeneration",
     .config_class = "Mistral3Config",
     .part = "text_config",
     .part_type = "mistral",
     .others = add_pixtral_vision},
    {.name = "voxtral",
     .architecture = "VoxtralForConditionalGeneration",
     .config_class = "VoxtralConfig",
     .part = "text_config",
     .part_type = "llama"},
    {.name = "voxtral_realtime_text",
     .config_class = "VoxtralRealtimeTextConfig",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 131072},
    {.name = "mistral_large4_text",
     .config_class = "MistralLarge4TextConfig",
     .size = {6144, 64, 72},
     .kv_heads = 64,
     .max_positions = 1048576,
     .pairing = Pairing::interleaved,
     .rope_parameters =
         R"({"rope_type": "yarn", "rope_theta": 10000.0, "factor": 2048.0, "beta_fast": 32.0,
             "beta_slow": 1.0, "attention_factor": 1.0, "original_max_position_embeddings": 512})",
     .latent = {.nope_dim = 64, .rope_dim = 64, .writes_half_split = true}},
    {.name = "mistral_large4",
     .architecture = "MistralLarge4ForConditionalGeneration",
     .config_class = "MistralLarge4Config",
     .part = "text_config",
     .part_type = "mistral_large4_text",
     .others = add_pixtral_vision},
};

}  // namespace

constinit const Family family::mistral{
    .name = "mistral", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
