// Krea. Source: transformer_*.py and embeddings.py of diffusers 0.42.1.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr AxesRule kKrea2{.dims_key = "axes_dims_rope",
                          .dims = {32, 48, 48},
                          .theta_key = "rope_theta",
                          .axes_in_words = kImageIds};

constexpr ModelType kTypes[] = {
    diffusion({.name = "Krea2Transformer2DModel", .rope_theta = 1000, .axes = &kKrea2}),
};

}  // namespace

constinit const Family family::krea{.name = "krea", .types = kTypes};

}  // namespace ropewalk
