#include "ropewalk/diagnose/layer_kinds.h"

#include <variant>

#include <fmt/format.h>

namespace ropewalk {
namespace {

struct Kind {
  char letter;
  const PositionEncoding* encoding;
  int64_t layers = 0;
};

std::vector<Kind> kinds_of(const ModelEncoding& model) {
  std::vector<Kind> kinds;
  char next = 'R';
  for (const PositionEncoding& layer : layer_positions(model)) {
    bool known = false;
    for (Kind& kind : kinds) {
      if (*kind.encoding != layer) continue;
      ++kind.layers;
      known = true;
      break;
    }
    if (known) continue;
    char letter = '-';
    if (std::holds_alternative<RopeConfig>(layer)) letter = next < 'Z' ? next++ : 'Z';
    if (std::holds_alternative<AlibiConfig>(layer)) letter = 'A';
    if (std::holds_alternative<SinusoidalConfig>(layer)) letter = 'P';
    kinds.push_back({letter, &layer, 1});
  }
  return kinds;
}

}  // namespace

std::string in_a_line(const PositionEncoding& encoding) {
  const auto* rope = std::get_if<RopeConfig>(&encoding);
  if (rope == nullptr) return std::string(name(encoding));
  int64_t channels = 0;
  for (const RotaryWindow& window : rope->layout.windows) channels += window.dim;
  std::string line = fmt::format("rope, theta {}, {} of {} channels {}", rope->rope_theta, channels,
                                 rope->layout.head_dim, name(rope->layout.windows[0].pairing));
  if (rope->rope_type != "default") line += fmt::format(", {}", rope->rope_type);
  if (rope->position_axes > 1) line += fmt::format(", {} axes", rope->position_axes);
  return line;
}

std::string layer_letters(const ModelEncoding& model) {
  const std::vector<Kind> kinds = kinds_of(model);
  std::string letters;
  for (const PositionEncoding& layer : layer_positions(model)) {
    for (const Kind& kind : kinds) {
      if (*kind.encoding != layer) continue;
      letters += kind.letter;
      break;
    }
  }
  return letters;
}

std::string layer_map(const ModelEncoding& model) {
  const std::vector<Kind> kinds = kinds_of(model);
  if (kinds.size() == 1) {
    return fmt::format("layers 0..{}: {}", model.layers.size() - 1,
                       name(model.layers[0].positions));
  }
  std::string map = fmt::format("{} layers: {}", model.layers.size(), layer_letters(model));
  for (const Kind& kind : kinds) {
    map += fmt::format("\n  {}  {} x {}", kind.letter, kind.layers, in_a_line(*kind.encoding));
  }
  return map;
}

}  // namespace ropewalk
