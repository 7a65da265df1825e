// Qwen 1 to 3. Source: modeling_qwen.py of Qwen/Qwen-7B; configuration_*.py and modeling_*.py of
// transformers; transformer_*.py of diffusers 0.42.1.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"use_dynamic_ntk", "use_logn_attn", "rotary_emb_base",
                                              "max_window_layers", "use_sliding_window"};

constexpr AxesRule kQwenImage{
    .dims_key = "axes_dims_rope", .dims = {16, 56, 56}, .dtype = DType::f32};

constexpr ModelType kQwen2{.name = "qwen2",
                           .architecture = "Qwen2ForCausalLM",
                           .config_class = "Qwen2Config",
                           .size = {4096, 32, 32},
                           .kv_heads = 32,
                           .max_positions = 32768,
                           .layers = {.kinds = kFullAndSliding,
                                      .keys = {{LayerKey::second_from, "max_window_layers", 28}}},
                           .attention = {.known = true,
                                         .window = {.key = "sliding_window",
                                                    .value = 4096,
                                                    .on = {"use_sliding_window", false}}},
                           .weights = kSeparate,
                           .gguf = gguf_neox("qwen2")};

constexpr Part kQwen3AsrParts[] = {part_model("audio", "audio_config", "qwen3_asr_encoder")};

constexpr Part kQwen2AudioParts[] = {part_model("audio", "audio_config", "qwen2_audio_encoder")};

constexpr ModelType kTypes[] = {
    {.name = "qwen",
     .architecture = "QWenLMHeadModel",
     .config_class = "QWenConfig",
     .head_dim_key = "kv_channels",
     .max_positions_key = "seq_length",
     .theta_key = "rotary_emb_base",
     .fraction = Fraction::leading,
     .fraction_key = "rotary_pct",
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::fused, .layer = "h.{}.attn.", .q = "c_attn", .o = "c_proj"},
     .gguf = gguf_neox("qwen"),
     .special = Special::qwen1},
    kQwen2,
    like(kQwen2, {.name = "qwen2_moe",
                  .architecture = "Qwen2MoeForCausalLM",
                  .config_class = "Qwen2MoeConfig",
                  .size = {2048, 16, 24},
                  .kv_heads = 16,
                  .layers = LayerRule{.kinds = kFullAndSliding,
                                      .pattern = "SF",
                                      .keys = {{LayerKey::first_from, "max_window_layers", 28}}},
                  .gguf = gguf_neox("qwen2moe")}),
    like(kQwen2, {.name = "qwen3",
                  .architecture = "Qwen3ForCausalLM",
                  .config_class = "Qwen3Config",
                  .head_dim = 128,
                  .attention = AttentionRule{.known = true,
                                             .qk_norm = rms_norm(1e-6),
                                             .window = {.key = "sliding_window",
                                                        .value = 4096,
                                                        .on = {"use_sliding_window", false}}},
                  .gguf = gguf_neox("qwen3")}),
    {.name = "qwen3_moe",
     .architecture = "Qwen3MoeForCausalLM",
     .config_class = "Qwen3MoeConfig",
     .size = {2048, 32, 24},
     .kv_heads = 4,
     .max_positions = 32768,
     .attention = {.known = true,
                   .qk_norm = rms_norm(1e-6),
                   .window = {.key = "sliding_window",
                              .value = 4096,
                              .on = {"use_sliding_window", false},
                              .all_layers = true}},
     .weights = kSeparate,
     .gguf = gguf_neox("qwen3moe")},
    {.name = "qwen3_next",
     .architecture = "Qwen3NextForCausalLM",
     .config_class = "Qwen3NextConfig",
     .size = {2048, 16, 48},
     .head_dim = 256,
     .kv_heads = 2,
     .max_positions = 32768,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.25,
     .rounds_odd_up = true,
     .layers = {.kinds = kFullAndLinear,
                .pattern = "LLLF",
                .keys = {{LayerKey::every, "full_attention_interval"}}},
     .attention = {.known = true,
                   .qk_norm = {.norm = {.kind = NormKind::rms, .eps = 1e-6, .unit_offset = true}},
                   .output_gate = OutputGate::per_channel},
     .weights = {.form = QkvForm::separate, .gate_in_q = true},
     .gguf = gguf_neox("qwen3next")},
    {.name = "qwen2_audio",
     .architecture = "Qwen2AudioForConditionalGeneration",
     .config_class = "Qwen2AudioConfig",
     .part = "text_config",
     .part_type = "qwen2",
     .parts = kQwen2AudioParts},
    diffusion({.name = "QwenImageTransformer2DModel",
               .rope_theta = 10000,
               .axes = &kQwenImage,
               .remark = "row and column are counted from the middle of the picture"}),
    model_of_parts({.name = "colqwen2",
                    .architecture = "ColQwen2ForRetrieval",
                    .config_class = "ColQwen2Config",
                    .part = "vlm_config",
                    .part_type = "qwen2_vl"}),
    learned_table({.name = "qwen2_audio_encoder",
                   .architecture = "Qwen2AudioEncoder",
                   .config_class = "Qwen2AudioEncoderConfig",
                   .size = {1280, 20, 32},
                   .max_positions = 1500,
                   .learned = {.tensor = "embed_positions.weight"},
                   .max_positions_key = "max_source_positions"}),
    model_of_parts({.name = "qwen3_asr",
                    .architecture = "Qwen3ASRForConditionalGeneration",
                    .config_class = "Qwen3ASRConfig",
                    .part = "text_config",
                    .part_type = "qwen3",
                    .parts = kQwen3AsrParts}),
    sinusoidal_table("qwen3_asr_encoder", "Qwen3ASREncoder", "Qwen3ASREncoderConfig", 0,
                     {.layout = SinusoidalLayout::fairseq}, kFairseqAdded),
    vision_tower({"qwen4_exp_vision", "Qwen4ExpVisionConfig", {1152, 16, 27}, &kQwen3Vision}),
};

}  // namespace

constinit const Family family::qwen{
    .name = "qwen", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
