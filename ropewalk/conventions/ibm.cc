// IBM's models beside Granite. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr LayerKind kAttentionAndMamba[] = {
    {.name = "attention"},
    {.name = "mamba", .rotates = false, .mixer = Mixer::recurrence},
    {.name = "full_attention"},
    {.name = "linear_attention", .rotates = false, .mixer = Mixer::recurrence},
};

constexpr Part kGraniteSpeechParts[] = {
    part_model("encoder", "encoder_config", "granite_speech_encoder"),
    part_model("projector", "projector_config", "blip_2_qformer")};
constexpr KeyAlias kGraniteSpeechEncoderKeys[] = {{"hidden_dim", "hidden_size"},
                                                  {"num_heads", "num_attention_heads"}};
constexpr Part kGraniteSpeechPlusParts[] = {
    part_model("encoder", "encoder_config", "granite_speech_plus_encoder"),
    part_model("projector", "projector_config", "blip_2_qformer")};

constexpr ModelType kTypes[] = {
    {.name = "bamba",
     .architecture = "BambaForCausalLM",
     .config_class = "BambaConfig",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 262144,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5,
     .rounds_odd_up = true,
     .layers = {.kinds = kAttentionAndMamba,
                .pattern = "M",
                .keys = {{LayerKey::names, "layers_block_type"},
                         {LayerKey::indices, "attn_layer_indices"}}},
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_norm("granitehybrid")},
    learned_table({.name = "granite_docling_vision",
                   .architecture = "GraniteDoclingVisionModel",
                   .config_class = "GraniteDoclingVisionConfig",
                   .size = {768, 12, 12},
                   .learned = {.tensor = "embeddings.position_embedding.weight",
                               .picture = {.image = 512, .patch = 16}}}),
    model_of_parts({.name = "granite_speech",
                    .architecture = "GraniteSpeechForConditionalGeneration",
                    .config_class = "GraniteSpeechConfig",
                    .part = "text_config",
                    .part_type = "granite",
                    .parts = kGraniteSpeechParts}),
    model_of_parts({.name = "granite_speech5_ctc",
                    .architecture = "GraniteSpeech5ForCTC",
                    .config_class = "GraniteSpeech5CTCConfig",
                    .part = "encoder_config",
                    .part_type = "granite_speech5_encoder"}),
    relative_terms(
        {.name = "granite_speech5_encoder",
         .architecture = "GraniteSpeech5Encoder",
         .config_class = "GraniteSpeech5EncoderConfig",
         .size = {1024, 8, 16},
         .relative = {.form = RelativeForm::shaw, .max_distance = {"max_pos_emb", 512}}}),
    relative_terms({.name = "granite_speech_encoder",
                    .architecture = "GraniteSpeechCTCEncoder",
                    .config_class = "GraniteSpeechEncoderConfig",
                    .size = {1024, 8, 10},
                    .relative = {.form = RelativeForm::shaw, .max_distance = {"max_pos_emb", 512}},
                    .aliases = kGraniteSpeechEncoderKeys}),
    model_of_parts({.name = "granite_speech_plus",
                    .architecture = "GraniteSpeechPlusForConditionalGeneration",
                    .config_class = "GraniteSpeechPlusConfig",
                    .part = "text_config",
                    .part_type = "granite",
                    .parts = kGraniteSpeechPlusParts}),
    relative_terms({.name = "granite_speech_plus_encoder",
                    .architecture = "GraniteSpeechPlusCTCEncoder",
                    .config_class = "GraniteSpeechPlusEncoderConfig",
                    .size = {1024, 8, 10},
                    .relative = {.form = RelativeForm::shaw, .max_distance = {"max_pos_emb", 512}},
                    .aliases = kGraniteSpeechEncoderKeys}),
    without_positions("patchtsmixer", "PatchTSMixerModel", "PatchTSMixerConfig", kNoOrder),
    learned_table({.name = "patchtst",
                   .architecture = "PatchTSTModel",
                   .config_class = "PatchTSTConfig",
                   .size = {128, 4, 3},
                   .learned = {.tensor = "encoder.positional_encoder.position_enc"}}),
};

}  // namespace

constinit const Family family::ibm{.name = "ibm", .types = kTypes};

}  // namespace ropewalk
