#include "ropewalk/report/layer_words.h"

#include <variant>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/layer_kinds.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {

std::string ranges(const std::vector<size_t>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += text.empty() ? "" : ", ";
    text += end == i + 1 ? fmt::to_string(numbers[i])
                         : fmt::format("{}..{}", numbers[i], numbers[end - 1]);
    i = end;
  }
  return text;
}

namespace {

// Of the encodings that turn nothing.
struct Words {
  std::string operator()(const NoEncoding&) const { return "none"; }
  std::string operator()(const RopeConfig&) const { return "rope"; }
  std::string operator()(const AlibiConfig&) const { return "alibi"; }
  std::string operator()(const SinusoidalConfig&) const { return "sinusoidal"; }
  std::string operator()(const LearnedConfig& config) const {
    const std::string rows = config.rows > 0 ? fmt::format("{} rows", config.rows) : "rows";
    std::string words = fmt::format(
        "learned, {} of {} of {} numbers",
        config.tables == 1 ? "a table"
                           : fmt::format("{} tables, one for each axis,", config.tables),
        rows, config.d_model);
    if (config.resampling != Resampling::none) {
      words += fmt::format(", resampled to the picture ({})", name(config.resampling));
    }
    if (config.offset > 0) words += fmt::format(", position 0 in row {}", config.offset);
    return words;
  }
  std::string operator()(const BucketBiasConfig& config) const {
    return fmt::format("bucket_bias, {} buckets of distances up to {}, {}", config.buckets,
                       config.max_distance,
                       config.bidirectional ? "to both sides" : "to the keys before");
  }
  std::string operator()(const RelativeConfig& config) const {
    std::string words = fmt::format("relative, {}", name(config.form));
    if (config.max_distance > 0) words += fmt::format(", distances up to {}", config.max_distance);
    if (config.buckets > 0) words += fmt::format(" in {} buckets", config.buckets);
    return words;
  }
  std::string operator()(const ConvolutionConfig& config) const {
    return fmt::format("convolution over {} positions, {} groups", config.kernel, config.groups);
  }
  std::string operator()(const FeatureConfig& config) const {
    return fmt::format("features, {}", name(config.form));
  }
};

}  // namespace

std::string in_a_line(const PositionEncoding& encoding) {
  const auto* rope = std::get_if<RopeConfig>(&encoding);
  if (rope == nullptr) return std::visit(Words{}, encoding);
  int64_t channels = 0;
  for (const RotaryWindow& window : rope->layout.windows) channels += window.dim;
  std::string line = fmt::format("rope, theta {}, {} of {} channels {}", rope->rope_theta, channels,
                                 rope->layout.head_dim, name(rope->layout.windows[0].pairing));
  if (is_scaled(rope->rope_type)) line += fmt::format(", {}", rope->rope_type);
  if (rope->position_axes > 1) line += fmt::format(", {} axes", rope->position_axes);
  return line;
}

std::vector<std::vector<std::string>> fact_rows(const ModelEncoding& model) {
  constexpr size_t kLongestSource = 400;
  std::vector<std::vector<std::string>> rows;
  for (const Evidence& fact : model.evidence) {
    rows.push_back(
        {escaped(fact.field), escaped(fact.value), escaped(fact.source, kLongestSource)});
  }
  return rows;
}

std::string layer_map(const ModelEncoding& model) {
  const std::vector<LayerGroup> groups = groups_of_layers(model);
  if (groups.empty()) return "no layers";
  if (groups.size() == 1) {
    const PositionEncoding& all = groups[0].positions;
    return fmt::format("layers 0..{}: {}", model.layers.size() - 1,
                       std::holds_alternative<RopeConfig>(all) ? "rope" : in_a_line(all));
  }
  std::string map = fmt::format("{} layers: {}", model.layers.size(), layer_letters(model));
  for (const LayerGroup& group : groups) {
    map += fmt::format("\n  {}  {} x {}", group.letter, group.layers.size(),
                       in_a_line(group.positions));
  }
  return map;
}

}  // namespace ropewalk
