#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/models/attention_reader.h"

namespace ropewalk {

std::string in_words(const Norm& norm, bool of_q_and_k) {
  std::string words = fmt::format("{}, {}", name(norm.kind),
                                  norm.extent == NormExtent::head ? "per head" : "over all heads");
  if (of_q_and_k) {
    words +=
        norm.place == NormPlace::before_rotation ? ", before the rotation" : ", after the rotation";
  }
  if (!norm.weights) words += ", without weights";
  if (norm.unit_offset) words += ", weights kept less 1";
  return words;
}

namespace {

std::string key_words(std::string_view key, double value) {
  return value == 0 ? std::string(key) : fmt::format("{} ({:g})", key, value);
}

void add_scale(const ScaleRule& rule, std::vector<std::string>& words) {
  if (!rule.key.empty()) {
    const std::string stated = key_words(rule.key, rule.value);
    words.push_back(rule.inverse_root ? fmt::format("scale 1 / sqrt({})", stated)
                                      : fmt::format("scale {}", stated));
  } else if (rule.value != 0) {
    words.push_back(fmt::format("scale {:g}", rule.value));
  }
  if (rule.factor != 1) words.push_back(fmt::format("scale times {:.7g}", rule.factor));
}

void add_norm(const NormRule& rule, std::vector<std::string>& words) {
  if (rule.norm.kind == NormKind::none) return;
  words.push_back("norm of q and k: " + in_words(rule.norm, true));
  if (!rule.on.key.empty()) {
    words.back() += fmt::format(", if {} (default {})", rule.on.key, rule.on.value);
  }
}

}  // namespace

std::string attention_in_words(const ModelType& type) {
  const AttentionRule& rule = type.attention;
  if (!rule.known) return "not known";
  std::vector<std::string> words;
  add_scale(rule.scale, words);
  add_norm(rule.qk_norm, words);
  if (rule.v_norm.kind != NormKind::none) words.push_back("norm of v");
  if (rule.output_norm.kind != NormKind::none) words.push_back("norm of the heads");
  if (rule.mask != Mask::causal) words.push_back(fmt::format("mask {}", name(rule.mask)));
  if (!rule.window.key.empty()) {
    words.push_back("window " + key_words(rule.window.key, static_cast<double>(rule.window.value)));
  }
  if (!rule.chunk.key.empty()) {
    words.push_back("chunks " + key_words(rule.chunk.key, static_cast<double>(rule.chunk.value)));
  }
  if (!rule.softcap.key.empty()) {
    words.push_back("softcap " + key_words(rule.softcap.key, rule.softcap.value));
  }
  if (rule.sinks) words.push_back("sinks");
  if (rule.query_scale != QueryScaleFrom::nothing) words.push_back("q scaled by position");
  if (!rule.key_multiplier.key.empty()) words.push_back(std::string(rule.key_multiplier.key));
  if (!rule.value_multiplier.key.empty()) words.push_back(std::string(rule.value_multiplier.key));
  if (!rule.clip_qkv.key.empty()) words.push_back(std::string(rule.clip_qkv.key));
  if (rule.output_gate != OutputGate::none) {
    words.push_back(fmt::format("output gate {}", name(rule.output_gate)));
  }
  if (type.latent.rope_dim > 0) words.push_back("latent q, k and v");
  for (const NotComputed what : rule.not_computed) {
    words.push_back(fmt::format("not computed: {}", name(what)));
  }
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace ropewalk
