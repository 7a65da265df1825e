// OLMo of the Allen Institute for AI.
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"clip_qkv"};

// A rope_scaling of transformers 4 speaks for the layers that see the whole context.
constexpr LayerKind kScaledAndLocal[] = {
    {.name = "full_attention"},
    {.name = "sliding_attention", .windowed = true, .takes_rope_scaling = false},
};
constexpr KeyAlias kMolmo2Aliases[] = {{"layer_norm_eps", "rms_norm_eps"}};

constexpr KeyAlias kMolmoKeys[] = {{"d_model", "hidden_size"},
                                   {"n_heads", "num_attention_heads"},
                                   {"n_kv_heads", "num_key_value_heads"},
                                   {"n_layers", "num_hidden_layers"}};

constexpr Part kMolmo2Parts[] = {part_model("vision", "vision_config", "molmo2_vision")};

constexpr ModelType kTypes[] = {
    {.name = "olmo",
     .architecture = "OlmoForCausalLM",
     .config_class = "OlmoConfig",
     .size = {4096, 32, 32},
     .attention = {.known = true, .clip_qkv = {"clip_qkv"}},
     .weights = kSeparate,
     .gguf = gguf_norm("olmo")},
    {.name = "olmo2",
     .architecture = "Olmo2ForCausalLM",
     .config_class = "Olmo2Config",
     .size = {4096, 32, 32},
     .attention = {.known = true, .qk_norm = rms_norm_of_all(1e-5)},
     .weights = kSeparate,
     .gguf = gguf_neox("olmo2")},
    {.name = "olmo3",
     .architecture = "Olmo3ForCausalLM",
     .config_class = "Olmo3Config",
     .size = {4096, 32, 32},
     .rope_theta = 500000,
     .layers = {.kinds = kScaledAndLocal, .pattern = "SSSF"},
     .attention = {.known = true,
                   .qk_norm = rms_norm_of_all(1e-5),
                   .window = {.key = "sliding_window", .value = 4096}},
     .weights = kSeparate,
     .gguf = gguf_neox("olmo2")},
    {.name = "olmoe",
     .architecture = "OlmoeForCausalLM",
     .config_class = "OlmoeConfig",
     .size = {2048, 16, 16},
     .max_positions = 4096,
     .attention = {.known = true, .qk_norm = rms_norm_of_all(1e-5), .clip_qkv = {"clip_qkv"}},
     .weights = kSeparate,
     .gguf = gguf_neox("olmoe")},
    {.name = "flex_olmo",
     .architecture = "FlexOlmoForCausalLM",
     .config_class = "FlexOlmoConfig",
     .size = {4096, 32, 32},
     .max_positions = 4096,
     .rope_theta = 500000,
     .attention = {.known = true, .qk_norm = rms_norm_of_all(1e-6)},
     .weights = kSeparate},
    {.name = "olmo_hybrid",
     .architecture = "OlmoHybridForCausalLM",
     .config_class = "OlmoHybridConfig",
     .size = {3840, 30, 32},
     .max_positions = 65536,
     .layers = {.kinds = kFullAndLinear, .pattern = "LLLF"},
     .attention = {.known = true, .qk_norm = rms_norm_of_all(1e-6)},
     .weights = kSeparate},
    {.name = "molmo2_text",
     .config_class = "Molmo2TextConfig",
     .aliases = kMolmo2Aliases,
     .size = {4096, 32, 36},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 36864,
     .attention = {.known = true,
                   .qk_norm = {.norm = {.kind = NormKind::rms, .eps = 1e-6},
                               .extent_key = "qk_norm_type"}},
     .weights = {.form = QkvForm::fused, .q = "att_proj", .o = "attn_out"}},
    {.name = "molmo2",
     .architecture = "Molmo2ForConditionalGeneration",
     .config_class = "Molmo2Config",
     .part = "text_config",
     .part_type = "molmo2_text",
     .parts = kMolmo2Parts},
    without_positions("molmo2_adapter", "Molmo2Adapter", "Molmo2AdapterConfig", kNoOrder),
    learned_table({.name = "molmo2_vision",
                   .architecture = "Molmo2VisionModel",
                   .config_class = "Molmo2VisionConfig",
                   .size = {1152, 16, 25},
                   .max_positions = 729,
                   .learned = {.tensor = "positional_embedding"},
                   .max_positions_key = "num_position_embeddings"}),
    {.name = "molmo",
     .architecture = "MolmoForCausalLM",
     .config_class = "MolmoConfig",
     .aliases = kMolmoKeys,
     .max_positions = 4096,
     .rope_theta = 1000000},
    refused("molmo_point", "", "", "its layers are described nowhere that ropewalk reads"),
};

}  // namespace

constinit const Family family::olmo{
    .name = "olmo", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
