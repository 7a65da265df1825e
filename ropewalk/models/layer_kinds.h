#pragma once

#include <vector>

#include "ropewalk/conventions/layer_kinds.h"
#include "ropewalk/dialects/stated_model.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// The kind of each layer: an index into rule.kinds, as the file says it or else by the rule. Throws
// unsupported for a kind that is not listed, malformed for lists that are not one for each layer.
std::vector<size_t> resolve_kinds(const StatedLayers& stated, const LayerRule& rule,
                                  ModelEncoding& model);

// Which layers rotate, as the file says it or else by rule.rotates; all of them where a list of
// bases says it.
std::vector<bool> resolve_rotating(const StatedLayers& stated, const LayerRule& rule,
                                   ModelEncoding& model);

// Gives each layer the base that the file states for it; one of 0 does not rotate.
void resolve_bases(const StatedLayers& stated, ModelEncoding& model);

}  // namespace ropewalk
