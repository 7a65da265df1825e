// GPT-J, GPT-NeoX and Pythia of EleutherAI: only the first channels of a head turn. Source:
// configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"rotary_pct", "use_parallel_residual",
                                              "rotary_emb_base", "rotary_dim", "n_inner"};

constexpr KeyAlias kGptNeoKeys[] = {{"num_heads", "num_attention_heads"}};

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
    {.name = "gptj",
     .architecture = "GPTJForCausalLM",
     .config_class = "GPTJConfig",
     .pairing = Pairing::interleaved,
     .fixed_theta = true,
     .rotary_dim_key = "rotary_dim",
     .rotary_dim = 64,
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::separate, .layer = "h.{}.attn.", .o = "out_proj"}},
    learned_table({.name = "gpt_neo",
                   .architecture = "GPTNeoForCausalLM",
                   .config_class = "GPTNeoConfig",
                   .size = {2048, 16, 24},
                   .max_positions = 2048,
                   .learned = {.tensor = "wpe.weight"},
                   .aliases = kGptNeoKeys,
                   .mask = Mask::causal}),
};

}  // namespace

constinit const Family family::gpt_neox{
    .name = "gpt_neox", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
