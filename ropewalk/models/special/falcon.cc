// Falcon: rotates, or with /alibi adds a bias (Falcon-RW).
// Source: configuration_falcon.py and modeling_falcon.py of transformers.

#include <fmt/format.h>

#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/declared_reader.h"
#include "ropewalk/models/defaults.h"
#include "ropewalk/models/dimensions.h"
#include "ropewalk/models/special/specials.h"

namespace ropewalk {
namespace {

// num_kv_heads counts in the new architecture only; multi_query is one head for all. The code that
// came with the first files of 40B has n_head_kv.
void set_kv_heads(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  if (const auto stated = config.find_integer("n_head_kv", kHeadCount)) {
    model.kv_heads = *stated;
    config.note("kv_heads", fmt::to_string(model.kv_heads), config.source("n_head_kv"));
    check_kv_heads(config, model, "n_head_kv");
    return;
  }
  const bool grouped = config.boolean("new_decoder_architecture", "new_decoder_architecture",
                                      {false, default_of(type)});
  const bool single =
      config.boolean("multi_query", "multi_query", {type.name != "RefinedWeb", default_of(type)});
  if (grouped) return;
  model.kv_heads = single ? 1 : model.heads;
  config.note("kv_heads", fmt::to_string(model.kv_heads), "derived: multi_query");
}

}  // namespace

void special::falcon(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  if (!config.boolean("alibi", "alibi", {false, default_of(type)})) {
    read_declared(config, model, type);
    set_kv_heads(config, model, type);
    for (Layer& layer : model.layers) layer.kv_heads = model.kv_heads;
    return;
  }
  read_heads(config, model, type);
  set_kv_heads(config, model, type);
  config.note("max_bias", "8", "family: build_alibi_tensor in modeling_falcon.py");
  config.note("alibi dtype", "bf16", "family: modeling_falcon.py");
  config.note("alibi", "added before the scores are divided by sqrt(head_dim)",
              "family: modeling_falcon.py");
  set_positions(model, AlibiConfig{.heads = model.heads,
                                   .form = AlibiForm::key_position,
                                   .dtype = DType::bf16,
                                   .before_scale = true});
  read_attention(config, model, type);
}

}  // namespace ropewalk
