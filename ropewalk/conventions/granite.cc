// IBM's Granite.
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"attention_multiplier", "residual_multiplier",
                                              "embedding_multiplier", "logits_scaling"};

constexpr LayerKind kAttentionAndMamba[] = {
    {.name = "linear_attention", .rotates = false, .mixer = Mixer::recurrence},
    {.name = "mamba", .rotates = false, .mixer = Mixer::recurrence},
    {.name = "attention"},
    {.name = "full_attention"},
};

constexpr ModelType kGranite{
    .name = "granite",
    .architecture = "GraniteForCausalLM",
    .config_class = "GraniteConfig",
    .size = {4096, 32, 32},
    .attention = {.known = true, .scale = {.key = "attention_multiplier", .value = 1}},
    .weights = kSeparate,
    .gguf = gguf_norm("granite")};

constexpr Part kGranite4VisionParts[] = {
    part_model("vision", "vision_config", "clip_vision_model")};

constexpr Part kGraniteDoclingParts[] = {
    part_model("vision", "vision_config", "granite_docling_vision")};

constexpr ModelType kTypes[] = {
    kGranite,
    like(kGranite, {.name = "granitemoe",
                    .architecture = "GraniteMoeForCausalLM",
                    .config_class = "GraniteMoeConfig",
                    .gguf = gguf_norm("granitemoe")}),
    like(kGranite, {.name = "granitemoeshared",
                    .architecture = "GraniteMoeSharedForCausalLM",
                    .config_class = "GraniteMoeSharedConfig",
                    .gguf = gguf_norm("granitemoe")}),
    // Layers of attention and of Mamba; position_embedding_type "nope" turns the rotation off.
    {.name = "granitemoehybrid",
     .architecture = "GraniteMoeHybridForCausalLM",
     .config_class = "GraniteMoeHybridConfig",
     .size = {4096, 32, 32},
     .layers = {.kinds = kAttentionAndMamba, .keys = {{LayerKey::names, "layers_block_type"}}},
     .only_if = {.key = "position_embedding_type", .value = "rope", .else_none = true},
     .attention = {.known = true, .scale = {.key = "attention_multiplier", .value = 1}},
     .weights = kSeparate,
     .gguf = gguf_norm("granitehybrid"),
     .encoding = "RoPE half_split on the whole head, or none, by position_embedding_type"},
    // A base for each layer, if layer_rope_theta is there.
    {.name = "granite_swa",
     .architecture = "GraniteSWAForCausalLM",
     .config_class = "GraniteSWAConfig",
     .size = {2560, 20, 24},
     .kv_heads = 4,
     .max_positions = 8192,
     .layers = {.kinds = kFullAndSliding,
                .pattern = "FSSS",
                .keys = {{LayerKey::bases, "layer_rope_theta"}}},
     .attention = {.known = true,
                   .scale = {.key = "attention_multiplier", .value = 1},
                   .window = {.key = "sliding_window", .value = 128},
                   .sinks = true},
     .weights = kSeparate},
    {.name = "granitemoe_swa",
     .architecture = "GraniteMoeSWAForCausalLM",
     .config_class = "GraniteMoeSWAConfig",
     .size = {4096, 32, 32},
     .layers = {.kinds = kFullAndSliding,
                .pattern = "FSSS",
                .keys = {{LayerKey::bases, "layer_rope_theta"}}},
     .attention = {.known = true,
                   .scale = {.key = "attention_multiplier", .value = 1},
                   .window = {.key = "sliding_window", .value = 128},
                   .sinks = true},
     .weights = kSeparate},
    like(kGranite, {.name = "granite4_vision_text", .config_class = "Granite4VisionTextConfig"}),
    {.name = "granite4_vision",
     .architecture = "Granite4VisionForConditionalGeneration",
     .config_class = "Granite4VisionConfig",
     .part = "text_config",
     .part_type = "granite4_vision_text",
     .parts = kGranite4VisionParts},
    {.name = "granite_docling_text",
     .config_class = "GraniteDoclingTextConfig",
     .size = {1024, 16, 28},
     .kv_heads = 4,
     .max_positions = 32768,
     .attention = {.known = true, .scale = {.key = "attention_multiplier", .value = 0.015625}},
     .weights = kSeparate},
    {.name = "granite_docling",
     .architecture = "GraniteDoclingForConditionalGeneration",
     .config_class = "GraniteDoclingConfig",
     .part = "text_config",
     .part_type = "granite_docling_text",
     .parts = kGraniteDoclingParts},
    model_of_parts({"granite_vision", "", "GraniteVisionConfig", "text_config", "granite"}),
};

}  // namespace

constinit const Family family::granite{
    .name = "granite", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
