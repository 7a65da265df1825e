// IBM's Granite.
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/models/family.h"
#include "ropewalk/models/heads.h"
#include "ropewalk/models/layer_kinds.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"attention_multiplier", "residual_multiplier",
                                              "embedding_multiplier", "logits_scaling"};

constexpr LayerKind kAttentionAndMamba[] = {
    {.name = "linear_attention", .rotates = false},
    {.name = "mamba", .rotates = false},
    {.name = "attention"},
    {.name = "full_attention"},
};

void read_hybrid(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const auto stated = config.find_text("position_embedding_type");
  if (stated == "rope") return read_declared(config, model, type);
  ModelType plain = type;
  plain.layers = {.kinds = kNoRotation};
  config.ignore("layer_types");
  read_heads(config, model, plain);
  config.note("encoding", "none",
              stated ? config.source("position_embedding_type") : default_of(type));
}

constexpr ModelType kTypes[] = {
    {.name = "granite",
     .architecture = "GraniteForCausalLM",
     .config_class = "GraniteConfig",
     .size = {4096, 32, 32},
     .scale_key = "attention_multiplier",
     .scale_default = 1,
     .gguf = gguf_norm("granite")},
    {.name = "granitemoe",
     .architecture = "GraniteMoeForCausalLM",
     .config_class = "GraniteMoeConfig",
     .size = {4096, 32, 32},
     .scale_key = "attention_multiplier",
     .scale_default = 1,
     .gguf = gguf_norm("granitemoe")},
    {.name = "granitemoeshared",
     .architecture = "GraniteMoeSharedForCausalLM",
     .config_class = "GraniteMoeSharedConfig",
     .size = {4096, 32, 32},
     .scale_key = "attention_multiplier",
     .scale_default = 1,
     .gguf = gguf_norm("granitemoe")},
    // Layers of attention and of Mamba; position_embedding_type "nope" turns the rotation off.
    {.name = "granitemoehybrid",
     .architecture = "GraniteMoeHybridForCausalLM",
     .config_class = "GraniteMoeHybridConfig",
     .size = {4096, 32, 32},
     .layers = {.kinds = kAttentionAndMamba, .list_key = "layers_block_type"},
     .scale_key = "attention_multiplier",
     .scale_default = 1,
     .gguf = gguf_norm("granitehybrid"),
     .encoding = "RoPE half_split on the whole head, or none, by position_embedding_type",
     .read = read_hybrid},
};

}  // namespace

constinit const Family family::granite{
    .name = "granite", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
