// Publishers of one or two models, hust to nx_ai. Source: configuration_*.py and modeling_*.py of
// transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kHust[] = {
    model_of_parts({.name = "vitmatte",
                    .architecture = "VitMatteForImageMatting",
                    .config_class = "VitMatteConfig",
                    .part = "backbone_config",
                    .part_type = "vitdet"}),
    learned_table({.name = "yolos",
                   .architecture = "YolosModel",
                   .config_class = "YolosConfig",
                   .size = {768, 12, 12},
                   .learned = {.tensor = "embeddings.position_embeddings"}}),
};

constexpr Part kDabDetrParts[] = {part_model("backbone", "backbone_config", "timm_backbone")};
constexpr Part kGroundingDinoParts[] = {part_model("backbone", "backbone_config", "swin"),
                                        part_model("text", "text_config", "bert")};
constexpr ModelType kIdeaResearch[] = {
    with_features("dab-detr", "DabDetrModel", "DabDetrConfig", FeatureForm::sine_2d, kDabDetrParts),
    with_features("grounding-dino", "GroundingDinoModel", "GroundingDinoConfig",
                  FeatureForm::sine_2d, kGroundingDinoParts),
};

constexpr Part kBridgetowerParts[] = {
    part_model("vision", "vision_config", "bridgetower_vision_model")};
constexpr ModelType kIntelLabs[] = {
    model_of_parts({.name = "bridgetower",
                    .architecture = "BridgeTowerModel",
                    .config_class = "BridgeTowerConfig",
                    .part = "text_config",
                    .part_type = "bridgetower_text_model",
                    .parts = kBridgetowerParts}),
    learned_table({.name = "bridgetower_text_model",
                   .architecture = "BridgeTowerTextModel",
                   .config_class = "BridgeTowerTextConfig",
                   .size = {768, 12, 12},
                   .max_positions = 514,
                   .learned = {.tensor = "embeddings.position_embeddings.weight",
                               .first = FirstRow::after_padding}}),
    learned_table({.name = "bridgetower_vision_model",
                   .architecture = "BridgeTowerVisionModel",
                   .config_class = "BridgeTowerVisionConfig",
                   .learned = {.tensor = "visual.embeddings.position_embedding.weight",
                               .width_key = "hidden_size",
                               .width = 768,
                               .picture = {.image = 288, .patch = 16, .more = 1}}}),
    learned_table({.name = "dpt",
                   .architecture = "DPTModel",
                   .config_class = "DPTConfig",
                   .size = {768, 12, 12},
                   .learned = {.tensor = "embeddings.position_embeddings",
                               .picture = {.image = 384, .patch = 16, .more = 1}}}),
    model_of_parts({.name = "tvp",
                    .architecture = "TvpModel",
                    .config_class = "TvpConfig",
                    .part = "backbone_config",
                    .part_type = "resnet"}),
    model_of_parts({.name = "zoedepth",
                    .architecture = "ZoeDepthForDepthEstimation",
                    .config_class = "ZoeDepthConfig",
                    .part = "backbone_config",
                    .part_type = "beit"}),
};

constexpr Part kDeimv2Parts[] = {part_model("backbone", "backbone_config", "hgnet_v2")};
constexpr ModelType kIntellindust[] = {
    with_features("deimv2", "Deimv2Model", "Deimv2Config", FeatureForm::sine_2d, kDeimv2Parts),
};

constexpr ModelType kIquest[] = {
    {.name = "iquestcoder",
     .architecture = "LlamaModel",
     .config_class = "IQuestCoderConfig",
     .size = {5120, 40, 80},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 131072},
};

constexpr ModelType kJev[] = {
    model_of_parts({.name = "jev",
                    .architecture = "JevForDecision",
                    .config_class = "JevConfig",
                    .part = "text_config",
                    .part_type = "qwen3_5_text"}),
};

constexpr ModelType kKakao[] = {
    learned_table({.name = "vilt",
                   .architecture = "ViltModel",
                   .config_class = "ViltConfig",
                   .size = {768, 12, 12},
                   .learned = {.tensor = "embeddings.position_embeddings",
                               .picture = {.image = 384, .patch = 32, .more = 1}}}),
};

constexpr Part kClapParts[] = {part_model("audio", "audio_config", "clap_audio_model")};
constexpr ModelType kLaion[] = {
    model_of_parts({.name = "clap",
                    .architecture = "ClapModel",
                    .config_class = "ClapConfig",
                    .part = "text_config",
                    .part_type = "clap_text_model",
                    .parts = kClapParts}),
    relative_terms({.name = "clap_audio_model",
                    .architecture = "ClapAudioModel",
                    .config_class = "ClapAudioConfig",
                    .relative = {.form = RelativeForm::window_table}}),
    learned_table({.name = "clap_text_model",
                   .architecture = "ClapTextModel",
                   .config_class = "ClapTextConfig",
                   .size = {768, 12, 12},
                   .max_positions = 514,
                   .learned = {.tensor = "embeddings.position_embeddings.weight",
                               .first = FirstRow::after_padding}}),
};

constexpr Part kLightonOcrParts[] = {part_model("vision", "vision_config", "pixtral")};
constexpr ModelType kLighton[] = {
    model_of_parts({.name = "lighton_ocr",
                    .architecture = "LightOnOcrForConditionalGeneration",
                    .config_class = "LightOnOcrConfig",
                    .part = "text_config",
                    .part_type = "qwen3",
                    .parts = kLightonOcrParts}),
};

constexpr ModelType kMagicLeap[] = {
    without_positions("superpoint", "SuperPointForKeypointDetection", "SuperPointConfig",
                      kConvolutionsAlone),
};

constexpr ModelType kMaumAi[] = {
    without_positions("univnet", "UnivNetModel", "UnivNetConfig", kConvolutionsAlone),
};

constexpr ModelType kMbzuai[] = {
    without_positions("swiftformer", "SwiftFormerModel", "SwiftFormerConfig", kConvolutionsAlone),
};

constexpr ModelType kMitIbm[] = {
    learned_table({.name = "audio-spectrogram-transformer",
                   .architecture = "ASTModel",
                   .config_class = "ASTConfig",
                   .size = {768, 12, 12},
                   .learned = {.tensor = "embeddings.position_embeddings"}}),
};

constexpr ModelType kNanjing[] = {
    learned_table({.name = "pvt",
                   .architecture = "PvtModel",
                   .config_class = "PvtConfig",
                   .learned = {.tensor = "encoder.patch_embeddings.0.position_embeddings"}}),
    without_positions("pvt_v2", "PvtV2Model", "PvtV2Config", kConvolutionsAlone),
    sinusoidal_table("videomae", "VideoMAEForPreTraining", "VideoMAEConfig", 0,
                     {.layout = SinusoidalLayout::interleaved},
                     "sinusoidal interleaved, added to the input"),
};

constexpr ModelType kNeomme[] = {
    refused("neomme", "NeoMMEModel", "NeoMMEConfig",
            "rows and columns take turns on a window that its kinds of layers share, which is not "
            "supported"),
};

constexpr ModelType kNxAi[] = {
    without_positions("xlstm", "xLSTMForCausalLM", "xLSTMConfig", kRecurrenceAlone),
};

}  // namespace

constinit const Family family::hust{.name = "hust", .types = kHust};
constinit const Family family::idea_research{.name = "idea_research", .types = kIdeaResearch};
constinit const Family family::intel_labs{.name = "intel_labs", .types = kIntelLabs};
constinit const Family family::intellindust{.name = "intellindust", .types = kIntellindust};
constinit const Family family::iquest{.name = "iquest", .types = kIquest};
constinit const Family family::jev{.name = "jev", .types = kJev};
constinit const Family family::kakao{.name = "kakao", .types = kKakao};
constinit const Family family::laion{.name = "laion", .types = kLaion};
constinit const Family family::lighton{.name = "lighton", .types = kLighton};
constinit const Family family::magic_leap{.name = "magic_leap", .types = kMagicLeap};
constinit const Family family::maum_ai{.name = "maum_ai", .types = kMaumAi};
constinit const Family family::mbzuai{.name = "mbzuai", .types = kMbzuai};
constinit const Family family::mit_ibm{.name = "mit_ibm", .types = kMitIbm};
constinit const Family family::nanjing{.name = "nanjing", .types = kNanjing};
constinit const Family family::neomme{.name = "neomme", .types = kNeomme};
constinit const Family family::nx_ai{.name = "nx_ai", .types = kNxAi};

}  // namespace ropewalk
