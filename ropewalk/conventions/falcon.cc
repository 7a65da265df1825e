// Falcon of the Technology Innovation Institute: rotates, or with /alibi adds a bias (Falcon-RW).
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"alibi", "multi_query", "new_decoder_architecture",
                                              "parallel_attn"};

constexpr ModelType kRefinedWeb{
    .name = "RefinedWebModel",
    .architecture = "RWForCausalLM",
    .config_class = "RWConfig",
    .attention = kPlainAttention,
    .weights = {.form = QkvForm::fused_per_group,
                .layer = "h.{}.self_attention.",
                .q = "query_key_value",
                .o = "dense"},
    .gguf = gguf_neox("falcon"),
    .encoding = "RoPE half_split on the whole head, or ALiBi by the key alibi",
    .special = Special::falcon};

constexpr ModelType kTypes[] = {
    like(kRefinedWeb, {.name = "falcon",
                       .architecture = "FalconForCausalLM",
                       .config_class = "FalconConfig",
                       .size = {4544, 71, 32},
                       .gguf = gguf_neox("falcon")}),
    kRefinedWeb,
    like(kRefinedWeb, {.name = "RefinedWeb",
                       .architecture = "RWForCausalLM",
                       .config_class = "RWConfig of falcon-40b",
                       .gguf = gguf_neox("falcon")}),
    {.name = "falcon_h1",
     .architecture = "FalconH1ForCausalLM",
     .config_class = "FalconH1Config",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 8192,
     .attention = {.known = true, .key_multiplier = {"key_multiplier", 1}},
     .weights = kSeparate,
     .gguf = gguf_neox("falcon-h1")},
    without_positions("falcon_mamba", "FalconMambaForCausalLM", "FalconMambaConfig",
                      kRecurrenceAlone),
    refused("falcon_ocr", "", "FalconOcrConfig",
            "half of a head turns by directions of the checkpoint, freqs_cis_golden, which is not "
            "supported"),
};

}  // namespace

constinit const Family family::falcon{
    .name = "falcon", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
