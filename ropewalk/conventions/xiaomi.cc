// Xiaomi. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"swa_rope_theta", "hybrid_layer_pattern"};

constexpr LayerKind kMimo[] = {
    {.name = "full_attention", .rope_theta = 5000000},
    {.name = "sliding_attention",
     .windowed = true,
     .theta_key = "swa_rope_theta",
     .rope_theta = 10000,
     .kv_heads_key = "swa_num_key_value_heads",
     .kv_heads_factor = 2},
};

constexpr ModelType kTypes[] = {
    {.name = "mimo_v2_flash",
     .architecture = "MiMoV2FlashForCausalLM",
     .config_class = "MiMoV2FlashConfig",
     .size = {4096, 64, 48},
     .head_dim = 192,
     .kv_heads = 4,
     .max_positions = 131072,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.334,
     .rounds_odd_up = true,
     .layers = {.kinds = kMimo,
                .pattern = "F|SSSSSF",
                .keys = {{LayerKey::kind_numbers, "hybrid_layer_pattern"}}},
     .value_dim = {"v_head_dim", 128},
     .attention = {.known = true,
                   .window = {.key = "sliding_window", .value = 129},
                   .sinks = true,
                   .sinks_in_windows_only = true,
                   .value_multiplier = {"attention_value_scale", 0.707}},
     .weights = {.form = QkvForm::separate, .sinks = "attention_sink_bias"},
     .gguf = gguf_neox("mimo2")},
    {.name = "mimo",
     .architecture = "MiMoForCausalLM",
     .config_class = "MiMoConfig",
     .max_positions = 32768,
     .attention = kPlainAttention,
     .weights = kSeparate},
    model_of_parts({"midashenglm", "MiDashengLMModel", "MiDashengLMConfig", "text_config",
                    "qwen2_5_omni_text"}),
};

}  // namespace

constinit const Family family::xiaomi{
    .name = "xiaomi", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
