// Hugging Face. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"sinusoidal_pos_embds"};

constexpr ModelType kTypes[] = {
    {.name = "smollm3",
     .architecture = "SmolLM3ForCausalLM",
     .config_class = "SmolLM3Config",
     .size = {2048, 16, 36},
     .kv_heads = 4,
     .max_positions = 32768,
     .rope_theta = 2000000,
     .layers = {.rotates = "RRR-", .keys = {kNoRopeLayers, kNoRopeInterval}},
     .attention = {.known = true,
                   .window = {.key = "sliding_window",
                              .on = {"use_sliding_window", false},
                              .unrotated_only = true}},
     .weights = kSeparate,
     .gguf = gguf_norm("smollm3")},
    {.name = "idefics",
     .architecture = "IdeficsForVisionText2Text",
     .config_class = "IdeficsConfig",
     .size = {4096, 32, 32}},
    {.name = "idefics3",
     .architecture = "Idefics3ForConditionalGeneration",
     .config_class = "Idefics3Config",
     .part = "text_config",
     .part_type = "llama"},
    {.name = "smolvlm",
     .architecture = "SmolVLMForConditionalGeneration",
     .config_class = "SmolVLMConfig",
     .part = "text_config",
     .part_type = "llama"},
    {.name = "distilbert",
     .architecture = "DistilBertModel",
     .config_class = "DistilBertConfig",
     .max_positions = 512,
     .positions = Positions::sinusoidal,
     .only_if = {.key = "sinusoidal_pos_embds"},
     .sinusoidal = {.layout = SinusoidalLayout::interleaved},
     .encoding = kSinusoidalByKey},
};

}  // namespace

constinit const Family family::huggingface{
    .name = "huggingface", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
