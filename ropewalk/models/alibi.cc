// Models that add a bias to the scores and do not rotate, and those that can do either.
// Source: configuration_*.py and modeling_*.py of transformers; modeling_gpt_refact.py of
// smallcloudai/Refact-1_6B-fim, modeling_jais.py of inceptionai/jais-13b.

#include <fmt/format.h>

#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/family.h"
#include "ropewalk/models/heads.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"alibi", "alibi_bias_max", "use_alibi"};
constexpr NumberRule kMaxBias{"a number above 0 and at most 64",
                              [](double value) { return value > 0 && value <= 64; }};

void set_alibi(ConfigReader& config, ModelEncoding& model, double max_bias, std::string source,
               AlibiForm form = AlibiForm::relative) {
  config.note("encoding", "alibi", "family: the scores get a bias, nothing turns");
  config.note("max_bias", fmt::to_string(max_bias), std::move(source));
  config.note("alibi form", std::string(name(form)),
              "family: the scores get a bias, nothing turns");
  set_positions(model, AlibiConfig{.heads = model.heads, .max_bias = max_bias, .form = form});
}

void read_alibi(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_heads(config, model, type);
  // BLOOM and Refact count the keys, Jais the distance.
  const AlibiForm form = type.name == "jais" ? AlibiForm::relative : AlibiForm::key_position;
  set_alibi(config, model, 8, fmt::format("family: the code of {}", type.name), form);
  read_attention(config, model, type);
}

void read_mpt(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_heads(config, model, type);
  std::optional<ConfigReader> attention = config.find_object("attn_config");
  const std::string reason = "default of MptAttentionConfig";
  if (attention && !attention->boolean("alibi", "alibi", {true, reason})) {
    attention->refuse(ErrorCode::unsupported, "alibi",
                      "without ALiBi the positions of MPT are learned, expected true, found false");
  }
  const auto stated = attention ? attention->find_number("alibi_bias_max", kMaxBias) : std::nullopt;
  set_alibi(config, model, stated.value_or(8),
            stated ? attention->source("alibi_bias_max") : reason);
  read_attention(config, model, type);
}

void read_jais(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const auto stated = config.find_text("position_embedding_type");
  if (stated != "alibi") {
    config.refuse(ErrorCode::unsupported, "position_embedding_type",
                  fmt::format("expected \"alibi\", found {}; other positions of a jais are learned",
                              stated ? fmt::format("\"{}\"", escaped(*stated)) : "no such key"));
  }
  read_alibi(config, model, type);
}

constexpr ModelType kTypes[] = {
    {.name = "bloom",
     .architecture = "BloomForCausalLM",
     .config_class = "BloomConfig",
     .max_positions = 0,
     .max_positions_key = "seq_length",
     .rotates = false,
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::fused_per_head,
                 .layer = "h.{}.self_attention.",
                 .q = "query_key_value",
                 .o = "dense"},
     .gguf = {"bloom"},
     .encoding = "ALiBi",
     .read = read_alibi},
    {.name = "mpt",
     .architecture = "MPTForCausalLM",
     .config_class = "MptConfig",
     .rotates = false,
     .attention = {.known = true,
                   .scale = {.key = "attn_config/softmax_scale"},
                   .clip_qkv = {"attn_config/clip_qkv"}},
     .weights = {.form = QkvForm::fused, .layer = "blocks.{}.attn.", .q = "Wqkv", .o = "out_proj"},
     .gguf = {"mpt"},
     .encoding = "ALiBi",
     .read = read_mpt},
    {.name = "gpt_refact",
     .architecture = "GPTRefactForCausalLM",
     .config_class = "GPTRefactConfig",
     .kv_heads = 1,
     .max_positions = 1024,
     .rotates = false,
     .attention = kPlainAttention,
     .gguf = {"refact"},
     .encoding = "ALiBi",
     .read = read_alibi},
    {.name = "jais",
     .architecture = "JAISLMHeadModel",
     .config_class = "JAISConfig",
     .rotates = false,
     .attention = kPlainAttention,
     .gguf = {"jais"},
     .encoding = "ALiBi",
     .read = read_jais},
};

}  // namespace

constinit const Family family::alibi{
    .name = "alibi", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
