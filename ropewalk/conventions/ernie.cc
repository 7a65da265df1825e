// ERNIE 4.5 of Baidu.
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"moe_num_experts", "moe_k"};

constexpr ModelType kErnieMoe{.name = "ernie4_5_moe",
                              .architecture = "Ernie4_5_MoeForCausalLM",
                              .config_class = "Ernie4_5_MoeConfig",
                              .size = {2560, 20, 28},
                              .kv_heads = 4,
                              .max_positions = 131072,
                              .pairing = Pairing::interleaved,
                              .rope_theta = 500000,
                              .attention = kPlainAttention,
                              .weights = kSeparate,
                              .gguf = gguf_norm("ernie4_5-moe")};

constexpr ModelType kTypes[] = {
    {.name = "ernie4_5",
     .architecture = "Ernie4_5ForCausalLM",
     .config_class = "Ernie4_5Config",
     .size = {1024, 16, 18},
     .head_dim = 128,
     .kv_heads = 2,
     .max_positions = 131072,
     .pairing = Pairing::interleaved,
     .rope_theta = 500000,
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_norm("ernie4_5")},
    kErnieMoe,
    like(kErnieMoe, {.name = "ernie4_5_vl_moe_text",
                     .config_class = "Ernie4_5_VLMoeTextConfig",
                     .multi_axis = MultiAxis{.axes = 3,
                                             .order = MropeOrder::height_width_first,
                                             .section = {22, 22, 20}}}),
    {.name = "ernie4_5_vl_moe",
     .architecture = "Ernie4_5_VLMoeForConditionalGeneration",
     .config_class = "Ernie4_5_VLMoeConfig",
     .part = "text_config",
     .part_type = "ernie4_5_vl_moe_text",
     .parts = kErnieTower},
    learned_table({.name = "ernie",
                   .architecture = "ErnieForCausalLM",
                   .config_class = "ErnieConfig",
                   .size = {768, 12, 12},
                   .max_positions = 512,
                   .learned = {.tensor = "embeddings.position_embeddings.weight"}}),
};

}  // namespace

constinit const Family family::ernie{
    .name = "ernie", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
