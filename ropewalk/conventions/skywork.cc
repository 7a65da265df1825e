// Skywork AI. Source: transformer_*.py and embeddings.py of diffusers 0.42.1.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    diffusion({.name = "SkyReelsV2Transformer3DModel", .rope_theta = 10000, .axes = &kWanAxes}),
};

}  // namespace

constinit const Family family::skywork{.name = "skywork", .types = kTypes};

}  // namespace ropewalk
