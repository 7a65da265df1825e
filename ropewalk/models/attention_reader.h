#pragma once

#include <optional>
#include <span>
#include <string>

#include "ropewalk/dialects/config_reader.h"
#include "ropewalk/dialects/stated_model.h"
#include "ropewalk/models/defaults.h"

namespace ropewalk {

// What is known of one layer when its AttentionConfig is made.
struct LayerFacts {
  const LayerKind* kind = nullptr;          // null: the type has no kinds
  std::optional<QueryScale> query_scale{};  // what its rope block said
};

// Fills heads, kv_heads, head_dim, value_dim, mixer and attention of each layer from the rule of
// the type and what the file says, with their evidence. `facts` is one entry for each layer, or
// nothing. The positions of the layers must be there.
void resolve_attention(const StatedModel& stated, const ModelType& type, const Defaults& defaults,
                       ModelEncoding& model, std::span<const LayerFacts> facts = {});

// The same of a config.json.
void read_attention(ConfigReader& config, ModelEncoding& model, const ModelType& type,
                    std::span<const LayerFacts> facts = {});

// What the rule of a type says, for a list of the types: "norm of q and k rms, per head, before the
// rotation; window sliding_window (4096)".
std::string attention_in_words(const ModelType& type);

// "rms, per head, before the rotation, with weights, eps 1e-06".
std::string in_words(const Norm& norm, bool of_q_and_k);

}  // namespace ropewalk
