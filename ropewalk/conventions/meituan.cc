// LongCat of Meituan. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr LatentHead kLongcat{.nope_dim = 128,
                              .rope_dim = 64,
                              .writes_half_split = true,
                              .q_rank = 1536,
                              .scales_by_rank = true};

constexpr ModelType kTypes[] = {
    {.name = "longcat_flash",
     .architecture = "LongcatFlashForCausalLM",
     .config_class = "LongcatFlashConfig",
     .size = {6144, 64, 56},
     .max_positions = 131072,
     .pairing = Pairing::interleaved,
     .rope_theta = 10000000,
     .latent = kLongcat,
     .value_dim = {"v_head_dim", 128},
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::latent, .layer = "layers.{}.self_attn.0."}},
    diffusion({.name = "LongCatImageTransformer2DModel", .rope_theta = 10000, .axes = &kFluxAxes}),
    refused("longcat_flash_sparse", "", "", "its sparse indexer is not supported"),
};

}  // namespace

constinit const Family family::meituan{.name = "meituan", .types = kTypes};

}  // namespace ropewalk
