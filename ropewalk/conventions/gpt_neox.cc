// GPT-NeoX, Pythia and what grew from them: only the first channels of a head turn.
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"rotary_pct", "use_parallel_residual",
                                              "rotary_emb_base"};

constexpr ModelType kTypes[] = {
    {.name = "gpt_neox",
     .architecture = "GPTNeoXForCausalLM",
     .config_class = "GPTNeoXConfig",
     .size = {6144, 64, 44},
     .theta_key = "rotary_emb_base",
     .fraction = Fraction::leading,
     .rotary_fraction = 0.25,
     .fraction_key = "rotary_pct",
     .rounds_odd_up = true,
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::fused_per_head,
                 .layer = "layers.{}.attention.",
                 .q = "query_key_value",
                 .o = "dense"},
     .gguf = gguf_neox("gptneox")},
    {.name = "gpt_neox_japanese",
     .architecture = "GPTNeoXJapaneseForCausalLM",
     .config_class = "GPTNeoXJapaneseConfig",
     .size = {2560, 32, 32},
     .theta_key = "rotary_emb_base",
     .fraction = Fraction::leading,
     .fraction_key = "rotary_pct",
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::fused_per_head,
                 .layer = "layers.{}.attention.",
                 .q = "query_key_value",
                 .o = "dense"}},
    {.name = "stablelm",
     .architecture = "StableLmForCausalLM",
     .config_class = "StableLmConfig",
     .size = {2560, 32, 32},
     .kv_heads = 32,
     .max_positions = 4096,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.25,
     .attention = {.known = true, .qk_norm = layer_norm_if("qk_layernorm", false)},
     .weights = {.form = QkvForm::separate, .q_norm = "q_layernorm", .k_norm = "k_layernorm"},
     .gguf = gguf_neox("stablelm")},
    {.name = "stablelm_epoch",
     .architecture = "StableLMEpochForCausalLM",
     .config_class = "StableLMEpochConfig",
     .max_positions = 4096,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.25,
     .fraction_key = "rope_pct",
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_neox("stablelm")},
    {.name = "persimmon",
     .architecture = "PersimmonForCausalLM",
     .config_class = "PersimmonConfig",
     .size = {4096, 64, 36},
     .max_positions = 16384,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5,
     .attention = {.known = true, .qk_norm = layer_norm_if("qk_layernorm", true)},
     .weights = {.form = QkvForm::fused_per_head,
                 .q = "query_key_value",
                 .o = "dense",
                 .q_norm = "q_layernorm",
                 .k_norm = "k_layernorm"}},
    {.name = "fuyu",
     .architecture = "FuyuForCausalLM",
     .config_class = "FuyuConfig",
     .part = "text_config",
     .part_type = "persimmon"},
    {.name = "nemotron",
     .architecture = "NemotronForCausalLM",
     .config_class = "NemotronConfig",
     .size = {6144, 48, 32},
     .max_positions = 4096,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5,
     .fraction_key = "rope_percent",
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_neox("nemotron")},
};

}  // namespace

constinit const Family family::gpt_neox{
    .name = "gpt_neox", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
