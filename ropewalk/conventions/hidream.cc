// HiDream.ai. Source: transformer_*.py and embeddings.py of diffusers 0.42.1.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr AxesRule kHiDream{.dims_key = "axes_dims_rope",
                            .dims = {32, 32},
                            .axes_in_words = "one for each entry of axes_dims_rope"};

constexpr ModelType kTypes[] = {
    diffusion({.name = "HiDreamImageTransformer2DModel",
               .rope_theta = 10000,
               .axes = &kHiDream,
               .encoding = kAxesOfTheKey}),
};

}  // namespace

constinit const Family family::hidream{.name = "hidream", .types = kTypes};

}  // namespace ropewalk
