// Useful Sensors. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "moonshine",
     .architecture = "MoonshineForConditionalGeneration",
     .config_class = "MoonshineConfig",
     .size = {288, 8, 6},
     .max_positions = 512,
     .pairing = Pairing::interleaved,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.9,
     .rounds_odd_up = true,
     .attention = kPlainAttention},
    {.name = "moonshine_streaming",
     .architecture = "MoonshineStreamingForConditionalGeneration",
     .config_class = "MoonshineStreamingConfig",
     .size = {320, 8, 6},
     .max_positions = 4096,
     .pairing = Pairing::interleaved,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.8,
     .rounds_odd_up = true},
    without_positions("moonshine_streaming_encoder", "MoonshineStreamingEncoder",
                      "MoonshineStreamingEncoderConfig", kConvolutionsAlone),
};

}  // namespace

constinit const Family family::useful_sensors{.name = "useful_sensors", .types = kTypes};

}  // namespace ropewalk
