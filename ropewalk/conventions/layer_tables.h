#pragma once

#include "ropewalk/conventions/model_type.h"

namespace ropewalk {

// Tables that the models of several publishers share.

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

inline constexpr LayerKey kNoRopeLayers{LayerKey::rotates, "no_rope_layers"};
inline constexpr LayerKey kNoRopeInterval{LayerKey::rotates_every, "no_rope_layer_interval"};

inline constexpr MultiAxis kAxesOfQwen2{.axes = 3, .section = {16, 24, 24}};

inline constexpr LatentHead kLatentOfDeepseekV3{.nope_dim = 128,
                                                .rope_dim = 64,
                                                .writes_half_split = true,
                                                .key_decides = true,
                                                .q_rank = 1536};
// yarn multiplies the softmax scale too.
inline constexpr std::string_view kDeepseekYarn = "deepseek_yarn";

}  // namespace ropewalk
