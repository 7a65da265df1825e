// MiniCPM of OpenBMB.
// Source: modeling_minicpm.py of openbmb/MiniCPM-2B-sft-bf16; modeling_minicpm3.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"scale_emb", "scale_depth", "dim_model_base"};

constexpr ModelType kTypes[] = {
    {.name = "minicpm",
     .architecture = "MiniCPMForCausalLM",
     .config_class = "MiniCPMConfig",
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_norm("minicpm")},
    {.name = "minicpm3",
     .architecture = "MiniCPM3ForCausalLM",
     .config_class = "MiniCPM3Config",
     .size = {2560, 40, 62},
     .kv_heads = 40,
     .max_positions = 32768,
     .yarn_type = "deepseek_yarn",
     .latent = {.nope_dim = 64, .rope_dim = 32, .q_rank = 768, .kv_rank = 256},
     .value_dim = {"v_head_dim", 64},
     .attention = kPlainAttention,
     .weights = kLatent,
     .gguf = gguf_neox("minicpm3")},
};

}  // namespace

constinit const Family family::minicpm{
    .name = "minicpm", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
