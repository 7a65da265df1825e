// Language models with one rotation for all layers that have no larger family.
// Source: configuration_*.py and modeling_*.py of transformers.

#include <fmt/format.h>

#include "ropewalk/models/dimensions.h"
#include "ropewalk/models/family.h"
#include "ropewalk/models/heads.h"
#include "ropewalk/models/rope_keys.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"attn_config"};

constexpr std::string_view kLlama3Rope =
    R"({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192})";
constexpr std::string_view kCwmRope =
    R"({"rope_type": "llama3", "factor": 16.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192})";
constexpr std::string_view kGptOssRope =
    R"({"rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0,
        "truncate": false, "original_max_position_embeddings": 4096})";

// DBRX keeps what its attention needs in an object of its own.
void read_dbrx(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_heads(config, model, type);
  RopeConfig rope;
  rope.rope_theta = type.rope_theta;
  std::string source = default_of(type);
  if (std::optional<ConfigReader> attention = config.find_object("attn_config")) {
    model.kv_heads = attention->integer("kv_heads", {"kv_n_heads"}, kHeadCount,
                                        {{1, "default of DbrxAttentionConfig"}});
    check_kv_heads(*attention, model, "kv_n_heads");
    if (const auto theta = attention->find_number("rope_theta", kRopeTheta)) {
      rope.rope_theta = *theta;
      source = attention->source("rope_theta");
    }
  }
  config.note("rope_theta", fmt::to_string(rope.rope_theta), source);
  check_rope_theta(config, rope.rope_theta);
  rope.rotary_dim = model.head_dim;
  rope.layout = {model.head_dim, {{0, model.head_dim, Pairing::half_split}}};
  config.note("rotary_dim", fmt::to_string(rope.rotary_dim), "family: the whole head");
  config.note("pairing", "half_split", "family: rotate_half in the code of dbrx");
  model.layers.assign(model.layers.size(), rope);
}

constexpr ModelType kTypes[] = {
    {.name = "gpt_oss",
     .architecture = "GptOssForCausalLM",
     .config_class = "GptOssConfig",
     .size = {2880, 64, 36},
     .head_dim = 64,
     .kv_heads = 8,
     .max_positions = 131072,
     .rope_theta = 150000,
     .rope_parameters = kGptOssRope,
     .gguf = gguf_neox("gpt-oss")},
    {.name = "openai_privacy_filter",
     .architecture = "OpenAIPrivacyFilterForTokenClassification",
     .config_class = "OpenAIPrivacyFilterConfig",
     .size = {640, 14, 8},
     .head_dim = 64,
     .kv_heads = 2,
     .max_positions = 131072,
     .pairing = Pairing::interleaved,
     .rope_theta = 150000,
     .rope_parameters = kGptOssRope},
    {.name = "smollm3",
     .architecture = "SmolLM3ForCausalLM",
     .config_class = "SmolLM3Config",
     .size = {2048, 16, 36},
     .kv_heads = 4,
     .max_positions = 32768,
     .rope_theta = 2000000,
     .layers = {.no_rope_interval = 4},
     .gguf = gguf_norm("smollm3")},
    {.name = "starcoder2",
     .architecture = "Starcoder2ForCausalLM",
     .config_class = "Starcoder2Config",
     .size = {3072, 24, 30},
     .kv_heads = 2,
     .max_positions = 4096,
     .gguf = gguf_neox("starcoder2")},
    {.name = "dbrx",
     .architecture = "DbrxForCausalLM",
     .config_class = "DbrxConfig",
     .size = {2048, 16, 24},
     .kv_heads = 1,
     .gguf = gguf_neox("dbrx"),
     .read = read_dbrx},
    {.name = "apertus",
     .architecture = "ApertusForCausalLM",
     .config_class = "ApertusConfig",
     .size = {4096, 32, 32},
     .max_positions = 65536,
     .rope_theta = 12000000,
     .rope_parameters = kLlama3Rope,
     .q_k_norm = kNormBefore,
     .gguf = gguf_neox("apertus")},
    {.name = "cwm",
     .architecture = "CwmForCausalLM",
     .config_class = "CwmConfig",
     .size = {6144, 48, 64},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 131072,
     .rope_theta = 1000000,
     .rope_parameters = kCwmRope},
    {.name = "helium",
     .architecture = "HeliumForCausalLM",
     .config_class = "HeliumConfig",
     .size = {2560, 20, 24},
     .head_dim = 128,
     .kv_heads = 20,
     .max_positions = 4096,
     .pairing = Pairing::interleaved,
     .rope_theta = 100000},
    {.name = "dots1",
     .architecture = "Dots1ForCausalLM",
     .config_class = "Dots1Config",
     .size = {4608, 32, 62},
     .kv_heads = 32,
     .q_k_norm = kNormBefore,
     .gguf = gguf_neox("dots1")},
    {.name = "solar_open",
     .architecture = "SolarOpenForCausalLM",
     .config_class = "SolarOpenConfig",
     .size = {4096, 64, 48},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 131072,
     .rope_theta = 1000000,
     .fraction = Fraction::leading},
    // The only one that turns the other way.
    {.name = "nanochat",
     .architecture = "NanoChatForCausalLM",
     .config_class = "NanoChatConfig",
     .size = {768, 6, 12},
     .reversed = true,
     .q_k_norm = kNormAfter},
    {.name = "jetmoe",
     .architecture = "JetMoeForCausalLM",
     .config_class = "JetMoeConfig",
     .size = {2048, 32, 12},
     .head_dim = 128,
     .head_dim_key = "kv_channels",
     .kv_heads = 16,
     .max_positions = 4096,
     .remark = "the 16 heads of k and v are repeated for the experts"},
    {.name = "seed_oss",
     .architecture = "SeedOssForCausalLM",
     .config_class = "SeedOssConfig",
     .size = {4096, 80, 64},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 524288,
     .gguf = gguf_neox("seed_oss")},
    {.name = "arcee",
     .architecture = "ArceeForCausalLM",
     .config_class = "ArceeConfig",
     .size = {2560, 32, 32},
     .max_positions = 4096,
     .gguf = gguf_norm("arcee")},
    {.name = "bitnet",
     .architecture = "BitNetForCausalLM",
     .config_class = "BitNetConfig",
     .size = {2560, 20, 30},
     .kv_heads = 5,
     .rope_theta = 500000,
     .gguf = gguf_neox("bitnet")},
    {.name = "diffllama",
     .architecture = "DiffLlamaForCausalLM",
     .config_class = "DiffLlamaConfig",
     .size = {2048, 32, 16}},
    {.name = "jais2",
     .architecture = "Jais2ForCausalLM",
     .config_class = "Jais2Config",
     .size = {3328, 26, 32},
     .max_positions = 8192,
     .gguf = gguf_neox("jais2")},
    {.name = "hyperclovax",
     .architecture = "HyperCLOVAXForCausalLM",
     .config_class = "HyperCLOVAXConfig",
     .size = {4096, 32, 32}},
    {.name = "doge",
     .architecture = "DogeForCausalLM",
     .config_class = "DogeConfig",
     .size = {1024, 8, 32},
     .q_k_norm = kNormBefore},
    {.name = "hrm_text",
     .architecture = "HrmTextForCausalLM",
     .config_class = "HrmTextConfig",
     .size = {1536, 12, 128},
     .head_dim = 128,
     .gguf = gguf_neox("hrm_text")},
    {.name = "evolla",
     .architecture = "EvollaForProteinText2Text",
     .config_class = "EvollaConfig",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 8192,
     .rope_theta = 500000},
    {.name = "idefics",
     .architecture = "IdeficsForVisionText2Text",
     .config_class = "IdeficsConfig",
     .size = {4096, 32, 32}},
    {.name = "chameleon",
     .architecture = "ChameleonForConditionalGeneration",
     .config_class = "ChameleonConfig",
     .size = {4096, 32, 32},
     .kv_heads = 32,
     .max_positions = 4096,
     .q_k_norm = kNormBefore,
     .gguf = gguf_norm("chameleon")},
    {.name = "aria_text",
     .architecture = "AriaTextForCausalLM",
     .config_class = "AriaTextConfig",
     .size = {4096, 32, 32}},
    {.name = "aria",
     .architecture = "AriaForConditionalGeneration",
     .config_class = "AriaConfig",
     .part = "text_config",
     .part_type = "aria_text"},
    {.name = "emu3_text_model",
     .config_class = "Emu3TextConfig",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 9216,
     .rope_theta = 1000000},
    {.name = "emu3",
     .architecture = "Emu3ForConditionalGeneration",
     .config_class = "Emu3Config",
     .part = "text_config",
     .part_type = "emu3_text_model"},
    // Read from the code that came with the files.
    {.name = "internlm",
     .architecture = "InternLMForCausalLM",
     .config_class = "InternLMConfig",
     .gguf = gguf_norm("llama")},
    {.name = "internlm2",
     .architecture = "InternLM2ForCausalLM",
     .config_class = "InternLM2Config",
     .gguf = gguf_norm("internlm2")},
    {.name = "internlm3",
     .architecture = "InternLM3ForCausalLM",
     .config_class = "InternLM3Config",
     .max_positions = 32768,
     .gguf = gguf_norm("llama")},
    {.name = "xverse",
     .architecture = "XverseForCausalLM",
     .config_class = "XverseConfig",
     .gguf = gguf_norm("xverse")},
    {.name = "orion",
     .architecture = "OrionForCausalLM",
     .config_class = "OrionConfig",
     .gguf = gguf_neox("orion")},
    {.name = "apertus1p5_text",
     .config_class = "Apertus1p5TextConfig",
     .size = {4096, 32, 32},
     .max_positions = 65536,
     .rope_theta = 12000000,
     .rope_parameters = kLlama3Rope,
     .q_k_norm = kNormBefore},
    {.name = "apertus1p5",
     .architecture = "Apertus1p5ForConditionalGeneration",
     .config_class = "Apertus1p5Config",
     .part = "text_config",
     .part_type = "apertus1p5_text"},
};

}  // namespace

constinit const Family family::decoders{
    .name = "decoders", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
