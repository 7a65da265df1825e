// Zyphra. Source: configuration_*.py and modeling_*.py of transformers.

#include <array>
#include <numbers>
#include <string_view>

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"layers_block_type"};

constexpr LayerKind kHybridAndMamba[] = {
    {.name = "hybrid"},
    {.name = "mamba", .rotates = false, .mixer = Mixer::recurrence},
    {.name = "linear_attention", .rotates = false, .mixer = Mixer::recurrence},
};
// Zamba2Config has one list, of 54 layers.
constexpr std::string_view kZamba2 = "MMMMMMHMMMMMHMMMMMHMMMMMHMMMMMHMMMMMHMMMMMHMMMMHMMMHMM";
constexpr LayerKind kZaya[] = {
    {.name = "hybrid", .rope_theta = 5000000},
    {.name = "hybrid_sliding", .windowed = true, .rope_theta = 10000},
};

constexpr ModelType kTypes[] = {
    {.name = "zamba2",
     .architecture = "Zamba2ForCausalLM",
     .config_class = "Zamba2Config",
     .size = {2560, 32, 54},
     .head_dim_key = "attention_head_dim",
     .max_positions = 4096,
     .layers = {.kinds = kHybridAndMamba,
                .pattern = kZamba2,
                .keys = {{LayerKey::names, "layers_block_type"}}},
     .only_if = {.key = "use_mem_rope", .else_none = true},
     .attention = {.known = true,
                   .scale = {.factor = std::numbers::sqrt2},
                   .not_computed = kHiddenStateBeside},
     .encoding = "RoPE half_split on the whole head with use_mem_rope, else none",
     .special = Special::zamba2},
    {.name = "zaya",
     .architecture = "ZayaForCausalLM",
     .config_class = "ZayaConfig",
     .size = {2048, 8, 40},
     .head_dim = 128,
     .kv_heads = 2,
     .max_positions = 131072,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5,
     .rounds_odd_up = true,
     .layers = {.kinds = kZaya},
     .attention = {.known = true, .not_computed = kConvolvedProjections}},
    without_positions("zamba", "ZambaForCausalLM", "ZambaConfig", kRecurrenceAlone),
    model_of_parts({"zaya1_vl", "", "Zaya1VLConfig", "text_config", "zaya"}),
};

}  // namespace

constinit const Family family::zyphra{
    .name = "zyphra", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
