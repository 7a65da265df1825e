// Nomic AI. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"rotary_emb_fraction"};

constexpr ModelType kTypes[] = {
    {.name = "nomic_bert",
     .architecture = "NomicBertModel",
     .config_class = "NomicBertConfig",
     .size = {768, 12, 12},
     .rope_theta = 1000,
     .theta_key = "rotary_emb_base",
     .fraction = Fraction::leading,
     .fraction_key = "rotary_emb_fraction",
     .dynamic = {"rotary_scaling_factor", "max_trained_positions"},
     .attention = {.known = true, .mask = Mask::full},
     .weights = {.form = QkvForm::fused, .layer = "layers.{}.attn.", .q = "Wqkv", .o = "out_proj"},
     .gguf = gguf_neox("nomic-bert")},
};

}  // namespace

constinit const Family family::nomic{
    .name = "nomic", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
