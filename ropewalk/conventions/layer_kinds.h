#pragma once

#include <span>

#include "ropewalk/conventions/model_type.h"

namespace ropewalk {

inline bool is_windowed(const LayerKind& kind) { return kind.windowed; }

// A kind of layer whose positions are read as those of an earlier one need not be read again.
bool same_positions(const LayerKind& a, const LayerKind& b);

// All kinds rotate, and in one way.
bool turn_alike(std::span<const LayerKind> kinds);

// The kinds of the rule; one that says nothing where there are none, or the file lets all layers be
// alike.
std::span<const LayerKind> kinds_of(const LayerRule& rule, bool alike);

}  // namespace ropewalk
