#pragma once

#include <optional>

#include "ropewalk/dialects/stated_model.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/models/defaults.h"

namespace ropewalk {

// One kind of layers, and all that is known of it.
struct KindToResolve {
  const StatedModel& stated;
  const StatedKind& own;
  const LayerKind& kind;
  const ModelType& type;
  const Defaults& defaults;
  ModelEncoding& model;
  size_t first_layer = 0;  // of the kind
};

struct Rotation {
  PositionEncoding positions;
  std::optional<QueryScale> query_scale = {};  // what its rope block said
};

// How layers of one kind turn q and k, with the evidence. Throws malformed or unsupported naming
// the source of a value that does not fit.
Rotation resolve_rotation(const KindToResolve& to);

}  // namespace ropewalk
