#include "ropewalk/dialects/transformers_attention.h"

#include <cmath>

#include <nlohmann/json.hpp>

namespace ropewalk {
namespace {

constexpr std::string_view kDualChunk = "dual_chunk_attention_config";
constexpr NumberRule kSoftmaxScale{"a number from 1e-12 to 1e6",
                                   [](double value) { return value >= 1e-12 && value <= 1e6; }};
constexpr NumberRule kMultiplier{"a number within -1e6 to 1e6 that is not 0", [](double value) {
                                   return kFactorWithin.holds(value) && std::abs(value) >= 1e-30;
                                 }};
constexpr NumberRule kFloor{"a whole number of at least 1",
                            [](double value) { return value >= 1 && std::trunc(value) == value; }};
constexpr IntegerRule kWindow{0};

// true or "all"; a number or another word is a choice that leaves the mask as it is.
Said<bool> said_bidirectional(ConfigReader& config, std::string_view key) {
  if (key.empty()) return {};
  config.ignore(key);
  const auto found = config.json().find(std::string(key));
  const bool full = found != config.json().end() && (*found == true || *found == "all");
  return {full, config.source(key), config.pointer_to(key)};
}

}  // namespace

StatedAttention stated_attention(ConfigReader& config, const ModelType& type) {
  const AttentionRule& rule = type.attention;
  StatedAttention stated;
  stated.softmax_scale = config.said_number(rule.scale.key, kSoftmaxScale);
  stated.softmax_factor = config.said_number(rule.scale.factor_key, kPositiveFloat);
  stated.softcap = config.said_number(rule.softcap.key, kPositiveFloat);
  stated.key_multiplier = config.said_number(rule.key_multiplier.key, kMultiplier);
  stated.value_multiplier = config.said_number(rule.value_multiplier.key, kMultiplier);
  stated.clip_qkv = config.said_number(rule.clip_qkv.key, kPositiveFloat);
  if (config.find_object(kDualChunk)) stated.dual_chunk = config.source(kDualChunk);
  stated.normed = config.said_boolean(rule.qk_norm.on.key);
  stated.norm_extent = config.said_text(rule.qk_norm.extent_key);
  if (rule.norms()) stated.norm_eps = config.said_number(rule.qk_norm.eps_key, kEps);
  stated.windowed = config.said_boolean(rule.window.on.key);
  if (stated.windowed.value_or(rule.window.on.value)) {
    stated.window = config.said_integer(rule.window.key, kWindow);
  } else {
    config.ignore(rule.window.key);  // whatever it is, no layer has it
  }
  stated.chunk = config.said_integer(rule.chunk.key, kPositionCount);
  stated.value_dim = config.said_integer(type.value_dim.key, kChannels);
  stated.shared_kv = config.said_integer(rule.shared_kv.key, {0, kLayerCount.most});
  stated.bidirectional = said_bidirectional(config, rule.bidirectional_key);
  stated.gated = config.said_boolean(rule.gate_on.key);
  stated.value_is_key = config.said_boolean(rule.value_is_key.key);
  if (rule.query_scale == QueryScaleFrom::llama4) {
    stated.query_scaled = config.said_boolean("attn_temperature_tuning");
    stated.query_beta = config.said_number("attn_scale", kSoftmaxScale);
    stated.query_floor = config.said_number("floor_scale", kFloor);
  }
  return stated;
}

}  // namespace ropewalk
