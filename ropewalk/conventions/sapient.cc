// Sapient Intelligence. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "hrm_text",
     .architecture = "HrmTextForCausalLM",
     .config_class = "HrmTextConfig",
     .size = {1536, 12, 128},
     .head_dim = 128,
     .attention = {.known = true, .output_gate = OutputGate::per_channel},
     .gguf = gguf_neox("hrm_text")},
};

}  // namespace

constinit const Family family::sapient{.name = "sapient", .types = kTypes};

}  // namespace ropewalk
