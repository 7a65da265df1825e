// LLaMA 1, 2 and 3, and every model saved as one (CodeLlama, TinyLlama, Yi, ...).
// Source: configuration_llama.py and modeling_llama.py of transformers.

#include <fmt/format.h>

#include "ropewalk/models/dimensions.h"
#include "ropewalk/models/family.h"
#include "ropewalk/models/rope_keys.h"

namespace ropewalk {
namespace {

constexpr std::string_view kModelTypes[] = {"llama"};
constexpr std::string_view kArchitectures[] = {"LlamaForCausalLM", "LlamaModel",
                                               "LLaMAForCausalLM"};
constexpr std::string_view kTelltaleKeys[] = {"num_key_value_heads", "rope_theta", "rope_scaling",
                                              "rope_parameters", "pretraining_tp"};

void read(ConfigReader& config, ModelEncoding& model) {
  model.hidden_size = config.integer("hidden_size", {"hidden_size"}, kHiddenSize);
  model.heads = config.integer("heads", {"num_attention_heads"}, kHeadCount);
  model.kv_heads = config.integer("kv_heads", {"num_key_value_heads"}, kHeadCount,
                                  {{model.heads, "default of the family: num_attention_heads"}});
  check_kv_heads(config, model, "num_key_value_heads");
  const auto head_dim = config.find_integer("head_dim", kHeadDim);
  if (head_dim) config.note("head_dim", fmt::to_string(*head_dim), config.source("head_dim"));
  model.head_dim = head_dim ? *head_dim : derived_head_dim(config, model);
  const int64_t layers = config.integer("layers", {"num_hidden_layers"}, kLayerCount);
  model.max_positions =
      config.integer("max_positions", {"max_position_embeddings", "max_sequence_length"},
                     kPositionCount, {{2048, "default of LlamaConfig"}});

  const RopeKeys keys = read_rope_keys(config, {10000, "default of LlamaConfig"});
  if (keys.partial_rotary_factor && *keys.partial_rotary_factor != 1) {
    config.warn(
        fmt::format("partial_rotary_factor is {}, but the code of the llama family rotates "
                    "the whole head",
                    *keys.partial_rotary_factor));
  }
  RopeConfig rope;
  rope.rope_theta = keys.rope_theta;
  rope.rope_type = keys.rope_type;
  rope.rotary_dim = model.head_dim;
  rope.layout = {model.head_dim, {{0, model.head_dim, Pairing::half_split}}};
  config.note("rotary_dim", fmt::to_string(rope.rotary_dim), "family: the whole head");
  config.note("pairing", "half_split", "family: rotate_half in modeling_llama.py");
  model.layers.assign(static_cast<size_t>(layers), rope);
}

}  // namespace

constinit const Family family::llama{
    .name = "llama",
    .model_types = kModelTypes,
    .architectures = kArchitectures,
    .telltale_keys = kTelltaleKeys,
    .encoding = "RoPE half_split on the whole head",
    .read = read,
};

}  // namespace ropewalk
