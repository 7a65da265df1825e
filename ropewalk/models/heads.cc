#include "ropewalk/models/heads.h"

#include <fmt/format.h>

#include "ropewalk/models/dimensions.h"

namespace ropewalk {
namespace {

// qk_nope_head_dim channels that pass and qk_rope_head_dim that turn.
int64_t latent_head_dim(ConfigReader& config, const ModelType& type) {
  const std::string reason = default_of(type);
  const int64_t nope = config.integer("qk_nope_head_dim", {"qk_nope_head_dim"}, {0, 65536, 2},
                                      {{type.latent.nope_dim, reason}});
  const int64_t rope = config.integer("qk_rope_head_dim", {"qk_rope_head_dim"}, kHeadDim,
                                      {{type.latent.rope_dim, reason}});
  config.ignore("head_dim");  // of what turns, where the class has one
  config.note("head_dim", fmt::to_string(nope + rope),
              "derived: qk_nope_head_dim + qk_rope_head_dim");
  return nope + rope;
}

int64_t head_dim(ConfigReader& config, const ModelEncoding& model, const ModelType& type) {
  if (type.latent.rope_dim > 0) return latent_head_dim(config, type);
  const auto stated = config.find_integer(type.head_dim_key, kHeadDim);
  if (stated) {
    config.note("head_dim", fmt::to_string(*stated), config.source(type.head_dim_key));
    return *stated;
  }
  if (type.head_dim == 0) return derived_head_dim(config, model);
  config.note("head_dim", fmt::to_string(type.head_dim), default_of(type));
  return type.head_dim;
}

void read_max_positions(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const std::initializer_list<std::string_view> keys = {
      "max_position_embeddings", "max_sequence_length", "n_positions", "max_seq_len", "seq_length"};
  const std::string reason = default_of(type);
  if (!type.max_positions_key.empty() && config.has(type.max_positions_key)) {
    model.max_positions = config.integer("max_positions", {type.max_positions_key}, kPositionCount);
  } else if (type.max_positions > 0 || config.first_of(keys)) {
    model.max_positions =
        config.integer("max_positions", keys, kPositionCount, {{type.max_positions, reason}});
  }
}

}  // namespace

std::string default_of(const ModelType& type) {
  return fmt::format("default of {}", type.config_class);
}

void read_heads(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const std::string reason = default_of(type);
  // A part is written without what its class has by default; a whole file never is.
  const auto of_class = [&](int64_t value) {
    return config.is_part() && value > 0 ? std::optional<Default<int64_t>>({value, reason})
                                         : std::nullopt;
  };
  model.hidden_size = config.integer(
      "hidden_size", {"hidden_size", "n_embd", "d_model", "dim", "n_embed", "emb_dim"}, kHiddenSize,
      of_class(type.size.hidden_size));
  model.heads =
      config.integer("heads",
                     {"num_attention_heads", "n_head", "n_heads", "encoder_attention_heads",
                      "attention_heads", "decoder_num_attention_heads"},
                     kHeadCount, of_class(type.size.heads));
  const Default<int64_t> kv_heads =
      type.kv_heads == 0
          ? Default<int64_t>{model.heads, "default of the family: num_attention_heads"}
          : Default<int64_t>{type.kv_heads, reason};
  model.kv_heads = config.integer("kv_heads",
                                  {"num_key_value_heads", "num_kv_heads", "n_kv_heads",
                                   "num_attention_groups", "decoder_num_key_value_heads"},
                                  kHeadCount, kv_heads);
  if (type.latent.rope_dim == 0) check_kv_heads(config, model, "num_key_value_heads");
  model.head_dim = head_dim(config, model, type);
  std::optional<Default<int64_t>> layers_default = of_class(type.size.layers);
  // Nemotron-H's files may name each layer, and not count them.
  const auto list = config.json().find("layers_block_type");
  if (list != config.json().end() && list->is_array() && !list->empty()) {
    layers_default = {std::ssize(*list), "derived: the length of layers_block_type"};
  }
  const int64_t layers = config.integer("layers",
                                        {"num_hidden_layers", "n_layer", "n_layers", "num_layers",
                                         "encoder_layers", "decoder_num_hidden_layers"},
                                        kLayerCount, layers_default);
  model.layers.resize(static_cast<size_t>(layers));
  read_max_positions(config, model, type);
}

}  // namespace ropewalk
