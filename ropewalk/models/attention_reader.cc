#include "ropewalk/models/attention_reader.h"

#include <cmath>

#include <fmt/format.h>

#include "ropewalk/dialects/notes.h"
#include "ropewalk/models/shared_attention.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

constexpr double kMostScale = 1e6;

void set_window(const AttentionRule& rule, int64_t window, bool rotates, const LayerKind* kind,
                AttentionConfig& attention) {
  const bool windowed = rule.window.all_layers || (rule.window.unrotated_only && !rotates) ||
                        (rule.window.rotated_only && rotates) ||
                        (kind != nullptr && kind->windowed);
  if (window == 0 || !windowed) return;
  if (rule.window.halved) {
    attention.window_left = (window + 1) / 2 - 1;
    attention.window_right = window / 2;
    return;
  }
  const bool both = attention.mask == Mask::full;
  const bool halved = !rule.bidirectional_key.empty() && both;
  attention.window_left = halved ? window / 2 + rule.window.beyond_half
                          : both ? window
                                 : window - 1;
  attention.window_right = both ? attention.window_left : 0;
}

double scale_of_layer(const SharedAttention& shared, const Layer& layer) {
  const double plain = shared.config.softmax_scale != 0
                           ? shared.config.softmax_scale
                           : 1 / std::sqrt(static_cast<double>(layer.head_dim));
  const auto* rope = std::get_if<RopeConfig>(&layer.positions);
  const double scaled = rope == nullptr ? 1 : softmax_factor(*rope);
  const double scale = plain * scaled * shared.factor;
  if (!(scale > 0 && scale <= kMostScale)) {
    refuse(ErrorCode::malformed, shared.scale_source,
           fmt::format("expected a softmax scale above 0 and at most {:g}, found {:.7g} x {:.7g}",
                       kMostScale, plain, scaled));
  }
  return scale;
}

void note_scaled(ModelEncoding& model) {
  for (const Layer& layer : model.layers) {
    const auto* rope = std::get_if<RopeConfig>(&layer.positions);
    if (rope == nullptr || softmax_factor(*rope) == 1) continue;
    note(model, "softmax_scale", fmt::format("{:.7g}", layer.attention.softmax_scale),
         fmt::format("derived: head_dim^-0.5, times {:.7g} of the scaling", softmax_factor(*rope)));
    return;
  }
}

// Heads and their widths, where nothing else gave the layer its own.
void set_heads(const SharedAttention& shared, const ModelEncoding& model, Layer& layer) {
  const auto* rope = std::get_if<RopeConfig>(&layer.positions);
  if (layer.heads == 0) layer.heads = model.heads;
  if (layer.kv_heads == 0) layer.kv_heads = model.kv_heads;
  if (layer.head_dim == 0) {
    layer.head_dim = rope == nullptr ? model.head_dim : rope->layout.head_dim;
  }
  if (layer.value_dim == 0) {
    layer.value_dim = layer.head_dim == model.head_dim ? shared.value_dim : layer.head_dim;
  }
}

void set_attention(const AttentionRule& rule, const SharedAttention& shared, const LayerFacts& fact,
                   Layer& layer) {
  const bool rotates = std::holds_alternative<RopeConfig>(layer.positions);
  AttentionConfig& attention = layer.attention = shared.config;
  if (rule.qk_norm.rotating_layers_only && !rotates) attention.qk_norm = {};
  set_window(rule, shared.window, rotates, fact.kind, attention);
  attention.value_is_key = shared.value_is_key && attention.window_left < 0;
  if (rule.sinks_in_windows_only && attention.window_left < 0) attention.sinks = false;
  if (rotates) attention.chunk = shared.chunk;
  attention.query_scale = rotates ? fact.query_scale : shared.unrotated_scale;
}

}  // namespace

void resolve_attention(const StatedModel& stated, const ModelType& type, const Defaults& defaults,
                       ModelEncoding& model, std::span<const LayerFacts> facts) {
  const SharedAttention shared = shared_attention(stated, type, defaults, model);
  for (size_t i = 0; i < model.layers.size(); ++i) {
    Layer& layer = model.layers[i];
    const LayerFacts fact = facts.empty() ? LayerFacts{} : facts[i];
    if (fact.kind != nullptr && layer.mixer == Mixer::attention) layer.mixer = fact.kind->mixer;
    if (layer.mixer != Mixer::attention) continue;
    set_heads(shared, model, layer);
    set_attention(type.attention, shared, fact, layer);
    layer.attention.softmax_scale = scale_of_layer(shared, layer);
    if (static_cast<int64_t>(i) >= shared.first_sharing) {
      layer.attention.not_computed.push_back(NotComputed::shared_keys);
    }
  }
  note_scaled(model);
  if (!type.remark.empty()) note(model, "remark", std::string(type.remark), defaults.code);
}

}  // namespace ropewalk
