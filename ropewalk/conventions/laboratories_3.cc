// Publishers of one or two models, ofa_sys to studio_ousia. Source: configuration_*.py and
// modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr Part kChineseClipParts[] = {
    part_model("vision", "vision_config", "chinese_clip_vision_model")};
constexpr ModelType kOfaSys[] = {
    model_of_parts({.name = "chinese_clip",
                    .architecture = "ChineseCLIPModel",
                    .config_class = "ChineseCLIPConfig",
                    .part = "text_config",
                    .part_type = "chinese_clip_text_model",
                    .parts = kChineseClipParts}),
    learned_table({.name = "chinese_clip_text_model",
                   .architecture = "ChineseCLIPTextModel",
                   .config_class = "ChineseCLIPTextConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight"}}),
    learned_table({.name = "chinese_clip_vision_model",
                   .architecture = "ChineseCLIPVisionModel",
                   .config_class = "ChineseCLIPVisionConfig",
                   .size = {768, 12, 12},
                   .learned = {.tensor = "embeddings.position_embedding.weight",
                               .picture = {.image = 224, .patch = 32, .more = 1}}}),
};

constexpr Part kOmdetTurboParts[] = {part_model("text", "text_config", "clip_text_model"),
                                     part_model("backbone", "backbone_config", "timm_backbone")};
constexpr ModelType kOmlab[] = {
    with_features("omdet-turbo", "OmDetTurboForObjectDetection", "OmDetTurboConfig",
                  FeatureForm::sine_2d, kOmdetTurboParts),
};

constexpr Part kMmGroundingDinoParts[] = {part_model("backbone", "backbone_config", "swin"),
                                          part_model("text", "text_config", "bert")};
constexpr ModelType kOpenmmlab[] = {
    with_features("mm-grounding-dino", "MMGroundingDinoModel", "MMGroundingDinoConfig",
                  FeatureForm::sine_2d, kMmGroundingDinoParts),
    model_of_parts({.name = "upernet",
                    .architecture = "UperNetForSemanticSegmentation",
                    .config_class = "UperNetConfig",
                    .part = "backbone_config",
                    .part_type = "resnet"}),
};

constexpr Part kMossTranscribeDiarizeParts[] = {
    part_model("audio", "audio_config", "moss_transcribe_diarize_audio")};
constexpr ModelType kOpenmoss[] = {
    model_of_parts({.name = "moss_transcribe_diarize",
                    .architecture = "MossTranscribeDiarizeForConditionalGeneration",
                    .config_class = "MossTranscribeDiarizeConfig",
                    .part = "text_config",
                    .part_type = "qwen3",
                    .parts = kMossTranscribeDiarizeParts}),
    learned_table({.name = "moss_transcribe_diarize_audio",
                   .architecture = "MossTranscribeDiarizeAudioModel",
                   .config_class = "MossTranscribeDiarizeAudioConfig",
                   .size = {1024, 16, 24},
                   .max_positions = 1500,
                   .learned = {.tensor = "embed_positions.weight"},
                   .max_positions_key = "max_source_positions"}),
};

constexpr Part kPi0Parts[] = {part_model("dit", "dit_config", "gemma")};
constexpr ModelType kPhysicalIntelligence[] = {
    model_of_parts({.name = "pi0",
                    .architecture = "PI0ForConditionalGeneration",
                    .config_class = "PI0Config",
                    .part = "vlm_config",
                    .part_type = "paligemma",
                    .parts = kPi0Parts}),
};

constexpr ModelType kPostech[] = {
    without_positions("glpn", "GLPNModel", "GLPNConfig", kConvolutionsAlone),
};

constexpr ModelType kRenmin[] = {
    learned_table({.name = "mvp",
                   .architecture = "MvpForCausalLM",
                   .config_class = "MvpConfig",
                   .size = {1024, 16, 12},
                   .max_positions = 1024,
                   .learned = {.tensor = "encoder.embed_positions.weight",
                               .part = kEncoderAndDecoder,
                               .first = FirstRow::two,
                               .beside = true}}),
};

constexpr Part kRfDetrParts[] = {part_model("backbone", "backbone_config", "rf_detr_dinov2")};
constexpr ModelType kRoboflow[] = {
    with_features("rf_detr", "RfDetrModel", "RfDetrConfig", FeatureForm::sine_boxes, kRfDetrParts),
    learned_table({.name = "rf_detr_dinov2",
                   .architecture = "RfDetrDinov2Encoder",
                   .config_class = "RfDetrDinov2Config",
                   .size = {768, 12, 12},
                   .learned = {.tensor = "embeddings.position_embeddings",
                               .picture = {.image = 224, .patch = 14, .more = 1}}}),
};

constexpr ModelType kSarvam[] = {
    {.name = "sarvam_moe",
     .architecture = "Glm4MoeModel",
     .config_class = "SarvamMoEConfig",
     .size = {4096, 64, 19},
     .head_dim = 64,
     .kv_heads = 4,
     .max_positions = 131072,
     .rope_theta = 8000000,
     .fraction = Fraction::leading},
    refused("sarvam_mla", "DeepseekV3Model", "SarvamMLAConfig",
            "its files state a scaling under names that ropewalk has not checked"),
};

constexpr ModelType kScut[] = {
    learned_table({.name = "lilt",
                   .architecture = "LiltModel",
                   .config_class = "LiltConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight",
                               .first = FirstRow::after_padding}}),
};

constexpr ModelType kSeaAiLab[] = {
    without_positions("poolformer", "PoolFormerModel", "PoolFormerConfig", kConvolutionsAlone),
};

constexpr Part kDeformableDetrParts[] = {
    part_model("backbone", "backbone_config", "timm_backbone")};
constexpr ModelType kSensetime[] = {
    with_features("deformable_detr", "DeformableDetrModel", "DeformableDetrConfig",
                  FeatureForm::sine_2d, kDeformableDetrParts),
};

constexpr Part kOneformerParts[] = {part_model("backbone", "backbone_config", "swin")};
constexpr ModelType kShiLabs[] = {
    relative_terms({.name = "dinat",
                    .architecture = "DinatModel",
                    .config_class = "DinatConfig",
                    .relative = {.form = RelativeForm::window_table}}),
    with_features("oneformer", "OneFormerModel", "OneFormerConfig", FeatureForm::sine_2d,
                  kOneformerParts),
};

constexpr ModelType kSqueezebert[] = {
    learned_table({.name = "squeezebert",
                   .architecture = "SqueezeBertForMaskedLM",
                   .config_class = "SqueezeBertConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight"}}),
};

constexpr ModelType kStateSpaces[] = {
    without_positions("mamba", "MambaForCausalLM", "MambaConfig", kRecurrenceAlone),
    without_positions("mamba2", "Mamba2ForCausalLM", "Mamba2Config", kRecurrenceAlone),
};

constexpr ModelType kStudioOusia[] = {
    learned_table({.name = "luke",
                   .architecture = "LukeForMaskedLM",
                   .config_class = "LukeConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight",
                               .first = FirstRow::after_padding}}),
};

}  // namespace

constinit const Family family::ofa_sys{.name = "ofa_sys", .types = kOfaSys};
constinit const Family family::omlab{.name = "omlab", .types = kOmlab};
constinit const Family family::openmmlab{.name = "openmmlab", .types = kOpenmmlab};
constinit const Family family::openmoss{.name = "openmoss", .types = kOpenmoss};
constinit const Family family::physical_intelligence{.name = "physical_intelligence",
                                                     .types = kPhysicalIntelligence};
constinit const Family family::postech{.name = "postech", .types = kPostech};
constinit const Family family::renmin{.name = "renmin", .types = kRenmin};
constinit const Family family::roboflow{.name = "roboflow", .types = kRoboflow};
constinit const Family family::sarvam{.name = "sarvam", .types = kSarvam};
constinit const Family family::scut{.name = "scut", .types = kScut};
constinit const Family family::sea_ai_lab{.name = "sea_ai_lab", .types = kSeaAiLab};
constinit const Family family::sensetime{.name = "sensetime", .types = kSensetime};
constinit const Family family::shi_labs{.name = "shi_labs", .types = kShiLabs};
constinit const Family family::squeezebert{.name = "squeezebert", .types = kSqueezebert};
constinit const Family family::state_spaces{.name = "state_spaces", .types = kStateSpaces};
constinit const Family family::studio_ousia{.name = "studio_ousia", .types = kStudioOusia};

}  // namespace ropewalk
