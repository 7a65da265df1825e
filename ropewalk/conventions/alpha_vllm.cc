// Lumina of Alpha-VLLM. Source: transformer_*.py and embeddings.py of diffusers 0.42.1.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr AxesRule kLumina2{.dims_key = "axes_dim_rope",
                            .dims = {32, 32, 32},
                            .axes_in_words = "token of the text, row, column"};
constexpr AxesRule kLuminaNext{.of_head = AxesRule::Dims::halves,
                               .dtype = DType::f32,
                               .order = MropeOrder::alternating,
                               .axes_in_words = "row, column"};

constexpr ModelType kTypes[] = {
    diffusion({.name = "Lumina2Transformer2DModel", .rope_theta = 10000, .axes = &kLumina2}),
    diffusion({.name = "LuminaNextDiT2DModel",
               .rope_theta = 10000,
               .axes = &kLuminaNext,
               .encoding = "RoPE interleaved, rows and columns on pairs by turns"}),
};

}  // namespace

constinit const Family family::alpha_vllm{.name = "alpha_vllm", .types = kTypes};

}  // namespace ropewalk
