// Salesforce. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
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
    sinusoidal_table("ctrl", "CTRLLMHeadModel", "CTRLConfig", 256, {}, kSinCosAdded),
};

}  // namespace

constinit const Family family::salesforce{.name = "salesforce", .types = kTypes};

}  // namespace ropewalk
