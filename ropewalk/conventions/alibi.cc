// Models that add a bias to the scores and do not rotate, and those that can do either.
// Source: configuration_*.py and modeling_*.py of transformers; modeling_gpt_refact.py of
// smallcloudai/Refact-1_6B-fim, modeling_jais.py of inceptionai/jais-13b.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"alibi", "alibi_bias_max", "use_alibi"};
constexpr ModelType kTypes[] = {
    {.name = "bloom",
     .architecture = "BloomForCausalLM",
     .config_class = "BloomConfig",
     .max_positions = 0,
     .max_positions_key = "seq_length",
     .positions = Positions::alibi,
     .alibi = {.form = AlibiForm::key_position},
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::fused_per_head,
                 .layer = "h.{}.self_attention.",
                 .q = "query_key_value",
                 .o = "dense"},
     .gguf = {"bloom"},
     .encoding = "ALiBi"},
    {.name = "mpt",
     .architecture = "MPTForCausalLM",
     .config_class = "MptConfig",
     .positions = Positions::alibi,
     .only_if = {.key = "attn_config/alibi", .without = true},
     .alibi = {.max_bias = {"attn_config/alibi_bias_max", 8}},
     .attention = {.known = true,
                   .scale = {.key = "attn_config/softmax_scale"},
                   .clip_qkv = {"attn_config/clip_qkv"}},
     .weights = {.form = QkvForm::fused, .layer = "blocks.{}.attn.", .q = "Wqkv", .o = "out_proj"},
     .gguf = {"mpt"},
     .encoding = "ALiBi"},
    {.name = "gpt_refact",
     .architecture = "GPTRefactForCausalLM",
     .config_class = "GPTRefactConfig",
     .kv_heads = 1,
     .max_positions = 1024,
     .positions = Positions::alibi,
     .alibi = {.form = AlibiForm::key_position},
     .attention = kPlainAttention,
     .gguf = {"refact"},
     .encoding = "ALiBi"},
    {.name = "jais",
     .architecture = "JAISLMHeadModel",
     .config_class = "JAISConfig",
     .positions = Positions::alibi,
     .only_if = {.key = "position_embedding_type", .value = "alibi"},
     .attention = kPlainAttention,
     .gguf = {"jais"},
     .encoding = "ALiBi"},
};

}  // namespace

constinit const Family family::alibi{
    .name = "alibi", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
