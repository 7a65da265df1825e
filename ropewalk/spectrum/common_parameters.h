#pragma once

#include <cmath>

#include "ropewalk/spectrum/scaling_parameters.h"

namespace ropewalk {

// The rules that scalings share, and the parameters that more than one reads.
inline constexpr ParameterRule kPositive{
    "a positive number", [](double value) { return value > 0 && std::isfinite(value); }};
inline constexpr ParameterRule kNotNegative{
    "a number of at least 0", [](double value) { return value >= 0 && std::isfinite(value); }};
inline constexpr ParameterRule kFlag{"0 or 1",
                                     [](double value) { return value == 0 || value == 1; }};
inline constexpr ParameterRule kTokens{
    "a count of tokens in 1..2^53",
    [](double value) { return value >= 1 && value <= 0x1p53 && value == std::floor(value); }};
// cos and sin are multiplied by it.
inline constexpr ParameterRule kAmplitude{
    "a number in 2^-32..2^32", [](double value) { return value >= 0x1p-32 && value <= 0x1p32; }};

inline constexpr ScalingParameter kFactor{.key = "factor", .rule = kPositive};
inline constexpr ScalingParameter kMaxPositionEmbeddings{
    .key = "max_position_embeddings",
    .rule = kTokens,
    .derived = "needed only where it stands for another key"};
inline constexpr ScalingParameter kOriginalMaxPositionEmbeddings{
    .key = "original_max_position_embeddings",
    .rule = kTokens,
    .derived = "max_position_embeddings"};

}  // namespace ropewalk
