// Publishers of one or two models, ai_sweden to grenoble. Source: configuration_*.py and
// modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kAiSweden[] = {
    learned_table({.name = "gpt-sw3",
                   .architecture = "GPT2LMHeadModel",
                   .config_class = "GPT2Config",
                   .size = {768, 12, 12},
                   .max_positions = 1024,
                   .learned = {.tensor = "wpe.weight"},
                   .mask = Mask::causal}),
};

constexpr Part kOvis2Parts[] = {part_model("vision", "vision_config", "ovis2_vision")};
constexpr ModelType kAidc[] = {
    model_of_parts({.name = "ovis2",
                    .architecture = "Ovis2ForConditionalGeneration",
                    .config_class = "Ovis2Config",
                    .part = "text_config",
                    .part_type = "qwen2",
                    .parts = kOvis2Parts}),
    learned_table({.name = "ovis2_vision",
                   .architecture = "Ovis2VisionModel",
                   .config_class = "Ovis2VisionConfig",
                   .size = {1024, 8, 24},
                   .learned = {.tensor = "transformer.embeddings.position_embedding.weight",
                               .picture = {.image = 224, .patch = 14}}}),
};

constexpr ModelType kAllenai[] = {
    learned_table(
        {.name = "led",
         .architecture = "LEDForConditionalGeneration",
         .config_class = "LEDConfig",
         .size = {1024, 16, 12},
         .max_positions = 16384,
         .learned = {.tensor = "encoder.embed_positions.weight", .part = kEncoderAndDecoder},
         .max_positions_key = "max_encoder_position_embeddings"}),
    learned_table({.name = "longformer",
                   .architecture = "LongformerForMaskedLM",
                   .config_class = "LongformerConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight",
                               .first = FirstRow::after_padding}}),
};

constexpr Part kAimv2Parts[] = {part_model("vision", "vision_config", "aimv2_vision_model")};
constexpr Part kDepthProParts[] = {part_model("patch_model", "patch_model_config", "dinov2"),
                                   part_model("fov_model", "fov_model_config", "dinov2")};
constexpr Part kFastVlmParts[] = {part_model("vision", "vision_config", "timm_wrapper")};
constexpr ModelType kApple[] = {
    model_of_parts({.name = "aimv2",
                    .architecture = "Aimv2Model",
                    .config_class = "Aimv2Config",
                    .part = "text_config",
                    .part_type = "aimv2_text_model",
                    .parts = kAimv2Parts}),
    learned_table({.name = "aimv2_text_model",
                   .architecture = "Aimv2TextModel",
                   .config_class = "Aimv2TextConfig",
                   .size = {768, 6, 12},
                   .max_positions = 77,
                   .learned = {.tensor = "embeddings.position_embedding.weight"},
                   .mask = Mask::causal}),
    learned_table({.name = "aimv2_vision_model",
                   .architecture = "Aimv2VisionModel",
                   .config_class = "Aimv2VisionConfig",
                   .size = {1024, 8, 24},
                   .learned = {.tensor = "embeddings.position_embedding.weight",
                               .picture = {.image = 224, .patch = 14}}}),
    model_of_parts({.name = "depth_pro",
                    .architecture = "DepthProModel",
                    .config_class = "DepthProConfig",
                    .part = "image_model_config",
                    .part_type = "dinov2",
                    .parts = kDepthProParts}),
    model_of_parts({.name = "fast_vlm",
                    .architecture = "FastVlmForConditionalGeneration",
                    .config_class = "FastVlmConfig",
                    .part = "text_config",
                    .part_type = "qwen2",
                    .parts = kFastVlmParts}),
    without_positions("mobilevit", "MobileViTModel", "MobileViTConfig", kConvolutionsAlone),
    without_positions("mobilevitv2", "MobileViTV2Model", "MobileViTV2Config", kConvolutionsAlone),
};

constexpr ModelType kAsapp[] = {
    learned_table({.name = "sew",
                   .architecture = "SEWForCTC",
                   .config_class = "SEWConfig",
                   .size = {768, 12, 12},
                   .positions = Positions::convolution}),
    relative_terms({.name = "sew-d",
                    .architecture = "SEWDForCTC",
                    .config_class = "SEWDConfig",
                    .size = {768, 12, 12},
                    .relative = {.form = RelativeForm::disentangled,
                                 .max_distance = {"max_position_embeddings", 512},
                                 .buckets = {"position_buckets", 256}}}),
};

constexpr ModelType kBeihang[] = {
    sinusoidal_table("informer", "InformerModel", "InformerConfig", 0, {.part = kEncoderAndDecoder},
                     kSinCosAdded),
};

constexpr ModelType kBerkeley[] = {
    learned_table({.name = "ibert",
                   .architecture = "IBertForMaskedLM",
                   .config_class = "IBertConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight",
                               .first = FirstRow::after_padding}}),
};

constexpr ModelType kBoPeng[] = {
    without_positions("rwkv", "RwkvForCausalLM", "RwkvConfig", kRecurrenceAlone),
};

constexpr ModelType kCzczup[] = {
    without_positions("textnet", "TextNetModel", "TextNetConfig", kConvolutionsAlone),
};

constexpr ModelType kDescript[] = {
    without_positions("dac", "DacModel", "DacConfig", kConvolutionsAlone),
};

constexpr ModelType kDory[] = {
    refused(
        "dory", "DoryForCausalLM", "DoryConfig",
        "its layers are run in loops, and files count others among them, which is not supported"),
};

constexpr KeyAlias kFastspeech2ConformerKeys[] = {
    {"encoder_num_attention_heads", "num_attention_heads"}};
constexpr Part kFastspeech2ConformerWithHifiganParts[] = {
    part_model("vocoder", "vocoder_config", "fastspeech2_conformer_hifigan")};
constexpr ModelType kEspnet[] = {
    relative_terms({.name = "fastspeech2_conformer",
                    .architecture = "FastSpeech2ConformerModel",
                    .config_class = "FastSpeech2ConformerConfig",
                    .size = {384, 2, 4},
                    .relative = {.form = RelativeForm::transformer_xl},
                    .aliases = kFastspeech2ConformerKeys}),
    without_positions("fastspeech2_conformer_hifigan", "FastSpeech2ConformerHifiGan",
                      "FastSpeech2ConformerHifiGanConfig", kConvolutionsAlone),
    model_of_parts({.name = "fastspeech2_conformer_with_hifigan",
                    .architecture = "FastSpeech2ConformerWithHifiGan",
                    .config_class = "FastSpeech2ConformerWithHifiGanConfig",
                    .part = "model_config",
                    .part_type = "fastspeech2_conformer",
                    .parts = kFastspeech2ConformerWithHifiganParts}),
};

constexpr ModelType kEth[] = {
    refused("lightglue", "LightGlueForKeypointMatching", "LightGlueConfig",
            "its angles are a learned projection of the places of keypoints, which is no rotation "
            "by integer positions"),
    refused("superglue", "SuperGlueForKeypointMatching", "SuperGlueConfig",
            "a small network of the places of keypoints is added: there are no integer positions"),
};

constexpr Part kClipsegParts[] = {part_model("vision", "vision_config", "clipseg_vision_model")};
constexpr ModelType kGoettingen[] = {
    model_of_parts({.name = "clipseg",
                    .architecture = "CLIPSegModel",
                    .config_class = "CLIPSegConfig",
                    .part = "text_config",
                    .part_type = "clipseg_text_model",
                    .parts = kClipsegParts}),
    learned_table({.name = "clipseg_text_model",
                   .architecture = "CLIPSegTextModel",
                   .config_class = "CLIPSegTextConfig",
                   .size = {512, 8, 12},
                   .max_positions = 77,
                   .learned = {.tensor = "embeddings.position_embedding.weight"},
                   .mask = Mask::causal}),
    learned_table({.name = "clipseg_vision_model",
                   .architecture = "CLIPSegVisionModel",
                   .config_class = "CLIPSegVisionConfig",
                   .size = {768, 12, 12},
                   .learned = {.tensor = "embeddings.position_embedding.weight",
                               .picture = {.image = 224, .patch = 32, .more = 1}}}),
};

constexpr ModelType kGrenoble[] = {
    learned_table({.name = "flaubert",
                   .architecture = "FlaubertWithLMHeadModel",
                   .config_class = "FlaubertConfig",
                   .size = {2048, 16, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "position_embeddings.weight"}}),
};

}  // namespace

constinit const Family family::ai_sweden{.name = "ai_sweden", .types = kAiSweden};
constinit const Family family::aidc{.name = "aidc", .types = kAidc};
constinit const Family family::allenai{.name = "allenai", .types = kAllenai};
constinit const Family family::apple{.name = "apple", .types = kApple};
constinit const Family family::asapp{.name = "asapp", .types = kAsapp};
constinit const Family family::beihang{.name = "beihang", .types = kBeihang};
constinit const Family family::berkeley{.name = "berkeley", .types = kBerkeley};
constinit const Family family::bo_peng{.name = "bo_peng", .types = kBoPeng};
constinit const Family family::czczup{.name = "czczup", .types = kCzczup};
constinit const Family family::descript{.name = "descript", .types = kDescript};
constinit const Family family::dory{.name = "dory", .types = kDory};
constinit const Family family::espnet{.name = "espnet", .types = kEspnet};
constinit const Family family::eth{.name = "eth", .types = kEth};
constinit const Family family::goettingen{.name = "goettingen", .types = kGoettingen};
constinit const Family family::grenoble{.name = "grenoble", .types = kGrenoble};

}  // namespace ropewalk
