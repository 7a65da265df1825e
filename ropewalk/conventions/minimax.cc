// MiniMax.
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"rotary_dim"};

constexpr LayerKind kLinearAndFull[] = {
    {.name = "linear_attention", .rotates = false, .mixer = Mixer::recurrence},
    {.name = "full_attention"},
};

constexpr ModelType kTypes[] = {
    {.name = "minimax",
     .architecture = "MiniMaxForCausalLM",
     .config_class = "MiniMaxConfig",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 131072,
     .rope_theta = 1000000,
     .fraction = Fraction::leading,
     .rotary_dim_key = "rotary_dim",
     .layers = {.kinds = kLinearAndFull, .pattern = "FL"},
     .attention = {.known = true,
                   .window = {.key = "sliding_window", .value = 0, .all_layers = true}},
     .weights = kSeparate},
    {.name = "minimax_m2",
     .architecture = "MiniMaxM2ForCausalLM",
     .config_class = "MiniMaxM2Config",
     .size = {3072, 48, 62},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 196608,
     .rope_theta = 5000000,
     .fraction = Fraction::leading,
     .rotary_dim_key = "rotary_dim",
     .rounds_odd_up = true,
     .attention = {.known = true, .qk_norm = rms_norm_of_all(1e-6)},
     .weights = kSeparate,
     .gguf = gguf_neox("minimax-m2")},
    // rotary_dim is a key of its files that the code of transformers does not read.
    {.name = "minimax_m3_vl_text",
     .config_class = "MiniMaxM3VLTextConfig",
     .size = {6144, 64, 60},
     .head_dim = 128,
     .kv_heads = 4,
     .max_positions = 524288,
     .rope_theta = 5000000,
     .fraction = Fraction::leading,
     .rounds_odd_up = true,
     .attention = {.known = true,
                   .qk_norm = {.norm = {.kind = NormKind::rms, .eps = 1e-6, .unit_offset = true}},
                   .not_computed = kSparseIndexer},
     .gguf = gguf_neox("minimax-m3")},
    {.name = "minimax_m3_vl",
     .architecture = "MiniMaxM3VLForConditionalGeneration",
     .config_class = "MiniMaxM3VLConfig",
     .part = "text_config",
     .part_type = "minimax_m3_vl_text",
     .parts = kMiniMaxTower},
    vision_tower({"minimax_m3_vl_vision",
                  "MiniMaxM3VLVisionConfig",
                  {1280, 16, 32},
                  &kMiniMaxVision,
                  "RoPE half_split, frame, row and column on a third of the pairs each"}),
};

}  // namespace

constinit const Family family::minimax{
    .name = "minimax", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
