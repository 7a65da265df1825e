// GPT-J and CodeGen: neighbours of the first rotary_dim channels turn; the base is written into the
// code. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"rotary_dim", "n_inner"};

constexpr ModelType kTypes[] = {
    {.name = "gptj",
     .architecture = "GPTJForCausalLM",
     .config_class = "GPTJConfig",
     .pairing = Pairing::interleaved,
     .fixed_theta = true,
     .rotary_dim_key = "rotary_dim",
     .rotary_dim = 64,
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::separate, .layer = "h.{}.attn.", .o = "out_proj"}},
    {.name = "codegen",
     .architecture = "CodeGenForCausalLM",
     .config_class = "CodeGenConfig",
     .pairing = Pairing::interleaved,
     .fixed_theta = true,
     .rotary_dim_key = "rotary_dim",
     .rotary_dim = 64,
     .attention = kPlainAttention,
     .weights =
         {.form = QkvForm::fused_in_four, .layer = "h.{}.attn.", .q = "qkv_proj", .o = "out_proj"}},
};

}  // namespace

constinit const Family family::gptj{
    .name = "gptj", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
