// Byte Latent Transformer: four transformers, each with a config of its own.
// Source: configuration_blt.py and modeling_blt.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"patcher_config", "global_config"};

constexpr ModelType kTypes[] = {
    {.name = "blt_global_transformer",
     .config_class = "BltGlobalTransformerConfig",
     .size = {2048, 16, 25},
     .max_positions = 4096,
     .pairing = Pairing::interleaved,
     .rope_theta = 500000,
     .attention = kPlainAttention},
    {.name = "blt_local_encoder",
     .config_class = "BltLocalEncoderConfig",
     .size = {1024, 16, 1},
     .max_positions = 24576,
     .pairing = Pairing::interleaved,
     .rope_theta = 500000,
     .attention = {.known = true,
                   .window = {.key = "local_attention_window_len",
                              .value = 512,
                              .all_layers = true}}},
    {.name = "blt_local_decoder",
     .config_class = "BltLocalDecoderConfig",
     .size = {1024, 16, 9},
     .max_positions = 24576,
     .pairing = Pairing::interleaved,
     .rope_theta = 500000,
     .attention = {.known = true,
                   .window = {.key = "local_attention_window_len",
                              .value = 512,
                              .all_layers = true}}},
    {.name = "blt_patcher",
     .config_class = "BltPatcherConfig",
     .size = {768, 12, 14},
     .max_positions = 8192,
     .pairing = Pairing::interleaved,
     .attention = {.known = true,
                   .window = {.key = "sliding_window", .value = 512, .all_layers = true}},
     .weights = kSeparate},
    {.name = "blt",
     .architecture = "BltForCausalLM",
     .config_class = "BltConfig",
     .part = "global_config",
     .part_type = "blt_global_transformer"},
};

}  // namespace

constinit const Family family::blt{.name = "blt", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
