#include "ropewalk/report/attention_words.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/report/layer_words.h"

namespace ropewalk {
namespace {

std::string norm_words(const Norm& norm, bool of_q_and_k) {
  std::string words = fmt::format("{} {}", name(norm.kind),
                                  norm.extent == NormExtent::head ? "per head" : "over all heads");
  if (of_q_and_k) {
    words +=
        norm.place == NormPlace::before_rotation ? " before the rotation" : " after the rotation";
  }
  if (!norm.weights) words += " without weights";
  if (norm.unit_offset) words += " with weights kept less 1";
  return words + fmt::format(" (eps {:g})", norm.eps);
}

std::string query_words(const QueryScale& scale) {
  if (scale.rule == QueryScale::Rule::log_ratio) {
    return fmt::format("q times ln(p + 1) / ln({}) where that is above 1", scale.length);
  }
  return fmt::format("q times 1 + {:g} ln(1 + floor({} / {}))", scale.beta,
                     scale.offset == 0 ? "p" : fmt::format("(p + {})", scale.offset), scale.length);
}

std::string keys(int64_t count) { return count < 0 ? "all" : fmt::to_string(count); }

void add_norms(const AttentionConfig& config, std::vector<std::string>& words) {
  if (config.qk_norm.kind != NormKind::none) {
    words.push_back("q and k normed: " + norm_words(config.qk_norm, true));
  }
  if (config.v_norm.kind != NormKind::none) {
    words.push_back("v normed: " + norm_words(config.v_norm, false));
  }
  if (config.output_norm.kind != NormKind::none) {
    words.push_back("heads normed: " + norm_words(config.output_norm, false));
  }
}

void add_multipliers(const AttentionConfig& config, std::vector<std::string>& words) {
  if (config.query_scale) words.push_back(query_words(*config.query_scale));
  if (config.value_is_key) words.push_back("v is the projection of k");
  if (config.key_multiplier != 1) {
    words.push_back(fmt::format("k times {:.7g}", config.key_multiplier));
  }
  if (config.value_multiplier != 1) {
    words.push_back(fmt::format("v times {:.7g}", config.value_multiplier));
  }
  if (config.clip_qkv > 0) {
    words.push_back(fmt::format("q, k and v cut to +-{:.7g}", config.clip_qkv));
  }
  if (config.output_gate != OutputGate::none) {
    words.push_back(fmt::format("output gate {}", name(config.output_gate)));
  }
}

}  // namespace

std::string in_words(const Layer& layer) {
  if (layer.mixer != Mixer::attention) return std::string(name(layer.mixer));
  const AttentionConfig& config = layer.attention;
  std::vector<std::string> words = {fmt::format("softmax scale {:.7g}", config.softmax_scale),
                                    fmt::format("mask {}", name(config.mask))};
  if (config.window_left >= 0 || config.window_right >= 0) {
    words.push_back(config.mask == Mask::full
                        ? fmt::format("window of {} keys before and {} after",
                                      keys(config.window_left), keys(config.window_right))
                        : fmt::format("window of {} keys before", keys(config.window_left)));
  }
  if (config.chunk > 0) words.push_back(fmt::format("chunks of {} tokens", config.chunk));
  if (config.softcap > 0) words.push_back(fmt::format("softcap {:.7g}", config.softcap));
  if (config.sinks) words.push_back("a sink for each head");
  add_norms(config, words);
  add_multipliers(config, words);
  if (config.latent.kv_rank > 0) {
    words.push_back(fmt::format("latent q of {} and k, v of {} channels", config.latent.q_rank,
                                config.latent.kv_rank));
  }
  for (const NotComputed what : config.not_computed) {
    words.push_back(what == NotComputed::unknown ? "what else its code does is not known"
                                                 : fmt::format("not computed: {}", name(what)));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string attention_kinds(const ModelEncoding& model) {
  std::vector<std::pair<std::string, std::vector<size_t>>> kinds;
  for (size_t i = 0; i < model.layers.size(); ++i) {
    const std::string words = in_words(model.layers[i]);
    const auto found = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const auto& kind) { return kind.first == words; });
    if (found == kinds.end()) {
      kinds.push_back({words, {i}});
    } else {
      found->second.push_back(i);
    }
  }
  std::string text;
  for (const auto& [words, layers] : kinds) {
    text += fmt::format("  layer{} {}: {}\n", layers.size() == 1 ? "" : "s", ranges(layers), words);
  }
  return text;
}

}  // namespace ropewalk
