// Gemma 1 to 4 and the models made of them.
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/models/family.h"
#include "ropewalk/models/layer_kinds.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"rope_local_base_freq", "query_pre_attn_scalar",
                                              "final_logit_softcapping", "sliding_window_pattern"};

// A rope_scaling of transformers 4 speaks for the layers that see the whole context.
constexpr LayerKind kGlobalAndLocal[] = {
    {.name = "full_attention"},
    {.name = "sliding_attention",
     .theta_key = "rope_local_base_freq",
     .rope_theta = 10000,
     .takes_rope_scaling = false},
};
constexpr LayerKind kGemma4[] = {
    {.name = "full_attention",
     .rope_theta = 1000000,
     .head_dim_key = "global_head_dim",
     .head_dim = 512},
    {.name = "sliding_attention", .rope_theta = 10000, .takes_rope_scaling = false},
};
constexpr LayerKind kRecurrent[] = {
    {.name = "sliding_attention"},
    {.name = "linear_attention", .rotates = false},
    {.name = "attention"},  // as the files of transformers 4 name the two
    {.name = "recurrent", .rotates = false},
};
constexpr std::string_view kGemma4Rope =
    R"({"sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
        "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25,
                           "rope_theta": 1000000.0}})";

constexpr ModelType kTypes[] = {
    {.name = "gemma",
     .architecture = "GemmaForCausalLM",
     .config_class = "GemmaConfig",
     .size = {3072, 16, 28},
     .head_dim = 256,
     .kv_heads = 16,
     .max_positions = 8192,
     .gguf = gguf_neox("gemma")},
    {.name = "gemma2",
     .architecture = "Gemma2ForCausalLM",
     .config_class = "Gemma2Config",
     .size = {2304, 8, 26},
     .head_dim = 256,
     .kv_heads = 4,
     .max_positions = 8192,
     .scale_key = "query_pre_attn_scalar",
     .scale_default = 256,
     .scale_is_inverse_root = true,
     .gguf = gguf_neox("gemma2")},
    {.name = "vaultgemma",
     .architecture = "VaultGemmaForCausalLM",
     .config_class = "VaultGemmaConfig",
     .size = {2304, 8, 26},
     .head_dim = 256,
     .kv_heads = 4,
     .max_positions = 8192,
     .scale_key = "query_pre_attn_scalar",
     .scale_default = 256,
     .scale_is_inverse_root = true},
    {.name = "gemma3_text",
     .architecture = "Gemma3ForCausalLM",
     .config_class = "Gemma3TextConfig",
     .size = {2304, 8, 26},
     .head_dim = 256,
     .kv_heads = 4,
     .max_positions = 131072,
     .rope_theta = 1000000,
     .layers = {.kinds = kGlobalAndLocal, .period = 6, .period_key = "sliding_window_pattern"},
     .q_k_norm = kNormBefore,
     .scale_key = "query_pre_attn_scalar",
     .scale_default = 256,
     .scale_is_inverse_root = true,
     .gguf = gguf_neox("gemma3")},
    {.name = "gemma3",
     .architecture = "Gemma3ForConditionalGeneration",
     .config_class = "Gemma3Config",
     .part = "text_config",
     .part_type = "gemma3_text"},
    {.name = "gemma3n_text",
     .architecture = "Gemma3nForCausalLM",
     .config_class = "Gemma3nTextConfig",
     .size = {2048, 8, 35},
     .head_dim = 256,
     .kv_heads = 2,
     .max_positions = 32768,
     .rope_theta = 1000000,
     .layers = {.kinds = kGlobalAndLocal, .period = 5},
     .q_k_norm = kNormBefore,
     .remark = "the softmax scale is 1",
     .gguf = gguf_neox("gemma3n")},
    {.name = "gemma3n",
     .architecture = "Gemma3nForConditionalGeneration",
     .config_class = "Gemma3nConfig",
     .part = "text_config",
     .part_type = "gemma3n_text"},
    {.name = "gemma4_text",
     .architecture = "Gemma4ForCausalLM",
     .config_class = "Gemma4TextConfig",
     .size = {2304, 8, 30},
     .head_dim = 256,
     .kv_heads = 4,
     .max_positions = 131072,
     .rope_parameters = kGemma4Rope,
     .layers = {.kinds = kGemma4, .period = 6, .last_is_first_kind = true},
     .q_k_norm = kNormBefore,
     .remark = "the softmax scale is 1",
     .gguf = gguf_neox("gemma4")},
    {.name = "gemma4",
     .architecture = "Gemma4ForConditionalGeneration",
     .config_class = "Gemma4Config",
     .part = "text_config",
     .part_type = "gemma4_text"},
    {.name = "recurrent_gemma",
     .architecture = "RecurrentGemmaForCausalLM",
     .config_class = "RecurrentGemmaConfig",
     .size = {2560, 10, 26},
     .max_positions = 0,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5,
     .layers = {.kinds = kRecurrent, .period = 3, .list_key = "block_types"}},
    {.name = "paligemma",
     .architecture = "PaliGemmaForConditionalGeneration",
     .config_class = "PaliGemmaConfig",
     .part = "text_config",
     .part_type = "gemma"},
};

}  // namespace

constinit const Family family::gemma{
    .name = "gemma", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
