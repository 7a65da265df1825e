// Meta's Muse: bare normed heads, a base for each layer, 0 for one that does not rotate. The code
// of transformers only asks whether it is 0; the files hold one other number. Source:
// configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"layer_rope_theta"};

constexpr LayerRule kNoneInFour{.bases_key = "layer_rope_theta", .passes_from_last = 4};
constexpr std::string_view kNorm = "per head without weights, before the rotation";

constexpr ModelType kTypes[] = {
    {.name = "muse_glimmer_text",
     .config_class = "MuseGlimmerTextConfig",
     .size = {6656, 32, 52},
     .head_dim = 128,
     .kv_heads = 2,
     .max_positions = 131072,
     .layers = kNoneInFour,
     .attention = {.known = true,
                   .scale = {.factor = 3.87, .factor_key = "qk_scale_factor"},
                   .qk_norm = {.norm = {.kind = NormKind::rms, .eps = 1e-5, .weights = false}},
                   .window = {.key = "sliding_window", .value = 2048, .rotated_only = true},
                   .output_gate = OutputGate::per_channel},
     .weights = kSeparate},
    {.name = "muse_glimmer",
     .architecture = "MuseGlimmerForConditionalGeneration",
     .config_class = "MuseGlimmerConfig",
     .part = "text_config",
     .part_type = "muse_glimmer_text",
     .parts = kGridTower},
    {.name = "muse_glimmer_assistant",
     .config_class = "MuseGlimmerAssistantConfig",
     .size = {6656, 32, 5},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 131072,
     .rope_theta = 500000,
     .attention = {.known = true,
                   .qk_norm = rms_norm(1e-5),
                   .mask = Mask::full,
                   .window = {.key = "sliding_window", .value = 2048, .all_layers = true},
                   .not_computed = kOther}},
    {.name = "muse_spark_text",
     .config_class = "MuseSparkTextConfig",
     .size = {8192, 128, 62},
     .head_dim = 64,
     .kv_heads = 16,
     .max_positions = 1048576,
     .rope_theta = 500000,
     .layers = kNoneInFour,
     .attention = {.known = true,
                   .scale = {.factor = 5.4730064863875, .factor_key = "qk_scale_factor"},
                   .qk_norm = {.norm = {.kind = NormKind::rms, .eps = 1e-5, .weights = false}},
                   .output_norm = {.kind = NormKind::rms, .weights = false},
                   .window = {.key = "sliding_window", .value = 2048, .rotated_only = true},
                   .output_gate = OutputGate::per_channel},
     .weights = kSeparate},
    {.name = "muse_spark",
     .architecture = "MuseSparkForConditionalGeneration",
     .config_class = "MuseSparkConfig",
     .part = "text_config",
     .part_type = "muse_spark_text",
     .parts = kGridTower},
};

}  // namespace

constinit const Family family::muse{
    .name = "muse", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
