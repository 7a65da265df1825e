// DeepSeek-V4. Source: configuration_deepseek_v4.py and modeling_deepseek_v4.py of transformers.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"compress_rope_theta", "compress_ratios",
                                              "compress_rates"};
constexpr ModelType kTypes[] = {
    {.name = "deepseek_v4",
     .architecture = "DeepseekV4ForCausalLM",
     .config_class = "DeepseekV4Config",
     .size = {4096, 64, 43},
     .head_dim = 512,
     .kv_heads = 1,
     .max_positions = 1048576,
     .pairing = Pairing::interleaved,
     .attention = {.known = true, .not_computed = kCompressedKeys},
     .encoding = "RoPE interleaved on the last 64 of 512 channels, two bases",
     .special = Special::deepseek_v4},
};

}  // namespace

constinit const Family family::deepseek_v4{
    .name = "deepseek_v4", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
