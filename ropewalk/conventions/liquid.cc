// Liquid AI: attention among layers of convolution. Source: configuration_*.py and modeling_*.py of
// transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"full_attn_idxs"};

constexpr LayerKind kFullAndConv[] = {
    {.name = "full_attention"},
    {.name = "conv", .rotates = false, .mixer = Mixer::convolution},
};
constexpr KeyAlias kLfm3Aliases[] = {{"rms_norm_eps", "norm_eps"}};
constexpr DefaultRope kLfm3Rope[] = {{.rope_theta = 10000, .kind = "sliding_attention"},
                                     {.rope_type = "proportional",
                                      .rope_theta = 1000000,
                                      .partial_rotary_factor = 0.5,
                                      .kind = "full_attention"}};
// Proportional on the layers that see everything.
constexpr LayerKind kLfm3[] = {
    {.name = "full_attention", .rope_theta = 1000000},
    {.name = "sliding_attention",
     .windowed = true,
     .rope_theta = 10000,
     .takes_rope_scaling = false},
    {.name = "conv", .rotates = false, .mixer = Mixer::convolution},
};

constexpr ModelType kLfm2{
    .name = "lfm2",
    .architecture = "Lfm2ForCausalLM",
    .config_class = "Lfm2Config",
    .size = {2560, 32, 32},
    .kv_heads = 8,
    .max_positions = 128000,
    .rope_theta = 1000000,
    .layers = {.kinds = kFullAndConv, .keys = {{LayerKey::indices, "full_attn_idxs"}}},
    .attention = {.known = true,
                  .qk_norm = {.norm = {.kind = NormKind::rms, .eps = 1e-5}, .eps_key = "norm_eps"}},
    .weights = {.form = QkvForm::separate,
                .o = "out_proj",
                .q_norm = "q_layernorm",
                .k_norm = "k_layernorm"},
    .gguf = gguf_neox("lfm2")};

constexpr Part kLfm2VlParts[] = {part_model("vision", "vision_config", "siglip2_vision_model")};

constexpr Part kLfm3VlParts[] = {part_model("vision", "vision_config", "lfm3_vl_vision")};

constexpr ModelType kTypes[] = {
    kLfm2,
    // Without the causal mask, for embeddings.
    like(kLfm2, {.name = "lfm2_encoder",
                 .architecture = "Lfm2BidirectionalModel",
                 .config_class = "Lfm2Config",
                 .attention = AttentionRule{}}),
    like(kLfm2, {.name = "lfm2_moe",
                 .architecture = "Lfm2MoeForCausalLM",
                 .config_class = "Lfm2MoeConfig",
                 .size = {2048, 32, 32},
                 .layers = LayerRule{.kinds = kFullAndConv},
                 .gguf = gguf_neox("lfm2moe")}),
    {.name = "lfm2_vl",
     .architecture = "Lfm2VlForConditionalGeneration",
     .config_class = "Lfm2VlConfig",
     .part = "text_config",
     .part_type = "lfm2",
     .parts = kLfm2VlParts},
    {.name = "lfm3",
     .architecture = "Lfm3ForCausalLM",
     .config_class = "Lfm3Config",
     .aliases = kLfm3Aliases,
     .size = {2048, 16, 24},
     .head_dim = 128,
     .kv_heads = 4,
     .max_positions = 128000,
     .default_rope = kLfm3Rope,
     .layers = {.kinds = kLfm3, .pattern = "C|SCFC"},
     .attention = {.known = true,
                   .qk_norm = {.norm = {.kind = NormKind::rms, .eps = 1e-5}, .eps_key = "norm_eps"},
                   .window = {.key = "sliding_window", .value = 256},
                   .output_gate = OutputGate::per_head,
                   .gate_on = {"use_attention_gate", true}},
     .weights = kSeparate},
    {.name = "lfm3_vl",
     .architecture = "Lfm3VlForConditionalGeneration",
     .config_class = "Lfm3VlConfig",
     .part = "text_config",
     .part_type = "lfm3",
     .parts = kLfm3VlParts},
    refused("lfm3_vl_vision", "Lfm3VlVisionModel", "Lfm3VlVisionConfig",
            "only some of its layers turn, which a tower does not say"),
};

}  // namespace

constinit const Family family::liquid{
    .name = "liquid", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
