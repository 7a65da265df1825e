// Hugging Face. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"sinusoidal_pos_embds"};

constexpr Part kEncoderDecoderParts[] = {part_model("encoder", "encoder", "bert")};
constexpr Part kIdefics2Parts[] = {
    part_model("vision", "vision_config", "idefics2_vision"),
    part_model("perceiver", "perceiver_config", "idefics2_perceiver")};
constexpr KeyAlias kIdeficsVisionKeys[] = {{"embed_dim", "hidden_size"}};
constexpr Part kModernvbertParts[] = {part_model("vision", "vision_config", "siglip_vision_model")};
constexpr Part kSpeechEncoderDecoderParts[] = {part_model("encoder", "encoder", "wav2vec2")};
constexpr Part kVisionEncoderDecoderParts[] = {part_model("encoder", "encoder", "vit")};
constexpr Part kVisionTextDualEncoderParts[] = {part_model("vision", "vision_config", "vit")};

constexpr Part kIdeficsParts[] = {part_model("vision", "vision_config", "idefics_vision")};
constexpr Part kIdefics3Parts[] = {part_model("vision", "vision_config", "idefics3_vision")};

constexpr Part kSmolvlmParts[] = {part_model("vision", "vision_config", "smolvlm_vision")};

constexpr ModelType kTypes[] = {
    {.name = "smollm3",
     .architecture = "SmolLM3ForCausalLM",
     .config_class = "SmolLM3Config",
     .size = {2048, 16, 36},
     .kv_heads = 4,
     .max_positions = 32768,
     .rope_theta = 2000000,
     .layers = {.rotates = "RRR-", .keys = {kNoRopeLayers, kNoRopeInterval}},
     .attention = {.known = true,
                   .window = {.key = "sliding_window",
                              .on = {"use_sliding_window", false},
                              .unrotated_only = true}},
     .weights = kSeparate,
     .gguf = gguf_norm("smollm3")},
    {.name = "idefics",
     .architecture = "IdeficsForVisionText2Text",
     .config_class = "IdeficsConfig",
     .size = {4096, 32, 32},
     .parts = kIdeficsParts},
    {.name = "idefics3",
     .architecture = "Idefics3ForConditionalGeneration",
     .config_class = "Idefics3Config",
     .part = "text_config",
     .part_type = "llama",
     .parts = kIdefics3Parts},
    {.name = "smolvlm",
     .architecture = "SmolVLMForConditionalGeneration",
     .config_class = "SmolVLMConfig",
     .part = "text_config",
     .part_type = "llama",
     .parts = kSmolvlmParts},
    {.name = "distilbert",
     .architecture = "DistilBertModel",
     .config_class = "DistilBertConfig",
     .size = {768, 12, 6},
     .max_positions = 512,
     .positions = Positions::sinusoidal,
     .only_if = {.key = "sinusoidal_pos_embds"},
     .sinusoidal = {.layout = SinusoidalLayout::interleaved},
     .learned = {.tensor = "embeddings.position_embeddings.weight"},
     .encoding = kSinusoidalByKey},
    model_of_parts({.name = "colmodernvbert",
                    .architecture = "ColModernVBertForRetrieval",
                    .config_class = "ColModernVBertConfig",
                    .part = "vlm_config",
                    .part_type = "modernvbert"}),
    learned_table({.name = "decision_transformer",
                   .architecture = "DecisionTransformerModel",
                   .config_class = "DecisionTransformerConfig",
                   .size = {128, 1, 3},
                   .learned = {.tensor = "encoder.wpe.weight"},
                   .mask = Mask::causal}),
    model_of_parts({.name = "encoder-decoder",
                    .architecture = "EncoderDecoderModel",
                    .config_class = "EncoderDecoderConfig",
                    .part = "decoder",
                    .part_type = "bert",
                    .parts = kEncoderDecoderParts}),
    model_of_parts({.name = "idefics2",
                    .architecture = "Idefics2ForConditionalGeneration",
                    .config_class = "Idefics2Config",
                    .part = "text_config",
                    .part_type = "mistral",
                    .parts = kIdefics2Parts}),
    without_positions("idefics2_perceiver", "Idefics2PerceiverResampler", "Idefics2PerceiverConfig",
                      kNoOrder),
    learned_table({.name = "idefics2_vision",
                   .architecture = "Idefics2VisionTransformer",
                   .config_class = "Idefics2VisionConfig",
                   .size = {768, 12, 12},
                   .learned = {.tensor = "embeddings.position_embedding.weight",
                               .picture = {.image = 224, .patch = 32}}}),
    learned_table({.name = "idefics3_vision",
                   .architecture = "Idefics3VisionTransformer",
                   .config_class = "Idefics3VisionConfig",
                   .size = {1152, 16, 12},
                   .learned = {.tensor = "embeddings.position_embedding.weight",
                               .picture = {.image = 224, .patch = 32}}}),
    without_positions("idefics_perciever", "", "IdeficsPerceiverConfig", kNoOrder),
    learned_table({.name = "idefics_vision",
                   .config_class = "IdeficsVisionConfig",
                   .size = {768, 16, 32},
                   .learned = {.tensor = "embeddings.position_embedding.weight",
                               .picture = {.image = 224, .patch = 14, .more = 1}},
                   .aliases = kIdeficsVisionKeys}),
    model_of_parts({.name = "modernvbert",
                    .architecture = "ModernVBertModel",
                    .config_class = "ModernVBertConfig",
                    .part = "text_config",
                    .part_type = "modernbert",
                    .parts = kModernvbertParts}),
    learned_table({.name = "smolvlm_vision",
                   .architecture = "SmolVLMVisionTransformer",
                   .config_class = "SmolVLMVisionConfig",
                   .size = {1152, 16, 12},
                   .learned = {.tensor = "embeddings.position_embedding.weight",
                               .picture = {.image = 224, .patch = 32}}}),
    model_of_parts({.name = "speech-encoder-decoder",
                    .architecture = "SpeechEncoderDecoderModel",
                    .config_class = "SpeechEncoderDecoderConfig",
                    .part = "decoder",
                    .part_type = "bert",
                    .parts = kSpeechEncoderDecoderParts}),
    sinusoidal_table("time_series_transformer", "TimeSeriesTransformerModel",
                     "TimeSeriesTransformerConfig", 0, {.part = kEncoderAndDecoder}, kSinCosAdded),
    refused("timm_backbone", "TimmBackbone", "TimmBackboneConfig",
            "any model of timm, by its name: ropewalk does not know which"),
    refused("timm_wrapper", "", "TimmWrapperConfig",
            "any model of timm, by its name: ropewalk does not know which"),
    model_of_parts({.name = "vision-encoder-decoder",
                    .architecture = "VisionEncoderDecoderModel",
                    .config_class = "VisionEncoderDecoderConfig",
                    .part = "decoder",
                    .part_type = "bert",
                    .parts = kVisionEncoderDecoderParts}),
    model_of_parts({.name = "vision-text-dual-encoder",
                    .architecture = "VisionTextDualEncoderModel",
                    .config_class = "VisionTextDualEncoderConfig",
                    .part = "text_config",
                    .part_type = "bert",
                    .parts = kVisionTextDualEncoderParts}),
};

}  // namespace

constinit const Family family::huggingface{
    .name = "huggingface", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
