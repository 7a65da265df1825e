#include "ropewalk/dialects/params.h"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ropewalk/dialects/rope_rule.h"
#include "ropewalk/dialects/transformers_attention.h"

namespace ropewalk {
namespace {

constexpr NumberRule kGrowth{"a number of at least 1", [](double value) { return value >= 1; }};
constexpr std::string_view kOriginal = "original_max_position_embeddings";

struct Translator {
  ConfigReader& params;
  const ModelType& code;
  StatedModel stated;

  StatedRope& rope() { return stated.kinds.front().rope; }
  // What the code makes of the file, where no key of its own states it.
  void imply(std::string_view parameter, double value, std::string_view source) {
    Said<double>& said = rope().parameters[std::string(parameter)];
    if (said) return;
    said = {value, fmt::format("{}: {}", params.label(), source), std::string(source)};
  }
  void set_type(std::string_view type, std::string_view source) {
    rope().place = fmt::format("{}: {}", params.label(), source);
    rope().rope_type = {rope_type_of_code(std::string(type), code.yarn_type),
                        fmt::format("{}: {}", params.label(), source), std::string(source)};
  }
  // A parameter of the scaling by the name of its key.
  void copy(std::string_view parameter, std::string_view path, const NumberRule& rule) {
    rope().parameters[std::string(parameter)] = params.said_number(path, rule);
  }
  void copy_length(std::string_view path) {
    const Said<int64_t> said = params.said_integer(path, kPositionCount);
    rope().parameters[std::string(kOriginal)] = {
        said ? std::optional(static_cast<double>(*said)) : std::nullopt, said.source, said.key};
  }
};

void read_size(Translator& to) {
  StatedSize& size = to.stated.size;
  ConfigReader& params = to.params;
  size.hidden_size = params.said_integer("dim", kHiddenSize);
  size.layers = params.said_integer("n_layers", kLayerCount);
  size.heads = params.said_integer("n_heads", kHeadCount);
  size.kv_heads = params.said_integer("n_kv_heads", kHeadCount);
  size.max_positions =
      params.said_integer({"max_position_embeddings", "max_seq_len"}, kPositionCount);
  if (params.has("qk_rope_head_dim")) {
    params.ignore("head_dim");
    StatedLatent& latent = to.stated.latent;
    latent.nope_dim = params.said_integer("qk_nope_head_dim", {0, 65536, 2});
    latent.rope_dim = params.said_integer("qk_rope_head_dim", kHeadDim);
    latent.q_rank = params.said_integer("q_lora_rank", {0, kRank.most});
    latent.kv_rank = params.said_integer("kv_lora_rank", kRank);
    to.stated.index_head_dim = params.said_integer("index_head_dim", kHeadDim);
  } else {
    size.head_dim = params.said_integer("head_dim", kHeadDim);
  }
}

bool is_llama_3_2(const StatedSize& size) {
  return (size.hidden_size.value == 2048 && size.layers.value == 16) ||
         (size.hidden_size.value == 3072 && size.layers.value == 28);
}

void read_llama3(Translator& to, bool llama4) {
  constexpr std::string_view kCode = "/use_scaled_rope, apply_scaling in Meta's code";
  if (to.params.has("yarn")) {
    to.params.refuse(ErrorCode::unsupported, "yarn",
                     "expected use_scaled_rope in a params.json of Meta, found yarn");
  }
  const auto factor = to.params.first_of({"rope_scaling_factor", "rope_high_freq_factor"});
  if (!to.params.find_boolean("use_scaled_rope").value_or(false)) {
    if (!factor) return;
    to.params.refuse(ErrorCode::malformed, *factor,
                     "expected use_scaled_rope true beside it, found none");
  }
  to.set_type("llama3", "/use_scaled_rope");
  to.copy("factor", "rope_scaling_factor", kGrowth);
  to.copy("high_freq_factor", "rope_high_freq_factor", kPositiveFloat);
  if (!llama4 && is_llama_3_2(to.stated.size)) {
    to.imply("factor", 32, "/dim, of the size of Llama 3.2, whose config.json says 32");
    to.params.warn(
        "no key states the factor of use_scaled_rope: Meta's code has 8, the config.json of "
        "Llama 3.2 at this size 32, which is taken");
  }
  to.imply("factor", llama4 ? 16 : 8, kCode);
  to.imply("low_freq_factor", 1, kCode);
  to.imply("high_freq_factor", llama4 ? 1 : 4, kCode);
  to.imply(kOriginal, 8192, kCode);
}

void read_mistral(Translator& to) {
  if (to.params.find_object("llama_4_scaling")) {
    to.rope().query_beta = to.params.said_number("llama_4_scaling/beta", kFactorWithin);
    to.rope().query_length =
        to.params.said_number("llama_4_scaling/original_max_position_embeddings", kGrowth);
  }
  std::optional<ConfigReader> yarn = to.params.find_object("yarn");
  if (!yarn) return;
  to.set_type("yarn", "/yarn");
  to.rope().place = yarn->place();
  const bool scales = yarn->find_boolean("apply_scale").value_or(true);
  to.copy("factor", "yarn/factor", kGrowth);
  to.copy("beta_fast", "yarn/beta", kAnyNumber);
  to.copy("beta_slow", "yarn/alpha", kAnyNumber);
  to.copy_length("yarn/original_max_position_embeddings");
  if (to.stated.latent.rope_dim && scales) {
    to.imply("mscale", 1, "/yarn, Mistral's latent attention");
    to.imply("mscale_all_dim", 1, "/yarn, Mistral's latent attention");
  } else if (!scales) {
    to.imply("attention_factor", 1, "/yarn/apply_scale");
  }
  for (const std::string_view key : {std::string_view("factor"), std::string_view("beta"),
                                     std::string_view("alpha"), kOriginal}) {
    yarn->ignore(key);
  }
  yarn->warn_unread();
}

// ModelArgs of DeepSeek's inference/model.py: scaled where max_seq_len is above the trained length,
// and both mscale of a config.json are its one.
void read_deepseek(Translator& to) {
  constexpr std::string_view kArgs = "ModelArgs in DeepSeek's code";
  StatedSize& size = to.stated.size;
  Said<int64_t>& most = size.max_positions;
  if (!most) {
    most = {16384, fmt::format("{}: /max_seq_len, {}", to.params.label(), kArgs), "/max_seq_len"};
  }
  Said<int64_t>& q_rank = to.stated.latent.q_rank;
  if (q_rank.value_or(0) == 0) {
    q_rank.value.reset();
    q_rank.null = true;  // the code's 0
  }
  if (to.code.parts.size() > 0 && !to.stated.index_head_dim) {
    to.stated.index_head_dim = {
        128, fmt::format("{}: /index_head_dim, {}", to.params.label(), kArgs), "/index_head_dim"};
  }
  const Said<int64_t> trained = to.params.said_integer("original_seq_len", kPositionCount);
  if (to.params.find_integer("max_seq_len", kPositionCount).value_or(16384) <=
      trained.value_or(4096)) {
    return;
  }
  to.set_type("yarn", fmt::format("/original_seq_len below /max_seq_len, {}", kArgs));
  const auto argument = [&](std::string_view parameter, std::string_view key, double value) {
    to.copy(parameter, key, kAnyNumber);
    to.imply(parameter, value, fmt::format("/{}, {}", key, kArgs));
  };
  argument("factor", "rope_factor", 40);
  to.copy_length("original_seq_len");
  to.imply(kOriginal, 4096, fmt::format("/original_seq_len, {}", kArgs));
  argument("beta_fast", "beta_fast", 32);
  argument("beta_slow", "beta_slow", 1);
  argument("mscale", "mscale", 1);
  argument("mscale_all_dim", "mscale", 1);
}

}  // namespace

bool is_params_json(const nlohmann::ordered_json& json) {
  if (!json.is_object()) return false;
  for (const char* of_others : {"architectures", "_class_name"}) {
    if (json.contains(of_others)) return false;
  }
  if (json.contains("model_type") && json["model_type"] != "transformer") return false;
  return json.contains("dim") && json.contains("n_layers") && json.contains("n_heads");
}

ParamsOf publisher_of(const ConfigReader& params) {
  if (params.has("nope_layer_interval")) return ParamsOf::meta_llama4;
  const bool mistral = params.has("hidden_dim") || params.has("yarn");
  const bool latent = params.has("qk_rope_head_dim");
  if (latent && !mistral) {
    return params.has("index_n_heads") ? ParamsOf::deepseek_sparse : ParamsOf::deepseek;
  }
  if (!mistral || params.has("multiple_of")) return ParamsOf::meta;
  return latent ? ParamsOf::mistral_latent : ParamsOf::mistral;
}

StatedModel stated_model(ConfigReader& params, ParamsOf publisher) {
  const ModelType& code = params_code(publisher);
  Translator to{params, code, {.label = params.label()}};
  to.stated.kinds.resize(1);
  read_size(to);
  to.rope().rope_type.source = "default: there is no scaling";
  to.rope().rope_theta = params.said_number("rope_theta", kRopeTheta);
  to.stated.attention = stated_attention(params, code);
  to.stated.layers.rotates_every = params.said_integer("nope_layer_interval", {1, 4096});
  switch (publisher) {
    case ParamsOf::meta:
    case ParamsOf::meta_llama4:
      read_llama3(to, publisher == ParamsOf::meta_llama4);
      break;
    case ParamsOf::mistral:
    case ParamsOf::mistral_latent:
      read_mistral(to);
      break;
    case ParamsOf::deepseek:
    case ParamsOf::deepseek_sparse:
      read_deepseek(to);
      break;
  }
  return std::move(to.stated);
}

}  // namespace ropewalk
