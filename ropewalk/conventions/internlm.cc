// InternLM of the Shanghai AI Laboratory. Source: the code that came with the files.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

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
};

}  // namespace

constinit const Family family::internlm{.name = "internlm", .types = kTypes};

}  // namespace ropewalk
