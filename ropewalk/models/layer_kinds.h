#pragma once

#include <vector>

#include "ropewalk/dialects/stated_model.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/models/model_type.h"

namespace ropewalk {

// Kinds that several families share.
inline constexpr LayerKind kFullAndLinear[] = {
    {.name = "full_attention"},
    {.name = "linear_attention", .rotates = false, .mixer = Mixer::recurrence},
};
inline constexpr LayerKind kFullAndSliding[] = {
    {.name = "full_attention"},
    {.name = "sliding_attention", .windowed = true},
};
inline constexpr LayerKind kSlidingAndFull[] = {
    {.name = "sliding_attention", .windowed = true},
    {.name = "full_attention"},
};
// Only the layers with a window rotate.
inline constexpr LayerKind kFullPassesSlidingTurns[] = {
    {.name = "full_attention", .rotates = false},
    {.name = "sliding_attention", .windowed = true},
};

inline bool is_windowed(const LayerKind& kind) { return kind.windowed; }

// A kind of layer whose positions are read as those of an earlier one need not be read again.
bool same_positions(const LayerKind& a, const LayerKind& b);

// All kinds rotate, and in one way.
bool turn_alike(std::span<const LayerKind> kinds);

// The kinds of the rule; one that says nothing where there are none, or the file lets all layers be
// alike.
std::span<const LayerKind> kinds_of(const LayerRule& rule, bool alike);

// The kind of each layer: an index into rule.kinds, as the file says it or else by the rule. Throws
// unsupported for a kind that is not listed, malformed for lists that are not one for each layer.
std::vector<size_t> resolve_kinds(const StatedLayers& stated, const LayerRule& rule,
                                  ModelEncoding& model);

// Which layers rotate, by no_rope_layers (1: it does) or no_rope_layer_interval.
std::vector<bool> resolve_rotating(const StatedLayers& stated, const LayerRule& rule,
                                   ModelEncoding& model);

// Gives each layer its own base, by rule.bases_key.
void resolve_bases(const StatedLayers& stated, const LayerRule& rule, ModelEncoding& model);

}  // namespace ropewalk
