// EXAONE of LG AI Research: since the fourth only the layers with a window rotate.
// Source: modeling_exaone.py of LGAI-EXAONE/EXAONE-3.5-7.8B-Instruct; configuration_*.py and
// modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

// In files of transformers 4 sliding_window_pattern is "LLLG", or a number.
constexpr LayerKind kGlobalAndLocal[] = {
    {.name = "full_attention", .letter = 'G', .rotates = false},
    {.name = "sliding_attention", .letter = 'L', .windowed = true},
};

constexpr ModelType kExaone4{
    .name = "exaone4",
    .architecture = "Exaone4ForCausalLM",
    .config_class = "Exaone4Config",
    .size = {4096, 32, 32},
    .kv_heads = 32,
    .layers = {.kinds = kGlobalAndLocal,
               .pattern = "LLLG",
               .keys = {{LayerKey::letters_repeat, "sliding_window_pattern"},
                        {LayerKey::every, "sliding_window_pattern"},
                        {LayerKey::alike_if_null, "sliding_window"}}},
    .attention = {.known = true,
                  .qk_norm = rms_norm(1e-5),
                  .window = {.key = "sliding_window", .value = 4096}},
    .weights = kSeparate,
    .gguf = gguf_neox("exaone4")};

constexpr ModelType kTypes[] = {
    {.name = "exaone",
     .architecture = "ExaoneForCausalLM",
     .config_class = "ExaoneConfig",
     .rope_theta = 500000,  // the code that came with the files had 10000
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::separate, .layer = "h.{}.attn.attention.", .o = "out_proj"},
     .gguf = gguf_neox("exaone")},
    kExaone4,
    like(kExaone4, {.name = "exaone_moe",
                    .architecture = "ExaoneMoeForCausalLM",
                    .config_class = "ExaoneMoeConfig",
                    .gguf = gguf_neox("exaone-moe")}),
    // The text of a released EXAONE 4.5, by the name that its own files have.
    like(kExaone4, {.name = "exaone4_5_text", .config_class = "Exaone4_5_TextConfig"}),
    {.name = "exaone4_5",
     .architecture = "Exaone4_5_ForConditionalGeneration",
     .config_class = "Exaone4_5_Config",
     .part = "text_config",
     .part_type = "exaone4",
     .parts = kGridTower},
    vision_tower({"exaone4_5_vision", "Exaone4_5_VisionConfig", {3584, 16, 32}}),
};

}  // namespace

constinit const Family family::exaone{.name = "exaone", .types = kTypes};

}  // namespace ropewalk
