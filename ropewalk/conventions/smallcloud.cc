// Refact of Small Magellanic Cloud AI. Source: modeling_gpt_refact.py of
// smallcloudai/Refact-1_6B-fim.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "gpt_refact",
     .architecture = "GPTRefactForCausalLM",
     .config_class = "GPTRefactConfig",
     .kv_heads = 1,
     .max_positions = 1024,
     .positions = Positions::alibi,
     .alibi = {.form = AlibiForm::key_position},
     .attention = kPlainAttention,
     .gguf = {"refact"},
     .encoding = "ALiBi"},
};

}  // namespace

constinit const Family family::smallcloud{.name = "smallcloud", .types = kTypes};

}  // namespace ropewalk
