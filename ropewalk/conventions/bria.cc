// Bria. Source: transformer_*.py and embeddings.py of diffusers 0.42.1.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr AxesRule kBria{.dims_key = "axes_dims_rope",
                         .dims = {16, 56, 56},
                         .theta_key = "rope_theta",
                         .axes_in_words = kImageIds};

constexpr ModelType kTypes[] = {
    diffusion({.name = "BriaTransformer2DModel", .rope_theta = 10000, .axes = &kBria}),
};

}  // namespace

constinit const Family family::bria{.name = "bria", .types = kTypes};

}  // namespace ropewalk
