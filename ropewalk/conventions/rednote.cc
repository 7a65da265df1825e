// Rednote (Xiaohongshu). Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr Part kDots3NoteParts[] = {
    part_model("vision", "vision_config", "dots3_note_vision_encoder"),
    part_model("audio", "audio_config", "dots3_note_audio_encoder")};

constexpr ModelType kTypes[] = {
    {.name = "dots1",
     .architecture = "Dots1ForCausalLM",
     .config_class = "Dots1Config",
     .size = {4608, 32, 62},
     .kv_heads = 32,
     .layers = {.kinds = kFullAndSliding,
                .keys = {{LayerKey::second_from, "max_window_layers", 62}}},
     .attention = {.known = true,
                   .qk_norm = rms_norm(1e-6),
                   .window = {.key = "sliding_window", .value = 4096}},
     .weights = kSeparate,
     .gguf = gguf_neox("dots1")},
    model_of_parts({.name = "dots3_note",
                    .architecture = "Dots3NoteForCausalLM",
                    .config_class = "Dots3NoteConfig",
                    .part = "text_config",
                    .part_type = "dots3_note_text",
                    .parts = kDots3NoteParts}),
    vision_tower({"dots3_note_vision_encoder", "Dots3NoteVisionConfig", {1536, 24, 42}}),
    {.name = "dots3_note_audio_encoder",
     .architecture = "Dots3NoteAudioModel",
     .config_class = "Dots3NoteAudioConfig",
     .size = {1280, 20, 32},
     .head_dim = 64,
     .max_positions = 6000,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5},
    refused("dots3_note_text", "Dots3NoteTextModel", "Dots3NoteTextConfig",
            "its kinds of layers have latent heads of different sizes, which is not supported"),
};

}  // namespace

constinit const Family family::rednote{.name = "rednote", .types = kTypes};

}  // namespace ropewalk
