// Databricks and MosaicML. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"attn_config", "alibi_bias_max"};

constexpr ModelType kTypes[] = {
    {.name = "dbrx",
     .architecture = "DbrxForCausalLM",
     .config_class = "DbrxConfig",
     .size = {2048, 16, 24},
     .kv_heads = 1,
     .attention = {.known = true, .clip_qkv = {"attn_config/clip_qkv"}},
     .weights = {.form = QkvForm::fused,
                 .layer = "blocks.{}.norm_attn_norm.attn.",
                 .q = "Wqkv",
                 .o = "out_proj"},
     .gguf = gguf_neox("dbrx"),
     .special = Special::dbrx},
    {.name = "mpt",
     .architecture = "MPTForCausalLM",
     .config_class = "MptConfig",
     .size = {2048, 16, 24},
     .positions = Positions::alibi,
     .only_if = {.key = "attn_config/alibi",
                 .without = true,
                 .never = "rope",
                 .never_why =
                     "expected false, found true: the rotation of MPT's code is not supported"},
     .alibi = {.max_bias = {"attn_config/alibi_bias_max", 8}},
     .learned = {.tensor = "wpe.weight", .on = {"learned_pos_emb", true}},
     .attention = {.known = true,
                   .scale = {.key = "attn_config/softmax_scale"},
                   .clip_qkv = {"attn_config/clip_qkv"}},
     .weights = {.form = QkvForm::fused, .layer = "blocks.{}.attn.", .q = "Wqkv", .o = "out_proj"},
     .gguf = {"mpt"},
     .encoding = "ALiBi, without attn_config.alibi a learned table"},
};

}  // namespace

constinit const Family family::databricks{
    .name = "databricks", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
