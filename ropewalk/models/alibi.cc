// Models that add a bias to the scores and do not rotate, and those that can do either.
// Source: configuration_*.py and modeling_*.py of transformers; modeling_gpt_refact.py of
// smallcloudai/Refact-1_6B-fim, modeling_jais.py of inceptionai/jais-13b.

#include <fmt/format.h>

#include "ropewalk/models/family.h"
#include "ropewalk/models/heads.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"alibi", "alibi_bias_max", "use_alibi"};
constexpr NumberRule kMaxBias{"a number above 0 and at most 64",
                              [](double value) { return value > 0 && value <= 64; }};

void set_alibi(ConfigReader& config, ModelEncoding& model, double max_bias, std::string source) {
  config.note("encoding", "alibi", "family: the scores get a bias, nothing turns");
  config.note("max_bias", fmt::to_string(max_bias), std::move(source));
  model.layers.assign(model.layers.size(), AlibiConfig{.heads = model.heads, .max_bias = max_bias});
}

void read_alibi(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_heads(config, model, type);
  set_alibi(config, model, 8, fmt::format("family: the code of {}", type.name));
}

void read_mpt(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_heads(config, model, type);
  std::optional<ConfigReader> attention = config.find_object("attn_config");
  const std::string reason = "default of MptAttentionConfig";
  if (!attention) return set_alibi(config, model, 8, reason);
  if (!attention->boolean("alibi", "alibi", {true, reason})) {
    attention->refuse(ErrorCode::unsupported, "alibi",
                      "without ALiBi the positions of MPT are learned, expected true, found false");
  }
  const auto stated = attention->find_number("alibi_bias_max", kMaxBias);
  set_alibi(config, model, stated.value_or(8),
            stated ? attention->source("alibi_bias_max") : reason);
}

void read_jais(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const auto stated = config.find_text("position_embedding_type");
  if (stated != "alibi") {
    config.refuse(ErrorCode::unsupported, "position_embedding_type",
                  "other positions of a jais are learned, expected \"alibi\"");
  }
  read_alibi(config, model, type);
}

constexpr ModelType kTypes[] = {
    {.name = "bloom",
     .architecture = "BloomForCausalLM",
     .config_class = "BloomConfig",
     .max_positions = 0,
     .max_positions_key = "seq_length",
     .gguf = {"bloom"},
     .encoding = "ALiBi",
     .read = read_alibi},
    {.name = "mpt",
     .architecture = "MPTForCausalLM",
     .config_class = "MptConfig",
     .gguf = {"mpt"},
     .encoding = "ALiBi",
     .read = read_mpt},
    {.name = "gpt_refact",
     .architecture = "GPTRefactForCausalLM",
     .config_class = "GPTRefactConfig",
     .kv_heads = 1,
     .max_positions = 1024,
     .gguf = {"refact"},
     .encoding = "ALiBi",
     .read = read_alibi},
    {.name = "jais",
     .architecture = "JAISLMHeadModel",
     .config_class = "JAISConfig",
     .gguf = {"jais"},
     .encoding = "ALiBi",
     .read = read_jais},
};

}  // namespace

constinit const Family family::alibi{
    .name = "alibi", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
