// Models that add the sines and cosines of "Attention Is All You Need" to their input, in one of
// the orders they were written down in since. Source: configuration_*.py and modeling_*.py of
// transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"sinusoidal_pos_embds", "sinusoidal_embeddings",
                                              "max_source_positions", "scale_embedding"};

constexpr ModelType kTypes[] = {
    sinusoidal_table("marian", "MarianMTModel", "MarianConfig", 1024, {.part = kEncoderAndDecoder},
                     kSinCosAdded),
    sinusoidal_table("pegasus", "PegasusForConditionalGeneration", "PegasusConfig", 1024,
                     {.part = kEncoderAndDecoder}, kSinCosAdded),
    sinusoidal_table("ctrl", "CTRLLMHeadModel", "CTRLConfig", 256, {}, kSinCosAdded),
    sinusoidal_table("m2m_100", "M2M100ForConditionalGeneration", "M2M100Config", 1024,
                     kFairseqTable, kFairseqAdded),
    sinusoidal_table("nllb-moe", "NllbMoeForConditionalGeneration", "NllbMoeConfig", 1024,
                     kFairseqTable, kFairseqAdded),
    sinusoidal_table("fsmt", "FSMTForConditionalGeneration", "FSMTConfig", 1024, kFairseqTable,
                     kFairseqAdded),
    sinusoidal_table("speech_to_text", "Speech2TextForConditionalGeneration", "Speech2TextConfig",
                     6000, kFairseqTable, kFairseqAdded),
    sinusoidal_table("xglm", "XGLMForCausalLM", "XGLMConfig", 2048,
                     {.layout = SinusoidalLayout::fairseq, .first = SinusoidalRule::First::two},
                     kFairseqAdded),
    {.name = "whisper",
     .architecture = "WhisperForConditionalGeneration",
     .config_class = "WhisperConfig",
     .max_positions = 1500,
     .positions = Positions::sinusoidal,
     .sinusoidal = {.part = "input of encoder", .layout = SinusoidalLayout::fairseq},
     .remark = "the positions of the decoder are learned",
     .encoding = "sinusoidal fairseq, added to the input of the encoder"},
    sinusoidal_table("musicgen_decoder", "MusicgenForCausalLM", "MusicgenDecoderConfig", 2048,
                     {.layout = SinusoidalLayout::cos_sin},
                     "sinusoidal cos_sin, added to the input"),
    {.name = "musicgen",
     .architecture = "MusicgenForConditionalGeneration",
     .config_class = "MusicgenConfig",
     .part = "decoder",
     .part_type = "musicgen_decoder"},
    {.name = "distilbert",
     .architecture = "DistilBertModel",
     .config_class = "DistilBertConfig",
     .max_positions = 512,
     .positions = Positions::sinusoidal,
     .only_if = {.key = "sinusoidal_pos_embds"},
     .sinusoidal = {.layout = SinusoidalLayout::interleaved},
     .encoding = kSinusoidalByKey},
    {.name = "xlm",
     .architecture = "XLMModel",
     .config_class = "XLMConfig",
     .max_positions = 512,
     .positions = Positions::sinusoidal,
     .only_if = {.key = "sinusoidal_embeddings"},
     .sinusoidal = {.layout = SinusoidalLayout::interleaved},
     .encoding = kSinusoidalByKey},
};

}  // namespace

constinit const Family family::sinusoidal{
    .name = "sinusoidal", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
