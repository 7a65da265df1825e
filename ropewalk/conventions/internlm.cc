// InternLM of the Shanghai AI Laboratory. Source: the code that came with the files.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr Part kInternvlParts[] = {part_model("vision", "vision_config", "internvl_vision")};

constexpr Part kInternVitParts[] = {part_model("vision", "vision_config", "intern_vit_6b")};

constexpr ModelType kTypes[] = {
    {.name = "internlm",
     .architecture = "InternLMForCausalLM",
     .config_class = "InternLMConfig",
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_norm("llama")},
    {.name = "internlm2",
     .architecture = "InternLM2ForCausalLM",
     .config_class = "InternLM2Config",
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::fused_per_group,
                 .layer = "layers.{}.attention.",
                 .q = "wqkv",
                 .o = "wo"},
     .gguf = gguf_norm("internlm2")},
    {.name = "internlm3",
     .architecture = "InternLM3ForCausalLM",
     .config_class = "InternLM3Config",
     .max_positions = 32768,
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_norm("llama")},
    model_of_parts({.name = "internvl",
                    .architecture = "InternVLForConditionalGeneration",
                    .config_class = "InternVLConfig",
                    .part = "text_config",
                    .part_type = "qwen2",
                    .parts = kInternvlParts}),
    learned_table({.name = "internvl_vision",
                   .architecture = "InternVLVisionModel",
                   .config_class = "InternVLVisionConfig",
                   .size = {1024, 16, 24},
                   .learned = {.tensor = "embeddings.position_embeddings",
                               .picture = {.image = 448, .patch = 14, .more = 1}}}),
    model_of_parts({"internvl_chat", "InternVLChatModel", "InternVLChatConfig", "llm_config",
                    "qwen2", kInternVitParts}),
    learned_table({.name = "intern_vit_6b",
                   .architecture = "InternVisionModel",
                   .config_class = "InternVisionConfig",
                   .size = {3200, 25, 48},
                   .learned = {.tensor = "embeddings.position_embedding",
                               .picture = {.image = 224, .patch = 14, .more = 1}}}),
    refused("interns1_pro", "InternS1ProForConditionalGeneration", "InternS1ProConfig",
            "its text turns by FoPE, whose Fourier series are weights of the checkpoint, which is "
            "not supported"),
    model_of_parts(
        {"interns1", "InternS1ForConditionalGeneration", "InternS1Config", "text_config", "qwen3"}),
};

}  // namespace

constinit const Family family::internlm{.name = "internlm", .types = kTypes};

}  // namespace ropewalk
