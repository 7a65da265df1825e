#pragma once

#include <concepts>
#include <type_traits>

#include "ropewalk/diagnose/compare.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/tables/rope_rows.h"

namespace ropewalk::python {

// call(a, b, c, ...) with every field of a struct: one that is not named here does not compile.
#define ROPEWALK_FIELDS(Type, ...)                       \
  template <typename Self, typename Call>                \
  requires std::same_as<std::remove_const_t<Self>, Type> \
  auto with_fields(Self& self, Call call) {              \
    auto& [__VA_ARGS__] = self;                          \
    return call(__VA_ARGS__);                            \
  }

ROPEWALK_FIELDS(RotaryWindow, a, b, c)
ROPEWALK_FIELDS(RotaryLayout, a, b)
ROPEWALK_FIELDS(RopeConfig, a, b, c, d, e, f, g, h, i, j, k, l, m)
ROPEWALK_FIELDS(AlibiConfig, a, b, c, d, e, f, g)
ROPEWALK_FIELDS(SinusoidalConfig, a, b, c, d, e)
ROPEWALK_FIELDS(LearnedConfig, a, b, c, d, e, f, g)
ROPEWALK_FIELDS(BucketBiasConfig, a, b, c, d)
ROPEWALK_FIELDS(RelativeConfig, a, b, c)
ROPEWALK_FIELDS(ConvolutionConfig, a, b)
ROPEWALK_FIELDS(FeatureConfig, a)
ROPEWALK_FIELDS(QueryScale, a, b, c, d)
ROPEWALK_FIELDS(LatentProjections, a, b, c, d, e, f)
ROPEWALK_FIELDS(Norm, a, b, c, d, e, f)
ROPEWALK_FIELDS(AttentionConfig, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
ROPEWALK_FIELDS(Layer, a, b, c, d, e, f, g)
ROPEWALK_FIELDS(Evidence, a, b, c)
ROPEWALK_FIELDS(NamedEncoding, a, b)
ROPEWALK_FIELDS(PatchGrid, a, b, c, d)
ROPEWALK_FIELDS(MropeRules, a, b, c, d, e)
ROPEWALK_FIELDS(ModelEncoding, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
ROPEWALK_FIELDS(RopeRows, a, b, c, d, e)
ROPEWALK_FIELDS(Difference, a, b, c, d, e)
ROPEWALK_FIELDS(RotationCosine, a, b, c)
ROPEWALK_FIELDS(RotationDifference, a, b, c, d, e, f, g, h, i, j, k, l)
ROPEWALK_FIELDS(Comparison, a, b, c)

}  // namespace ropewalk::python
