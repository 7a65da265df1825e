// Publishers of one or two models, suno to zju. Source: configuration_*.py and modeling_*.py of
// transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kSuno[] = {
    model_of_parts({.name = "bark",
                    .architecture = "BarkModel",
                    .config_class = "BarkConfig",
                    .part = "codec_config",
                    .part_type = "encodec"}),
};

constexpr ModelType kSydney[] = {
    model_of_parts({.name = "vitpose",
                    .architecture = "VitPoseForPoseEstimation",
                    .config_class = "VitPoseConfig",
                    .part = "backbone_config",
                    .part_type = "vitpose_backbone"}),
    learned_table(
        {.name = "vitpose_backbone",
         .architecture = "VitPoseBackbone",
         .config_class = "VitPoseBackboneConfig",
         .size = {768, 12, 12},
         .learned = {.tensor = "embeddings.position_embeddings",
                     .picture = {.image = 256, .patch = 16, .more = 1, .image_width = 192}}}),
};

constexpr Part kSamHqParts[] = {
    part_model("prompt_encoder", "prompt_encoder_config", "sam_hq_prompt_encoder"),
    part_model("mask_decoder", "mask_decoder_config", "sam_hq_mask_decoder")};
constexpr ModelType kSyscv[] = {
    model_of_parts({.name = "sam_hq",
                    .architecture = "SamHQModel",
                    .config_class = "SamHQConfig",
                    .part = "vision_config",
                    .part_type = "sam_hq_vision_model",
                    .parts = kSamHqParts}),
    with_features("sam_hq_mask_decoder", "", "SamHQMaskDecoderConfig", FeatureForm::fourier),
    with_features("sam_hq_prompt_encoder", "", "SamHQPromptEncoderConfig", FeatureForm::fourier),
    relative_terms(
        {.name = "sam_hq_vision_model",
         .architecture = "SamHQVisionModel",
         .config_class = "SamHQVisionConfig",
         .size = {768, 12, 12},
         .learned = {.tensor = "vision_encoder.pos_embed", .picture = {.image = 1024, .patch = 16}},
         .relative = {.form = RelativeForm::decomposed}}),
};

constexpr ModelType kTelAviv[] = {
    learned_table({.name = "splinter",
                   .architecture = "SplinterForPreTraining",
                   .config_class = "SplinterConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight"}}),
};

constexpr Part kInkling2Parts[] = {part_model("vision", "vision_config", "inkling2_vision")};
constexpr Part kInkling2LoopParts[] = {part_model("vision", "vision_config", "inkling2_vision")};
constexpr Part kInklingMmModelParts[] = {part_model("audio", "audio_config", "inkling_audio"),
                                         part_model("vision", "vision_config", "inkling_vision")};
constexpr ModelType kThinkingMachines[] = {
    model_of_parts({.name = "inkling2",
                    .architecture = "Inkling2ForConditionalGeneration",
                    .config_class = "Inkling2Config",
                    .part = "text_config",
                    .part_type = "inkling2_text",
                    .parts = kInkling2Parts}),
    model_of_parts({.name = "inkling2_loop",
                    .architecture = "Inkling2LoopForConditionalGeneration",
                    .config_class = "Inkling2LoopConfig",
                    .part = "text_config",
                    .part_type = "inkling2_loop_text",
                    .parts = kInkling2LoopParts}),
    relative_terms({.name = "inkling2_loop_text",
                    .architecture = "Inkling2LoopForCausalLM",
                    .config_class = "Inkling2LoopTextConfig",
                    .size = {2304, 24, 24},
                    .relative = {.form = RelativeForm::content_bias}}),
    relative_terms({.name = "inkling2_text",
                    .architecture = "Inkling2ForCausalLM",
                    .config_class = "Inkling2TextConfig",
                    .size = {4608, 48, 48},
                    .relative = {.form = RelativeForm::content_bias}}),
    without_positions("inkling_audio", "InklingAudioModel", "InklingAudioConfig", kNoOrder),
    model_of_parts({.name = "inkling_mm_model",
                    .architecture = "InklingForConditionalGeneration",
                    .config_class = "InklingConfig",
                    .part = "text_config",
                    .part_type = "inkling_text",
                    .parts = kInklingMmModelParts}),
    relative_terms({.name = "inkling_text",
                    .architecture = "InklingForCausalLM",
                    .config_class = "InklingTextConfig",
                    .size = {6144, 64, 66},
                    .relative = {.form = RelativeForm::content_bias}}),
    without_positions("inkling_vision", "InklingVisionModel", "InklingVisionConfig", kNoOrder),
    refused("inkling2_vision", "Inkling2VisionModel", "Inkling2VisionConfig",
            "columns and rows turn beside a learned grid, which is not supported"),
};

constexpr ModelType kTiktok[] = {
    model_of_parts({.name = "depth_anything",
                    .architecture = "DepthAnythingForDepthEstimation",
                    .config_class = "DepthAnythingConfig",
                    .part = "backbone_config",
                    .part_type = "dinov2"}),
    model_of_parts({.name = "prompt_depth_anything",
                    .architecture = "PromptDepthAnythingForDepthEstimation",
                    .config_class = "PromptDepthAnythingConfig",
                    .part = "backbone_config",
                    .part_type = "dinov2"}),
};

constexpr Part kClvpParts[] = {part_model("speech", "speech_config", "clvp_encoder"),
                               part_model("decoder", "decoder_config", "clvp_decoder")};
constexpr ModelType kTortoise[] = {
    model_of_parts({.name = "clvp",
                    .architecture = "ClvpModelForConditionalGeneration",
                    .config_class = "ClvpConfig",
                    .part = "text_config",
                    .part_type = "clvp_encoder",
                    .parts = kClvpParts}),
    learned_table({.name = "clvp_decoder",
                   .architecture = "ClvpModel",
                   .config_class = "ClvpDecoderConfig",
                   .size = {1024, 16, 30},
                   .max_positions = 608,
                   .learned = {.tensor = "decoder.position_embeds_layer.weight"},
                   .mask = Mask::causal}),
    refused("clvp_encoder", "ClvpEncoder", "ClvpEncoderConfig",
            "v turns with q and k, which no layout says"),
};

constexpr ModelType kTsinghua[] = {
    sinusoidal_table("autoformer", "AutoformerModel", "AutoformerConfig", 0,
                     {.part = kEncoderAndDecoder}, kSinCosAdded),
};

constexpr ModelType kUcla[] = {
    learned_table({.name = "plbart",
                   .architecture = "PLBartForCausalLM",
                   .config_class = "PLBartConfig",
                   .size = {768, 12, 6},
                   .max_positions = 1024,
                   .learned = {.tensor = "encoder.embed_positions.weight",
                               .part = kEncoderAndDecoder,
                               .first = FirstRow::two,
                               .beside = true}}),
    learned_table({.name = "visual_bert",
                   .architecture = "VisualBertForPreTraining",
                   .config_class = "VisualBertConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight"}}),
};

constexpr Part kUltravbertParts[] = {part_model("vision", "vision_config", "siglip_vision_model")};
constexpr ModelType kUltravbert[] = {
    model_of_parts({.name = "ultravbert",
                    .architecture = "UltraVBertModel",
                    .config_class = "UltraVBertConfig",
                    .part = "text_config",
                    .part_type = "ultrabert",
                    .parts = kUltravbertParts}),
};

constexpr ModelType kUnc[] = {
    learned_table({.name = "lxmert",
                   .architecture = "LxmertForPreTraining",
                   .config_class = "LxmertConfig",
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight",
                               .width_key = "hidden_size",
                               .width = 768}}),
};

constexpr Part kDFineParts[] = {part_model("backbone", "backbone_config", "hgnet_v2")};
constexpr ModelType kUstc[] = {
    with_features("d_fine", "DFineModel", "DFineConfig", FeatureForm::sine_2d, kDFineParts),
};

constexpr ModelType kWavtokenizer[] = {
    without_positions("wavtokenizer", "WavTokenizerModel", "WavTokenizerConfig",
                      kConvolutionsAlone),
    without_positions("wavtokenizer_encoder", "WavTokenizerEncoderModel",
                      "WavTokenizerEncoderConfig", kConvolutionsAlone),
};

constexpr ModelType kWechat[] = {
    learned_table({.name = "roc_bert",
                   .architecture = "RoCBertForCausalLM",
                   .config_class = "RoCBertConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight"}}),
};

constexpr ModelType kWisconsin[] = {
    learned_table({.name = "mra",
                   .architecture = "MraForMaskedLM",
                   .config_class = "MraConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight",
                               .first = FirstRow::two,
                               .beside = true}}),
    learned_table({.name = "nystromformer",
                   .architecture = "NystromformerModel",
                   .config_class = "NystromformerConfig",
                   .size = {768, 12, 12},
                   .max_positions = 510,
                   .learned = {.tensor = "embeddings.position_embeddings.weight",
                               .first = FirstRow::two,
                               .beside = true}}),
    learned_table({.name = "yoso",
                   .architecture = "YosoModel",
                   .config_class = "YosoConfig",
                   .size = {768, 12, 12},
                   .max_positions = 4096,
                   .learned = {.tensor = "embeddings.position_embeddings.weight",
                               .first = FirstRow::two,
                               .beside = true}}),
};

constexpr ModelType kWurzburg[] = {
    relative_terms({.name = "swin2sr",
                    .architecture = "Swin2SRModel",
                    .config_class = "Swin2SRConfig",
                    .relative = {.form = RelativeForm::window_mlp}}),
};

constexpr ModelType kYitu[] = {
    learned_table({.name = "convbert",
                   .architecture = "ConvBertModel",
                   .config_class = "ConvBertConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight",
                               .width_key = "embedding_size",
                               .width = 768}}),
};

constexpr ModelType kZju[] = {
    refused("efficientloftr", "EfficientLoFTRModel", "EfficientLoFTRConfig",
            "its rotation runs over 128 channels across heads, and rows and columns are counted "
            "from 1"),
};

}  // namespace

constinit const Family family::suno{.name = "suno", .types = kSuno};
constinit const Family family::sydney{.name = "sydney", .types = kSydney};
constinit const Family family::syscv{.name = "syscv", .types = kSyscv};
constinit const Family family::tel_aviv{.name = "tel_aviv", .types = kTelAviv};
constinit const Family family::thinking_machines{.name = "thinking_machines",
                                                 .types = kThinkingMachines};
constinit const Family family::tiktok{.name = "tiktok", .types = kTiktok};
constinit const Family family::tortoise{.name = "tortoise", .types = kTortoise};
constinit const Family family::tsinghua{.name = "tsinghua", .types = kTsinghua};
constinit const Family family::ucla{.name = "ucla", .types = kUcla};
constinit const Family family::ultravbert{.name = "ultravbert", .types = kUltravbert};
constinit const Family family::unc{.name = "unc", .types = kUnc};
constinit const Family family::ustc{.name = "ustc", .types = kUstc};
constinit const Family family::wavtokenizer{.name = "wavtokenizer", .types = kWavtokenizer};
constinit const Family family::wechat{.name = "wechat", .types = kWechat};
constinit const Family family::wisconsin{.name = "wisconsin", .types = kWisconsin};
constinit const Family family::wurzburg{.name = "wurzburg", .types = kWurzburg};
constinit const Family family::yitu{.name = "yitu", .types = kYitu};
constinit const Family family::zju{.name = "zju", .types = kZju};

}  // namespace ropewalk
