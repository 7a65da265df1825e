// Falcon: rotates, or with /alibi adds a bias (Falcon-RW).
// Source: configuration_falcon.py and modeling_falcon.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"alibi", "multi_query", "new_decoder_architecture",
                                              "parallel_attn"};

constexpr ModelType kTypes[] = {
    {.name = "falcon",
     .architecture = "FalconForCausalLM",
     .config_class = "FalconConfig",
     .size = {4544, 71, 32},
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::fused_per_group,
                 .layer = "h.{}.self_attention.",
                 .q = "query_key_value",
                 .o = "dense"},
     .gguf = gguf_neox("falcon"),
     .encoding = "RoPE half_split on the whole head, or ALiBi by the key alibi",
     .special = Special::falcon},
    {.name = "RefinedWebModel",
     .architecture = "RWForCausalLM",
     .config_class = "RWConfig",
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::fused_per_group,
                 .layer = "h.{}.self_attention.",
                 .q = "query_key_value",
                 .o = "dense"},
     .gguf = gguf_neox("falcon"),
     .encoding = "RoPE half_split on the whole head, or ALiBi by the key alibi",
     .special = Special::falcon},
    {.name = "RefinedWeb",
     .architecture = "RWForCausalLM",
     .config_class = "RWConfig of falcon-40b",
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::fused_per_group,
                 .layer = "h.{}.self_attention.",
                 .q = "query_key_value",
                 .o = "dense"},
     .gguf = gguf_neox("falcon"),
     .encoding = "RoPE half_split on the whole head, or ALiBi by the key alibi",
     .special = Special::falcon},
};

}  // namespace

constinit const Family family::falcon{
    .name = "falcon", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
