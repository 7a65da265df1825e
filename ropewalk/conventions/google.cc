// Google's models beside Gemma. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "timesfm2_5",
     .architecture = "TimesFm2_5ModelForPrediction",
     .config_class = "TimesFm2_5Config",
     .size = {1280, 16, 20},
     .head_dim = 80,
     .kv_heads = 16,
     .max_positions = 16384,
     .attention = {.known = true, .not_computed = kLearnedQueryScale}},
    {.name = "lasr_encoder",
     .config_class = "LasrEncoderConfig",
     .size = {512, 8, 17},
     .kv_heads = 8,
     .max_positions = 10000,
     .attention = {.known = true, .mask = Mask::full}},
    sinusoidal_table("pegasus", "PegasusForConditionalGeneration", "PegasusConfig", 1024,
                     {.part = kEncoderAndDecoder}, kSinCosAdded),
    learned_table("electra", "ElectraModel"),
    learned_table("albert", "AlbertModel"),
    learned_table("t5", "T5ForConditionalGeneration"),
    learned_table("mt5", "MT5ForConditionalGeneration"),
    learned_table("vit", "ViTModel"),
};

}  // namespace

constinit const Family family::google{.name = "google", .types = kTypes};

}  // namespace ropewalk
