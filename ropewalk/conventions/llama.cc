// LLaMA 1 to 4, and every model saved as one (CodeLlama, TinyLlama, Yi, SmolLM, ...).
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"num_key_value_heads", "rope_theta",
                                              "rope_scaling",        "rope_parameters",
                                              "pretraining_tp",      "no_rope_layers"};

constexpr LayerKind kCrossAndSelf[] = {
    {.name = "cross_attention", .rotates = false, .mixer = Mixer::cross_attention},
    {.name = "self_attention"},
};

constexpr Part kMllamaParts[] = {part_model("vision", "vision_config", "mllama_vision_model")};

constexpr ModelType kTypes[] = {
    {.name = "llama",
     .architecture = "LlamaForCausalLM",
     .config_class = "LlamaConfig",
     .size = {4096, 32, 32},
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_norm("llama")},
    {.name = "llama4_text",
     .architecture = "Llama4ForCausalLM",
     .config_class = "Llama4TextConfig",
     .size = {5120, 40, 48},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 131072,
     .pairing = Pairing::interleaved,
     .rope_theta = 500000,
     .layers = {.rotates = "RRR-", .keys = {kNoRopeLayers, kNoRopeInterval}},
     .attention = {.known = true,
                   .qk_norm = {.norm = {.kind = NormKind::rms,
                                        .place = NormPlace::after_rotation,
                                        .eps = 1e-5,
                                        .weights = false},
                               .on = {"use_qk_norm", true},
                               .rotating_layers_only = true},
                   .chunk = {"attention_chunk_size", 8192},
                   .query_scale = QueryScaleFrom::llama4},
     .weights = kSeparate,
     .gguf = gguf_norm("llama4")},
    {.name = "llama4",
     .architecture = "Llama4ForConditionalGeneration",
     .config_class = "Llama4Config",
     .part = "text_config",
     .part_type = "llama4_text",
     .parts = kLlama4Tower},
    vision_tower({"llama4_vision_model",
                  "Llama4VisionConfig",
                  {768, 16, 34},
                  &kLlama4Vision,
                  "RoPE interleaved, columns on the first half of the head, rows on the second"}),
    {.name = "mllama_text_model",
     .config_class = "MllamaTextConfig",
     .size = {4096, 32, 40},
     .kv_heads = 8,
     .max_positions = 131072,
     .rope_theta = 500000,
     .layers = {.kinds = kCrossAndSelf,
                .pattern = "SSSCS",
                .keys = {{LayerKey::indices, "cross_attention_layers"}}},
     .attention = kPlainAttention,
     .weights = kSeparate},
    {.name = "mllama",
     .architecture = "MllamaForConditionalGeneration",
     .config_class = "MllamaConfig",
     .part = "text_config",
     .part_type = "mllama_text_model",
     .parts = kMllamaParts},
};

}  // namespace

constinit const Family family::llama{
    .name = "llama", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
