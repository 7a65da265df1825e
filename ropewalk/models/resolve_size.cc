#include "ropewalk/models/resolve_size.h"

#include <fmt/format.h>

#include "ropewalk/dialects/notes.h"
#include "ropewalk/models/dimensions.h"

namespace ropewalk {
namespace {

// qk_nope_head_dim channels that pass and qk_rope_head_dim that turn.
int64_t latent_head_dim(const StatedLatent& stated, const LatentHead& latent,
                        const std::string& reason, ModelEncoding& model) {
  const int64_t nope = settled(model, "qk_nope_head_dim", stated.nope_dim, {0, 65536, 2},
                               {{latent.nope_dim, reason}});
  const int64_t rope =
      settled(model, "qk_rope_head_dim", stated.rope_dim, kHeadDim, {{latent.rope_dim, reason}});
  note(model, "head_dim", fmt::to_string(nope + rope),
       "derived: qk_nope_head_dim + qk_rope_head_dim");
  return nope + rope;
}

int64_t head_dim(const StatedModel& stated, const ModelType& type, const Defaults& defaults,
                 ModelEncoding& model) {
  if (type.latent.rope_dim > 0) {
    return latent_head_dim(stated.latent, type.latent, defaults.reason, model);
  }
  if (!stated.size.head_dim && defaults.head_dim == 0) {
    return derived_head_dim(model, stated.size.hidden_size.source);
  }
  return settled(model, "head_dim", stated.size.head_dim, kHeadDim,
                 {{defaults.head_dim, defaults.reason}});
}

// Positions follow from numbers of the file, not from weights, or are none.
bool computes_positions(const ModelType& type) {
  return type.positions == Positions::rotary || type.positions == Positions::alibi ||
         type.positions == Positions::sinusoidal;
}

}  // namespace

void resolve_size(const StatedModel& stated, const ModelType& type, const Defaults& defaults,
                  ModelEncoding& model) {
  const StatedSize& size = stated.size;
  // A part is written without what its class has by default; a whole file that ropewalk computes
  // positions from never is.
  const auto of_class = [&](int64_t value) {
    return (stated.is_part || !computes_positions(type)) && value > 0
               ? std::optional<Default<int64_t>>({value, defaults.reason})
               : std::nullopt;
  };
  model.hidden_size = settled(model, "hidden_size", size.hidden_size, kHiddenSize,
                              of_class(defaults.size.hidden_size));
  model.heads = settled(model, "heads", size.heads, kHeadCount, of_class(defaults.size.heads));
  const Default<int64_t> kv_heads =
      defaults.kv_heads == 0
          ? Default<int64_t>{model.heads, "default of the family: num_attention_heads"}
          : Default<int64_t>{defaults.kv_heads, defaults.reason};
  model.kv_heads = settled(model, "kv_heads", size.kv_heads, kHeadCount, kv_heads);
  if (type.latent.rope_dim == 0) check_kv_heads(model, size.kv_heads.source);
  model.head_dim = head_dim(stated, type, defaults, model);
  const int64_t layers =
      settled(model, "layers", size.layers, kLayerCount, of_class(defaults.size.layers));
  model.layers.resize(static_cast<size_t>(layers));
  if (!size.max_positions && defaults.max_positions == 0) return;
  model.max_positions = settled(model, "max_positions", size.max_positions, kPositionCount,
                                {{defaults.max_positions, defaults.reason}});
}

}  // namespace ropewalk
