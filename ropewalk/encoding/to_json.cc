#include "ropewalk/encoding/to_json.h"

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

ordered_json runs_of_equal_layers(const std::vector<PositionEncoding>& layers) {
  ordered_json runs = ordered_json::array();
  for (size_t first = 0; first < layers.size();) {
    size_t end = first + 1;
    while (end < layers.size() && layers[end] == layers[first]) ++end;
    runs.push_back({{"first", first}, {"last", end - 1}, {"encoding", to_json(layers[first])}});
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

ordered_json to_json(const Spectrum& spectrum) {
  return {{"inv_freq", spectrum.inv_freq},
          {"axis", spectrum.axis},
          {"attention_scaling", spectrum.attention_scaling},
          {"softmax_scale",
           spectrum.softmax_scale == 0 ? ordered_json() : ordered_json(spectrum.softmax_scale)}};
}

ordered_json to_json(const PositionEncoding& encoding) {
  ordered_json result;
  result["kind"] = text(name(encoding));
  result.update(std::visit([](const auto& config) { return fields(config); }, encoding));
  return result;
}

ordered_json to_json(const ModelEncoding& model) {
  return {{"name", model.name},
          {"family", model.family},
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
}

}  // namespace ropewalk
