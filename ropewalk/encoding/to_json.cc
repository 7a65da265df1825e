#include "ropewalk/encoding/to_json.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

// ordered_json takes std::string, and dump() throws on what is not UTF-8; names are literals.
ordered_json text(std::string_view value) { return std::string(value); }

ordered_json fields(const NoEncoding&) { return ordered_json::object(); }
template <typename Config>
ordered_json fields(const Config& config) {
  return to_json(config);
}

// null where there is nothing to say.
ordered_json unless(const ordered_json& value, const ordered_json& nothing) {
  return value == nothing ? ordered_json() : value;
}

ordered_json to_json(const Norm& norm, bool of_q_and_k) {
  if (norm.kind == NormKind::none) return ordered_json();
  ordered_json json = {{"kind", text(name(norm.kind))}, {"extent", text(name(norm.extent))}};
  if (of_q_and_k) json["place"] = text(name(norm.place));
  json["eps"] = norm.eps;
  json["weights"] = norm.weights;
  json["unit_offset"] = norm.unit_offset;
  return json;
}

ordered_json to_json(const std::optional<QueryScale>& scale) {
  if (!scale) return ordered_json();
  return {{"rule", text(name(scale->rule))},
          {"beta", scale->beta},
          {"length", scale->length},
          {"offset", scale->offset}};
}

ordered_json to_json(const LatentProjections& latent) {
  if (latent.kv_rank == 0) return ordered_json();
  return {{"q_rank", latent.q_rank}, {"kv_rank", latent.kv_rank}, {"shared_dim", latent.shared_dim},
          {"eps", latent.eps},       {"q_scale", latent.q_scale}, {"kv_scale", latent.kv_scale}};
}

ordered_json runs_of_equal_layers(const std::vector<Layer>& layers) {
  ordered_json runs = ordered_json::array();
  for (size_t first = 0; first < layers.size();) {
    size_t end = first + 1;
    while (end < layers.size() && layers[end] == layers[first]) ++end;
    ordered_json run = {{"first", first}, {"last", end - 1}};
    run.update(to_json(layers[first]));
    runs.push_back(std::move(run));
    first = end;
  }
  return runs;
}

ordered_json to_json(const std::vector<NamedEncoding>& others) {
  ordered_json list = ordered_json::array();
  for (const NamedEncoding& other : others) {
    list.push_back({{"name", other.name}, {"encoding", to_json(other.encoding)}});
  }
  return list;
}

ordered_json to_json(const std::vector<Evidence>& evidence) {
  ordered_json list = ordered_json::array();
  for (const Evidence& fact : evidence) {
    list.push_back({{"field", fact.field}, {"value", fact.value}, {"source", fact.source}});
  }
  return list;
}

}  // namespace

ordered_json to_json(const RotaryLayout& layout) {
  ordered_json windows = ordered_json::array();
  for (const RotaryWindow& window : layout.windows) {
    windows.push_back(
        {{"offset", window.offset}, {"dim", window.dim}, {"pairing", text(name(window.pairing))}});
  }
  return {{"head_dim", layout.head_dim}, {"windows", std::move(windows)}};
}

ordered_json to_json(const RopeConfig& config) {
  ordered_json parameters = ordered_json::object();
  for (const auto& [key, value] : config.parameters) parameters[key] = value;
  for (const auto& [key, values] : config.lists) parameters[key] = values;
  ordered_json json = {{"rope_theta", config.rope_theta},
                       {"rope_type", config.rope_type},
                       {"rotary_dim", config.rotary_dim},
                       {"position_axes", config.position_axes},
                       {"inv_freq_dtype", text(name(config.inv_freq_dtype))},
                       {"parameters", std::move(parameters)},
                       {"mrope_section", config.mrope_section},
                       {"mrope_order", text(name(config.mrope_order))},
                       {"axis_dims", config.axis_dims},
                       {"reversed", config.reversed},
                       {"layout", to_json(config.layout)}};
  if (config.output_layout) json["output_layout"] = to_json(*config.output_layout);
  return json;
}

ordered_json to_json(const AlibiConfig& config) {
  return {{"heads", config.heads},
          {"max_bias", config.max_bias},
          {"first_head", config.first_head},
          {"head_count", config.head_count},
          {"form", text(name(config.form))},
          {"dtype", text(name(config.dtype))},
          {"before_scale", config.before_scale}};
}

ordered_json to_json(const SinusoidalConfig& config) {
  return {{"d_model", config.d_model},
          {"layout", text(name(config.layout))},
          {"base", config.base},
          {"offset", config.offset},
          {"padding_position", config.padding_position}};
}

ordered_json to_json(const LearnedConfig& config) {
  return {{"rows", config.rows},
          {"tables", config.tables},
          {"d_model", config.d_model},
          {"offset", config.offset},
          {"padding_position", config.padding_position},
          {"resampling", text(name(config.resampling))},
          {"tensor", config.tensor}};
}

ordered_json to_json(const BucketBiasConfig& config) {
  return {{"heads", config.heads},
          {"buckets", config.buckets},
          {"max_distance", config.max_distance},
          {"bidirectional", config.bidirectional}};
}

ordered_json to_json(const RelativeConfig& config) {
  return {{"form", text(name(config.form))},
          {"max_distance", unless(config.max_distance, 0)},
          {"buckets", unless(config.buckets, 0)}};
}

ordered_json to_json(const ConvolutionConfig& config) {
  return {{"kernel", config.kernel}, {"groups", config.groups}};
}

ordered_json to_json(const FeatureConfig& config) { return {{"form", text(name(config.form))}}; }

ordered_json to_json(const AttentionConfig& config) {
  ordered_json not_computed = ordered_json::array();
  for (const NotComputed what : config.not_computed) not_computed.push_back(text(name(what)));
  return {{"softmax_scale", unless(config.softmax_scale, 0)},
          {"qk_norm", to_json(config.qk_norm, true)},
          {"v_norm", to_json(config.v_norm, false)},
          {"output_norm", to_json(config.output_norm, false)},
          {"mask", text(name(config.mask))},
          {"window_left", unless(config.window_left, -1)},
          {"window_right", unless(config.window_right, -1)},
          {"chunk", unless(config.chunk, 0)},
          {"softcap", unless(config.softcap, 0)},
          {"sinks", config.sinks},
          {"query_scale", to_json(config.query_scale)},
          {"value_is_key", config.value_is_key},
          {"key_multiplier", config.key_multiplier},
          {"value_multiplier", config.value_multiplier},
          {"clip_qkv", unless(config.clip_qkv, 0)},
          {"output_gate", text(name(config.output_gate))},
          {"latent", to_json(config.latent)},
          {"not_computed", std::move(not_computed)}};
}

ordered_json to_json(const Spectrum& spectrum) {
  return {{"inv_freq", spectrum.inv_freq},
          {"axis", spectrum.axis},
          {"attention_scaling", spectrum.attention_scaling}};
}

ordered_json to_json(const PositionEncoding& encoding) {
  ordered_json result;
  result["kind"] = text(name(encoding));
  result.update(std::visit([](const auto& config) { return fields(config); }, encoding));
  return result;
}

ordered_json to_json(const Layer& layer) {
  return {{"mixer", text(name(layer.mixer))},
          {"heads", layer.heads},
          {"kv_heads", layer.kv_heads},
          {"head_dim", layer.head_dim},
          {"value_dim", layer.value_dim},
          {"encoding", to_json(layer.positions)},
          {"attention", layer.mixer == Mixer::attention ? to_json(layer.attention) : nullptr}};
}

ordered_json to_json(const PatchGrid& patches) {
  return {{"axes", text(name(patches.axes))},
          {"merge", unless(patches.merge, 0)},
          {"first", patches.first},
          {"class_token", patches.class_token}};
}

ordered_json to_json(const MropeRules& rules) {
  return {{"spatial_merge", rules.spatial_merge},
          {"temporal_merge", rules.temporal_merge},
          {"tokens_per_second", rules.tokens_per_second},
          {"frames_apart", rules.frames_apart},
          {"next", text(name(rules.next))}};
}

ordered_json to_json(const ModelEncoding& model) {
  ordered_json json = {
      {"name", model.name},
      {"family", model.family},
      {"model_type", model.model_type},
      {"hidden_size", model.hidden_size},
      {"heads", model.heads},
      {"kv_heads", model.kv_heads},
      {"head_dim", model.head_dim},
      {"max_positions",
       model.max_positions == 0 ? ordered_json() : ordered_json(model.max_positions)},
      {"layer_count", model.layers.size()},
      {"layers", runs_of_equal_layers(model.layers)},
      {"others", to_json(model.others)},
      {"evidence", to_json(model.evidence)},
      {"warnings", model.warnings}};
  if (model.patches) json["patches"] = to_json(*model.patches);
  if (model.mrope) json["mrope"] = to_json(*model.mrope);
  return json;
}

}  // namespace ropewalk
