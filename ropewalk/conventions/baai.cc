// The Beijing Academy of Artificial Intelligence. Source: configuration_*.py and modeling_*.py of
// transformers; transformer_*.py and embeddings.py of diffusers 0.42.1.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr Part kAltclipParts[] = {part_model("vision", "vision_config", "altclip_vision_model")};

constexpr ModelType kTypes[] = {
    {.name = "emu3_text_model",
     .config_class = "Emu3TextConfig",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 9216,
     .rope_theta = 1000000,
     .attention = kPlainAttention,
     .weights = kSeparate},
    {.name = "emu3",
     .architecture = "Emu3ForConditionalGeneration",
     .config_class = "Emu3Config",
     .part = "text_config",
     .part_type = "emu3_text_model"},
    diffusion({.name = "OmniGenTransformer2DModel",
               .rope_theta = 10000,
               .encoding = "RoPE half_split on the whole head, longrope",
               .pairing = Pairing::half_split,
               .special = Special::omnigen}),
    model_of_parts({.name = "altclip",
                    .architecture = "AltCLIPModel",
                    .config_class = "AltCLIPConfig",
                    .part = "text_config",
                    .part_type = "altclip_text_model",
                    .parts = kAltclipParts}),
    learned_table({.name = "altclip_text_model",
                   .architecture = "AltRobertaModel",
                   .config_class = "AltCLIPTextConfig",
                   .size = {1024, 16, 24},
                   .max_positions = 514,
                   .learned = {.tensor = "embeddings.position_embeddings.weight",
                               .first = FirstRow::after_padding}}),
    learned_table({.name = "altclip_vision_model",
                   .architecture = "AltCLIPVisionModel",
                   .config_class = "AltCLIPVisionConfig",
                   .size = {768, 12, 12},
                   .learned = {.tensor = "embeddings.position_embedding.weight",
                               .picture = {.image = 224, .patch = 32, .more = 1}}}),
    without_positions("emu3_vqgan", "Emu3VQVAE", "Emu3VQVAEConfig", kConvolutionsAlone),
    relative_terms({.name = "seggpt",
                    .architecture = "SegGptModel",
                    .config_class = "SegGptConfig",
                    .size = {1024, 16, 24},
                    .learned = {.tensor = "embeddings.position_embeddings",
                                .picture = {.image_key = "pretrain_image_size",
                                            .image = 224,
                                            .patch = 16,
                                            .more = 1}},
                    .relative = {.form = RelativeForm::decomposed}}),
};

}  // namespace

constinit const Family family::baai{.name = "baai", .types = kTypes};

}  // namespace ropewalk
