// Stability AI. Source: configuration_*.py and modeling_*.py of transformers; transformer_*.py and
// embeddings.py of diffusers 0.42.1.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr AxesRule kStableAudio{
    .of_head = AxesRule::Dims::first_half, .dtype = DType::f32, .axes_in_words = "token"};

constexpr ModelType kTypes[] = {
    {.name = "stablelm",
     .architecture = "StableLmForCausalLM",
     .config_class = "StableLmConfig",
     .size = {2560, 32, 32},
     .kv_heads = 32,
     .max_positions = 4096,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.25,
     .attention = {.known = true, .qk_norm = layer_norm_if("qk_layernorm", false)},
     .weights = {.form = QkvForm::separate, .q_norm = "q_layernorm", .k_norm = "k_layernorm"},
     .gguf = gguf_neox("stablelm")},
    {.name = "stablelm_epoch",
     .architecture = "StableLMEpochForCausalLM",
     .config_class = "StableLMEpochConfig",
     .max_positions = 4096,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.25,
     .fraction_key = "rope_pct",
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_neox("stablelm")},
    diffusion({.name = "StableAudioDiTModel",
               .rope_theta = 10000,
               .axes = &kStableAudio,
               .encoding = "RoPE half_split on the first half of the head",
               .remark = "only in the attention to itself",
               .pairing = Pairing::half_split}),
};

}  // namespace

constinit const Family family::stability{.name = "stability", .types = kTypes};

}  // namespace ropewalk
