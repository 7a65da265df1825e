// Meta's models of pictures, and of pictures with text. Source: configuration_*.py and
// modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr Part kEdgetamParts[] = {
    part_model("prompt_encoder", "prompt_encoder_config", "edgetam_prompt_encoder"),
    part_model("mask_decoder", "mask_decoder_config", "edgetam_mask_decoder")};
constexpr Part kSamParts[] = {
    part_model("prompt_encoder", "prompt_encoder_config", "sam_prompt_encoder"),
    part_model("mask_decoder", "mask_decoder_config", "sam_mask_decoder")};
constexpr Part kSam2Parts[] = {
    part_model("prompt_encoder", "prompt_encoder_config", "sam2_prompt_encoder"),
    part_model("mask_decoder", "mask_decoder_config", "sam2_mask_decoder")};
constexpr Part kSam3Parts[] = {
    part_model("vision", "vision_config", "sam3_vision_model"),
    part_model("geometry_encoder", "geometry_encoder_config", "sam3_geometry_encoder"),
    part_model("detr_encoder", "detr_encoder_config", "sam3_detr_encoder"),
    part_model("detr_decoder", "detr_decoder_config", "sam3_detr_decoder"),
    part_model("mask_decoder", "mask_decoder_config", "sam3_mask_decoder")};
constexpr Part kSam3LiteTextParts[] = {
    part_model("vision", "vision_config", "sam3_vision_model"),
    part_model("geometry_encoder", "geometry_encoder_config", "sam3_lite_text_geometry_encoder"),
    part_model("detr_encoder", "detr_encoder_config", "sam3_lite_text_detr_encoder"),
    part_model("detr_decoder", "detr_decoder_config", "sam3_lite_text_detr_decoder"),
    part_model("mask_decoder", "mask_decoder_config", "sam3_lite_text_mask_decoder")};
constexpr Part kSam3TrackerParts[] = {
    part_model("prompt_encoder", "prompt_encoder_config", "sam3_tracker_prompt_encoder"),
    part_model("mask_decoder", "mask_decoder_config", "sam3_tracker_mask_decoder")};
constexpr Part kSam3VideoParts[] = {part_model("tracker", "tracker_config", "sam3_tracker_video")};

constexpr ModelType kTypes[] = {
    model_of_parts({.name = "edgetam",
                    .architecture = "EdgeTamModel",
                    .config_class = "EdgeTamConfig",
                    .part = "vision_config",
                    .part_type = "edgetam_vision_model",
                    .parts = kEdgetamParts}),
    with_features("edgetam_mask_decoder", "", "EdgeTamMaskDecoderConfig", FeatureForm::fourier),
    with_features("edgetam_prompt_encoder", "", "EdgeTamPromptEncoderConfig", FeatureForm::fourier),
    with_features("edgetam_video_mask_decoder", "", "EdgeTamVideoMaskDecoderConfig",
                  FeatureForm::fourier),
    with_features("edgetam_video_prompt_encoder", "", "EdgeTamVideoPromptEncoderConfig",
                  FeatureForm::fourier),
    model_of_parts({.name = "edgetam_vision_model",
                    .architecture = "EdgeTamVisionModel",
                    .config_class = "EdgeTamVisionConfig",
                    .part = "backbone_config",
                    .part_type = "timm_wrapper"}),
    model_of_parts({.name = "sam",
                    .architecture = "SamModel",
                    .config_class = "SamConfig",
                    .part = "vision_config",
                    .part_type = "sam_vision_model",
                    .parts = kSamParts}),
    model_of_parts({.name = "sam2",
                    .architecture = "Sam2Model",
                    .config_class = "Sam2Config",
                    .part = "vision_config",
                    .part_type = "sam2_vision_model",
                    .parts = kSam2Parts}),
    learned_table({.name = "sam2_hiera_det_model",
                   .architecture = "Sam2HieraDetModel",
                   .config_class = "Sam2HieraDetConfig",
                   .learned = {.tensor = "pos_embed, pos_embed_window",
                               .width_key = "hidden_size",
                               .width = 96}}),
    with_features("sam2_mask_decoder", "", "Sam2MaskDecoderConfig", FeatureForm::fourier),
    with_features("sam2_prompt_encoder", "", "Sam2PromptEncoderConfig", FeatureForm::fourier),
    with_features("sam2_video_mask_decoder", "", "Sam2VideoMaskDecoderConfig",
                  FeatureForm::fourier),
    with_features("sam2_video_prompt_encoder", "", "Sam2VideoPromptEncoderConfig",
                  FeatureForm::fourier),
    model_of_parts({.name = "sam2_vision_model",
                    .architecture = "Sam2VisionModel",
                    .config_class = "Sam2VisionConfig",
                    .part = "backbone_config",
                    .part_type = "sam2_hiera_det_model"}),
    model_of_parts({.name = "sam3",
                    .architecture = "Sam3Model",
                    .config_class = "Sam3Config",
                    .part = "text_config",
                    .part_type = "clip_text_model",
                    .parts = kSam3Parts}),
    with_features("sam3_detr_decoder", "Sam3DetrDecoder", "Sam3DETRDecoderConfig",
                  FeatureForm::sine_boxes),
    with_features("sam3_detr_encoder", "Sam3DetrEncoder", "Sam3DETREncoderConfig",
                  FeatureForm::sine_2d),
    with_features("sam3_geometry_encoder", "", "Sam3GeometryEncoderConfig", FeatureForm::sine_2d),
    model_of_parts({.name = "sam3_lite_text",
                    .architecture = "Sam3LiteTextModel",
                    .config_class = "Sam3LiteTextConfig",
                    .part = "text_config",
                    .part_type = "sam3_lite_text_text_model",
                    .parts = kSam3LiteTextParts}),
    with_features("sam3_lite_text_detr_decoder", "Sam3LiteTextDetrDecoder",
                  "Sam3LiteTextDETRDecoderConfig", FeatureForm::sine_boxes),
    with_features("sam3_lite_text_detr_encoder", "Sam3LiteTextDetrEncoder",
                  "Sam3LiteTextDETREncoderConfig", FeatureForm::sine_2d),
    with_features("sam3_lite_text_geometry_encoder", "", "Sam3LiteTextGeometryEncoderConfig",
                  FeatureForm::sine_2d),
    with_features("sam3_lite_text_mask_decoder", "Sam3LiteTextMaskDecoder",
                  "Sam3LiteTextMaskDecoderConfig", FeatureForm::sine_2d),
    learned_table({.name = "sam3_lite_text_text_model",
                   .architecture = "Sam3LiteTextTextModel",
                   .config_class = "Sam3LiteTextTextConfig",
                   .size = {512, 8, 12},
                   .max_positions = 77,
                   .learned = {.tensor = "embeddings.position_embedding.position_embedding"},
                   .mask = Mask::causal}),
    with_features("sam3_mask_decoder", "Sam3MaskDecoder", "Sam3MaskDecoderConfig",
                  FeatureForm::sine_2d),
    model_of_parts({.name = "sam3_tracker",
                    .architecture = "Sam3TrackerModel",
                    .config_class = "Sam3TrackerConfig",
                    .part = "vision_config",
                    .part_type = "sam3_vision_model",
                    .parts = kSam3TrackerParts}),
    with_features("sam3_tracker_mask_decoder", "", "Sam3TrackerMaskDecoderConfig",
                  FeatureForm::fourier),
    with_features("sam3_tracker_prompt_encoder", "", "Sam3TrackerPromptEncoderConfig",
                  FeatureForm::fourier),
    with_features("sam3_tracker_video_mask_decoder", "", "Sam3TrackerVideoMaskDecoderConfig",
                  FeatureForm::fourier),
    with_features("sam3_tracker_video_prompt_encoder", "", "Sam3TrackerVideoPromptEncoderConfig",
                  FeatureForm::fourier),
    model_of_parts({.name = "sam3_video",
                    .architecture = "Sam3VideoModel",
                    .config_class = "Sam3VideoConfig",
                    .part = "detector_config",
                    .part_type = "sam3",
                    .parts = kSam3VideoParts}),
    model_of_parts({.name = "sam3_vision_model",
                    .architecture = "Sam3VisionModel",
                    .config_class = "Sam3VisionConfig",
                    .part = "backbone_config",
                    .part_type = "sam3_vit_model"}),
    with_features("sam_mask_decoder", "", "SamMaskDecoderConfig", FeatureForm::fourier),
    with_features("sam_prompt_encoder", "", "SamPromptEncoderConfig", FeatureForm::fourier),
    relative_terms(
        {.name = "sam_vision_model",
         .architecture = "SamVisionModel",
         .config_class = "SamVisionConfig",
         .size = {768, 12, 12},
         .learned = {.tensor = "vision_encoder.pos_embed", .picture = {.image = 1024, .patch = 16}},
         .relative = {.form = RelativeForm::decomposed}}),
    refused("sam3_vit_model", "Sam3ViTModel", "Sam3ViTConfig",
            "windows and whole pictures have positions of different scales"),
};

}  // namespace

constinit const Family family::meta_sam{.name = "meta_sam", .types = kTypes};

}  // namespace ropewalk
