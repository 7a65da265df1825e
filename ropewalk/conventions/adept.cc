// Adept. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
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
};

}  // namespace

constinit const Family family::adept{.name = "adept", .types = kTypes};

}  // namespace ropewalk
