// Black Forest Labs. Source: transformer_*.py and embeddings.py of diffusers 0.42.1.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"attention_head_dim", "axes_dims_rope"};

constexpr AxesRule kFlux2{.dims_key = "axes_dims_rope",
                          .dims = {32, 32, 32, 32},
                          .theta_key = "rope_theta",
                          .axes_in_words = "time, row, column, token of the text"};

constexpr ModelType kTypes[] = {
    diffusion({.name = "FluxTransformer2DModel", .rope_theta = 10000, .axes = &kFluxAxes}),
    diffusion({.name = "Flux2Transformer2DModel",
               .rope_theta = 2000,
               .axes = &kFlux2,
               .encoding = "RoPE interleaved, 4 axes with channels of their own"}),
};

}  // namespace

constinit const Family family::black_forest_labs{
    .name = "black_forest_labs", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
