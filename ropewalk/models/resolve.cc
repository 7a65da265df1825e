#include "ropewalk/models/resolve.h"

#include <algorithm>

#include <fmt/format.h>

#include "ropewalk/dialects/notes.h"
#include "ropewalk/dialects/transformers.h"
#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/layer_kinds.h"
#include "ropewalk/models/resolve_rotation.h"
#include "ropewalk/models/resolve_size.h"

namespace ropewalk {
namespace {

// What is known of each layer when its attention is made: its kind and what its rope block said.
std::vector<LayerFacts> resolve_positions(const StatedModel& stated, const ModelType& type,
                                          const Defaults& defaults, ModelEncoding& model) {
  const LayerRule& rule = type.layers;
  const std::span<const LayerKind> kinds = kinds_of(rule, stated.layers.alike);
  const bool alike = stated.layers.alike || rule.kinds.empty();
  const size_t count = model.layers.size();
  const std::vector<size_t> of_layer =
      alike ? std::vector<size_t>(count, 0) : resolve_kinds(stated.layers, rule, model);
  const std::vector<bool> rotates = resolve_rotating(stated.layers, rule, model);
  const bool one_for_all = turn_alike(kinds) && !stated.states_each_kind;
  std::vector<std::optional<Rotation>> of_kind(kinds.size());
  std::vector<LayerFacts> facts(count);
  for (size_t i = 0; i < count; ++i) {
    size_t kind = of_layer[i];
    facts[i].kind = alike ? nullptr : &kinds[kind];
    for (size_t k = 0; k < kinds.size() && !stated.states_each_kind; ++k) {
      if (of_kind[k] && same_positions(kinds[k], kinds[kind])) kind = k;
    }
    if (!of_kind[kind]) {
      LayerKind read_as = kinds[kind];
      if (one_for_all) read_as.name = {};
      const StatedKind& own = stated.kinds[one_for_all ? 0 : kind];
      of_kind[kind] = resolve_rotation({stated, own, read_as, type, defaults, model, i});
    }
    if (!rotates[i]) continue;
    model.layers[i].positions = of_kind[kind]->positions;
    facts[i].query_scale = of_kind[kind]->query_scale;
  }
  resolve_bases(stated.layers, model);
  return facts;
}

// Heads of k and v of the kinds, and of the single layers, that have their own.
void resolve_kv_heads(const StatedModel& stated, std::span<const LayerFacts> facts,
                      const LayerRule& rule, ModelEncoding& model) {
  const LayerKind* noted = nullptr;
  for (size_t i = 0; i < facts.size(); ++i) {
    const LayerKind* kind = facts[i].kind;
    if (kind != nullptr && !kind->kv_heads_key.empty()) {
      const Said<int64_t>& said =
          stated.kinds[static_cast<size_t>(kind - rule.kinds.data())].kv_heads;
      int64_t& kv_heads = model.layers[i].kv_heads;
      kv_heads = said.value_or(model.kv_heads * kind->kv_heads_factor);
      if (noted != kind) {
        note(model, fmt::format("{} kv_heads", kind->name), fmt::to_string(kv_heads),
             said ? said.source
                  : fmt::format("derived: {} times num_key_value_heads", kind->kv_heads_factor));
      }
      noted = kind;
    }
    const auto own = stated.layers.kv_heads.find(i);
    if (own != stated.layers.kv_heads.end()) model.layers[i].kv_heads = *own->second;
  }
}

// Layers without heads are of the kind that the model's own code has beside attention.
void drop_layers(const std::vector<bool>& attends, const LayerRule& rule, ModelEncoding& model) {
  const auto other = std::find_if(rule.kinds.begin(), rule.kinds.end(), [](const LayerKind& kind) {
    return kind.mixer != Mixer::attention;
  });
  const Mixer mixer = other == rule.kinds.end() ? Mixer::recurrence : other->mixer;
  for (size_t i = 0; i < std::min(attends.size(), model.layers.size()); ++i) {
    if (!attends[i]) model.layers[i] = {.mixer = mixer};
  }
}

void resolve_alibi(const StatedAlibi& alibi, ModelEncoding& model) {
  note(model, "encoding", "alibi", "family: the scores get a bias, nothing turns");
  note(model, "max_bias", fmt::to_string(*alibi.max_bias), alibi.max_bias.source);
  set_positions(model,
                AlibiConfig{.heads = model.heads, .max_bias = *alibi.max_bias, .form = alibi.form});
}

}  // namespace

void resolve(const StatedModel& stated, const ModelType& type, const Defaults& defaults,
             ModelEncoding& model) {
  resolve_size(stated, type, defaults, model);
  std::vector<LayerFacts> facts;
  if (stated.alibi) {
    resolve_alibi(*stated.alibi, model);
  } else {
    facts = resolve_positions(stated, type, defaults, model);
    resolve_kv_heads(stated, facts, type.layers, model);
  }
  resolve_attention(stated, type, defaults, model, facts);
  drop_layers(stated.layers.attends, type.layers, model);
  if (stated.no_positions.empty()) return;
  set_positions(model, NoEncoding{});
  note(model, "encoding", "none", stated.no_positions);
}

}  // namespace ropewalk
