// BLOOM of BigScience. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"alibi"};

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
};

}  // namespace

constinit const Family family::bigscience{
    .name = "bigscience", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
