#pragma once

#include "ropewalk/conventions/model_type.h"

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

}  // namespace ropewalk
