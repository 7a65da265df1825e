// Architectures of llama.cpp beside those that a model type of another file has. Source:
// src/models/ and conversion/ of llama.cpp in llama-cpp-python 0.3.36.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

// What is no answer from a GGUF yet.
constexpr ModelType refused_gguf(std::string_view name, GgufForm gguf, std::string_view why) {
  ModelType row = refused(name, "", "", why);
  row.gguf = gguf;
  return row;
}
constexpr std::string_view kLayersNotRead =
    "which of its layers turn is not read from a GGUF; its config.json says it";
constexpr ModelType kGgufOnly[] = {
    {.name = "maincoder",
     .architecture = "MaincoderForCausalLM",
     .config_class = "MaincoderConfig",
     .max_positions = 0,
     .pairing = Pairing::interleaved,
     .attention = {.known = true, .qk_norm = rms_norm_after(1e-6)},
     .gguf = gguf_norm("maincoder")},
    {.name = "PanguEmbedded",
     .architecture = "PanguEmbeddedForCausalLM",
     .config_class = "PanguEmbeddedConfig",
     .max_positions = 0,
     .gguf = gguf_neox("pangu-embedded")},
    {.name = "plm",
     .architecture = "PLMForCausalLM",
     .config_class = "PLMConfig",
     .max_positions = 0,
     .pairing = Pairing::interleaved,
     .latent = {.nope_dim = 128, .rope_dim = 64},
     .value_dim = {"v_head_dim", 128},
     .gguf = gguf_norm("plm")},
    refused_gguf("gguf:bailingmoe3", gguf_norm("bailingmoe3"), kLayersNotRead),
    refused_gguf("gguf:clip", {"clip"},
                 "it is a tower beside a model; the model's own GGUF or config.json says how it "
                 "knows positions"),
    refused_gguf("gguf:deepseek2-ocr", gguf_norm("deepseek2-ocr"),
                 "whether the rows of Q and K were moved is not known"),
    refused_gguf("gguf:deepseek4", gguf_norm("deepseek4"),
                 "its layers have two bases, which is read from its config.json alone"),
    refused_gguf("gguf:gptj", {"gptj"},
                 "llama.cpp has no code for it; its config.json is read as a gptj"),
    refused_gguf("gguf:granite_swa", gguf_norm("granite_swa"), kLayersNotRead),
    refused_gguf("gguf:graniteswitch", gguf_norm("graniteswitch"), kLayersNotRead),
    refused_gguf("gguf:grok", gguf_neox("grok"), "its form of yarn is not supported"),
    refused_gguf("gguf:hunyuan_vl", gguf_neox("hunyuan_vl"),
                 "its base follows from rope.scaling.alpha, which is read from its config.json "
                 "alone"),
    refused_gguf("gguf:hy_v4", gguf_norm("hy_v4"),
                 "whether the rows of Q and K were moved is not known"),
    refused_gguf("gguf:minimax-01", gguf_neox("minimax-01"), kLayersNotRead),
    refused_gguf("gguf:muse-glimmer", gguf_norm("muse-glimmer"), kLayersNotRead),
    refused_gguf("gguf:qwen4exp", gguf_neox("qwen4exp"), kLayersNotRead),
    refused_gguf("gguf:smallthinker", gguf_neox("smallthinker"), kLayersNotRead),
    refused_gguf("gguf:talkie", gguf_neox("talkie"),
                 "signs of the rows of Q and K were turned on the way to the GGUF, which is not "
                 "supported; its config.json is read as a talkie"),
};

}  // namespace

constinit const Family family::gguf_only{.name = "gguf_only", .types = kGgufOnly};

}  // namespace ropewalk
