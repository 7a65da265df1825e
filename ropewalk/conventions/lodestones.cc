// Chroma of Lodestone Rock. Source: transformer_*.py and embeddings.py of diffusers 0.42.1.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    diffusion({.name = "ChromaTransformer2DModel", .rope_theta = 10000, .axes = &kFluxAxes}),
};

}  // namespace

constinit const Family family::lodestones{.name = "lodestones", .types = kTypes};

}  // namespace ropewalk
