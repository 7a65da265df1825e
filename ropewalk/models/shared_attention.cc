#include "ropewalk/models/shared_attention.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/dialects/notes.h"
#include "ropewalk/models/attention_reader.h"

namespace ropewalk {
namespace {

struct Resolver {
  const StatedModel& all;
  const ModelType& type;
  const Defaults& defaults;
  ModelEncoding& model;
  const StatedAttention& stated = all.attention;
  const AttentionRule& rule = type.attention;

  void note(std::string_view field, std::string value, std::string source) {
    ropewalk::note(model, field, std::move(value), std::move(source));
  }
  template <typename T>
  const std::string& source_of(const Said<T>& said) const {
    return said ? said.source : defaults.reason;
  }

  bool is_on(const Said<bool>& said, const SwitchKey& key, std::string_view field) {
    const bool on = said.value_or(key.value);
    if (!key.key.empty() && !on) note(field, "none", source_of(said));
    return on;
  }

  // Null counts as absent, but for keys that null switches off.
  double number(std::string_view field, const Said<double>& said, double of_class,
                bool null_is_off) {
    if (said.null && null_is_off) {
      if (of_class != 0) note(field, "none", said.source + ", null");
      return 0;
    }
    const double value = said.value_or(of_class);
    if (said || (value != 0 && value != 1)) note(field, fmt::to_string(value), source_of(said));
    return value;
  }
};

// 1 / sqrt(head_dim) is not noted: it is what holds where nothing is said.
double softmax_scale(Resolver& to) {
  const ScaleRule& rule = to.rule.scale;
  const Said<double>& said = to.stated.softmax_scale;
  double value = said.value_or(rule.value);
  if (value == 0) return 0;
  std::string words = fmt::to_string(value);
  if (rule.inverse_root) {
    words = fmt::format("1 / sqrt({})", value);
    value = 1 / std::sqrt(value);
  }
  to.note("softmax_scale", words,
          !said && rule.key.empty() ? to.defaults.code : to.source_of(said));
  return value;
}

Norm qk_norm(Resolver& to) {
  const NormRule& rule = to.rule.qk_norm;
  if (rule.norm.kind == NormKind::none || !to.is_on(to.stated.normed, rule.on, "q_k_norm")) {
    return {};
  }
  Norm norm = rule.norm;
  if (!rule.extent_key.empty()) {
    const bool per_head = to.stated.norm_extent.value_or("qwen3") == "qwen3";
    norm.extent = per_head ? NormExtent::head : NormExtent::all_heads;
  }
  norm.eps = to.stated.norm_eps.value_or(norm.eps);
  std::string words = in_words(norm, true);
  if (rule.rotating_layers_only) words += ", in layers that rotate";
  to.note("q_k_norm", words, to.defaults.code);
  to.note("q_k_norm eps", fmt::to_string(norm.eps), to.source_of(to.stated.norm_eps));
  return norm;
}

// v and what the heads give are normed by the same code, with the same eps.
Norm norm_beside(Resolver& to, std::string_view field, Norm norm) {
  if (norm.kind == NormKind::none) return norm;
  norm.eps = to.stated.norm_eps.value_or(norm.eps);
  to.note(field, in_words(norm, false), to.defaults.code);
  return norm;
}

// 0: none.
int64_t window(Resolver& to) {
  const WindowRule& rule = to.rule.window;
  const Said<int64_t>& said = to.stated.window;
  if (rule.key.empty() || !to.is_on(to.stated.windowed, rule.on, "window")) return 0;
  if (said.null) {
    if (rule.value > 0) to.note("window", "none", said.source + ", null");
    return 0;
  }
  const int64_t value = said.value_or(rule.value) / rule.divisor;
  if (value > 0) to.note("window", fmt::format("{} keys", value), to.source_of(said));
  return value;
}

Mask mask(Resolver& to) {
  if (!to.stated.bidirectional.value_or(false)) return to.rule.mask;
  to.note("mask", "full", to.stated.bidirectional.source);
  return Mask::full;
}

std::optional<QueryScale> llama4_scale(Resolver& to) {
  const StatedAttention& stated = to.stated;
  if (!stated.query_scaled.value_or(true)) {
    to.note("query_scale", "none", stated.query_scaled.source);
    return std::nullopt;
  }
  const double beta = stated.query_beta.value_or(0.1);
  const double floor = stated.query_floor.value_or(8192);
  to.note("attn_scale", fmt::to_string(beta), to.source_of(stated.query_beta));
  to.note("floor_scale", fmt::to_string(floor), to.source_of(stated.query_floor));
  return QueryScale{QueryScale::Rule::log_floor, beta, static_cast<int64_t>(floor), 1};
}

// What every layer has.
AttentionConfig common(Resolver& to) {
  const AttentionRule& rule = to.rule;
  const StatedAttention& stated = to.stated;
  AttentionConfig config;
  if (!rule.known) config.not_computed = {NotComputed::unknown};
  config.not_computed.insert(config.not_computed.end(), rule.not_computed.begin(),
                             rule.not_computed.end());
  if (!stated.dual_chunk.empty()) {
    config.not_computed.push_back(NotComputed::dual_chunk);
    to.note("dual_chunk", "positions start again in chunks", stated.dual_chunk);
  }
  config.softmax_scale = softmax_scale(to);
  config.qk_norm = qk_norm(to);
  config.v_norm = norm_beside(to, "v_norm", rule.v_norm);
  config.output_norm = norm_beside(to, "output_norm", rule.output_norm);
  config.mask = mask(to);
  config.softcap = to.number("softcap", stated.softcap, rule.softcap.value, true);
  config.sinks = rule.sinks;
  config.key_multiplier =
      to.number("key_multiplier", stated.key_multiplier, rule.key_multiplier.value, false);
  config.value_multiplier =
      to.number("value_multiplier", stated.value_multiplier, rule.value_multiplier.value, false);
  config.clip_qkv = to.number("clip_qkv", stated.clip_qkv, rule.clip_qkv.value, true);
  config.output_gate =
      to.is_on(stated.gated, rule.gate_on, "output_gate") ? rule.output_gate : OutputGate::none;
  if (rule.sinks) to.note("sinks", "a learned logit for each head", to.defaults.code);
  if (config.output_gate != OutputGate::none) {
    to.note("output_gate", std::string(name(config.output_gate)), to.defaults.code);
  }
  return config;
}

int64_t rank(Resolver& to, std::string_view field, const Said<int64_t>& said, int64_t of_class) {
  const int64_t rank = said.null ? 0 : said.value_or(of_class);
  to.note(field, fmt::to_string(rank), to.source_of(said));
  return rank;
}

// q_lora_rank and kv_lora_rank; without them the file says what turns and no more.
LatentProjections latent_projections(Resolver& to) {
  const LatentHead& head = to.type.latent;
  const StatedLatent& stated = to.all.latent;
  if (head.rope_dim == 0) return {};
  LatentProjections latent;
  latent.q_rank = rank(to, "q_lora_rank", stated.q_rank, head.q_rank);
  latent.kv_rank = rank(to, "kv_lora_rank", stated.kv_rank, head.kv_rank);
  latent.shared_dim = stated.rope_dim.value_or(head.rope_dim);
  latent.eps = stated.eps.value_or(head.eps);
  if (head.scales_by_rank) {
    const auto root = [&](int64_t rank) {
      return rank == 0
                 ? 1
                 : std::sqrt(static_cast<double>(to.model.hidden_size) / static_cast<double>(rank));
    };
    latent.q_scale = root(latent.q_rank);
    latent.kv_scale = root(latent.kv_rank);
  }
  return latent;
}

int64_t value_dim(Resolver& to) {
  const IntegerKey& key = to.type.value_dim;
  const Said<int64_t>& said = to.stated.value_dim;
  if (key.key.empty()) return to.model.head_dim;
  const int64_t dim = said.value_or(key.value == 0 ? to.model.head_dim : key.value);
  to.note("value_dim", fmt::to_string(dim), to.source_of(said));
  return dim;
}

// How many of the last layers take k and v of an earlier one.
int64_t sharing_layers(Resolver& to) {
  const Said<int64_t>& said = to.stated.shared_kv;
  const int64_t count = said.value_or(to.rule.shared_kv.value);
  if (count > 0) {
    to.note("layers that share k and v", fmt::format("the last {}", count), to.source_of(said));
  }
  return count;
}

int64_t chunk(Resolver& to) {
  const Said<int64_t>& said = to.stated.chunk;
  if (to.rule.chunk.key.empty() || said.null) return 0;
  const int64_t chunk = said.value_or(to.rule.chunk.value);
  to.note("chunk", fmt::to_string(chunk), to.source_of(said));
  return chunk;
}

// What states a scaling of the softmax scale beside head_dim^-0.5, else the type.
std::string scale_source(const StatedModel& stated) {
  for (const StatedKind& kind : stated.kinds) {
    if (!kind.rope.place.empty()) return kind.rope.place;
  }
  return stated.label + ": /rope_parameters";
}

}  // namespace

SharedAttention shared_attention(const StatedModel& stated, const ModelType& type,
                                 const Defaults& defaults, ModelEncoding& model) {
  Resolver to{stated, type, defaults, model};
  SharedAttention shared{.config = common(to)};
  shared.config.latent = latent_projections(to);
  shared.window = window(to);
  shared.chunk = chunk(to);
  if (to.rule.query_scale == QueryScaleFrom::llama4) shared.unrotated_scale = llama4_scale(to);
  shared.value_dim = value_dim(to);
  shared.factor = to.number("softmax_scale factor", stated.attention.softmax_factor,
                            type.attention.scale.factor, false);
  shared.scale_source = scale_source(stated);
  shared.value_is_key =
      to.is_on(stated.attention.value_is_key, to.rule.value_is_key, "v is the projection of k");
  shared.first_sharing = std::ssize(model.layers) - sharing_layers(to);
  return shared;
}

}  // namespace ropewalk
