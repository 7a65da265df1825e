#include "ropewalk/dialects/gguf_attention.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "ropewalk/conventions/llama_cpp.h"

namespace ropewalk {
namespace {

constexpr IntegerRule kWindow{0};

// Whether q and k are normed follows from the tensors, where the header lists any of a layer.
void read_norm(GgufKeys& keys, const AttentionRule& attention, StatedAttention& stated) {
  const NormRule& rule = attention.qk_norm;
  if (!rule.eps_key.empty() && attention.norms()) {
    stated.norm_eps =
        keys.said_number(rule.norm.kind == NormKind::layer ? "attention.layer_norm_epsilon"
                                                           : "attention.layer_norm_rms_epsilon",
                         kEps);
  }
  if (rule.on.key.empty()) return;
  const auto& tensors = keys.file().tensors();
  const auto layer = tensors.lower_bound("blk.");
  if (layer == tensors.end() || !layer->first.starts_with("blk.")) return;
  const bool normed = std::any_of(tensors.begin(), tensors.end(), [](const auto& tensor) {
    return tensor.first.ends_with(".attn_q_norm.weight");
  });
  const std::string key = "tensor blk.0.attn_q_norm.weight";
  stated.normed = {normed, keys.file().label() + ": " + key, key};
}

// query_pre_attn_scalar as llama.cpp has it: no key states it.
Said<double> gemma_scale(GgufKeys& keys, const StatedSize& size, std::optional<int64_t> head_dim) {
  const LlamaCppArchitecture* code = find_llama_cpp(keys.architecture());
  const bool wide = code != nullptr && code->wide_scale_layers > 0 &&
                    size.layers.value_or(0) == code->wide_scale_layers;
  const auto scalar = wide && size.hidden_size && size.heads
                          ? std::optional(*size.hidden_size / *size.heads)
                          : head_dim;
  if (!scalar) return {};
  return {static_cast<double>(*scalar),
          fmt::format("{}: llama.cpp: {}", keys.file().label(),
                      wide ? "hidden_size / heads at this size" : "head_dim"),
          {}};
}

}  // namespace

bool is_absorbed(GgufKeys& keys) { return keys.integer("attention.key_length_mla").has_value(); }

StatedAttention gguf_attention(GgufKeys& keys, const ModelType& type, const StatedModel& model,
                               std::optional<int64_t> head_dim) {
  const AttentionRule& rule = type.attention;
  StatedAttention stated;
  read_norm(keys, rule, stated);
  if (rule.scale.key == "query_pre_attn_scalar") {
    stated.softmax_scale = gemma_scale(keys, model.size, head_dim);
  } else if (!rule.scale.inverse_root && !rule.scale.key.empty()) {
    stated.softmax_scale = keys.said_number("attention.scale", kPositiveFloat);
  }
  if (!rule.softcap.key.empty()) {
    stated.softcap = keys.said_number("attn_logit_softcapping", kPositiveFloat);
  }
  if (!rule.clip_qkv.key.empty()) {
    stated.clip_qkv = keys.said_number("attention.clamp_kqv", kPositiveFloat);
  }
  if (!rule.window.key.empty()) {
    stated.window = keys.said_integer("attention.sliding_window", kWindow);
    if (rule.window.key == "sliding_window" && stated.window.value_or(0) == 0) {
      stated.window.value.reset();
      stated.window.null = true;
    }
  }
  if (type.latent.rope_dim > 0 && !type.value_dim.key.empty()) {
    stated.value_dim = keys.said_integer(
        is_absorbed(keys) ? "attention.value_length_mla" : "attention.value_length", kChannels);
  }
  return stated;
}

}  // namespace ropewalk
