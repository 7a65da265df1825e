// ModernBERT of Answer.AI and LightOn. Source: configuration_*.py and modeling_*.py of
// transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"global_rope_theta", "local_rope_theta",
                                              "global_attn_every_n_layers"};

constexpr LayerKind kGlobalAndLocal[] = {
    {.name = "full_attention", .theta_key = "global_rope_theta", .rope_theta = 160000},
    {.name = "sliding_attention",
     .windowed = true,
     .theta_key = "local_rope_theta",
     .rope_theta = 10000},
};
constexpr LayerRule kModernBert{.kinds = kGlobalAndLocal,
                                .pattern = "FSS",
                                .keys = {{LayerKey::every, "global_attn_every_n_layers"}}};

constexpr ModelType kModernBertRow{
    .name = "modernbert",
    .architecture = "ModernBertModel",
    .config_class = "ModernBertConfig",
    .size = {768, 12, 22},
    .max_positions = 8192,
    .layers = kModernBert,
    .attention = {.known = true,
                  .mask = Mask::full,
                  .window = {.key = "local_attention", .value = 128, .divisor = 2}},
    .weights = {.form = QkvForm::fused, .layer = "layers.{}.attn.", .q = "Wqkv", .o = "Wo"},
    .gguf = gguf_neox("modern-bert")};

constexpr ModelType kTypes[] = {
    kModernBertRow,
    like(
        kModernBertRow,
        {.name = "modernbert-decoder",
         .architecture = "ModernBertDecoderForCausalLM",
         .config_class = "ModernBertDecoderConfig",
         .attention =
             AttentionRule{.known = true,
                           .window = {.key = "local_attention", .value = 128, .divisor = 2}},
         .weights = WeightNames{.form = QkvForm::separate, .layer = "layers.{}.attn.", .o = "Wo"}}),
};

}  // namespace

constinit const Family family::answer_ai{
    .name = "answer_ai", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
