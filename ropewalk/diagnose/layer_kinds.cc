#include "ropewalk/diagnose/layer_kinds.h"

#include <algorithm>
#include <variant>

namespace ropewalk {

std::vector<LayerGroup> groups_of_layers(const ModelEncoding& model) {
  std::vector<LayerGroup> groups;
  char next = 'R';
  for (size_t i = 0; i < model.layers.size(); ++i) {
    const PositionEncoding& positions = model.layers[i].positions;
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const LayerGroup& group) {
      return group.positions == positions;
    });
    if (known != groups.end()) {
      known->layers.push_back(i);
      continue;
    }
    char letter = '-';
    if (std::holds_alternative<RopeConfig>(positions)) letter = next < 'Z' ? next++ : 'Z';
    if (std::holds_alternative<AlibiConfig>(positions)) letter = 'A';
    if (std::holds_alternative<SinusoidalConfig>(positions)) letter = 'P';
    if (std::holds_alternative<BucketBiasConfig>(positions)) letter = 'B';
    if (std::holds_alternative<RelativeConfig>(positions)) letter = 'D';  // of distances
    groups.push_back({letter, positions, {i}});
  }
  return groups;
}

std::string layer_letters(const ModelEncoding& model) {
  std::string letters(model.layers.size(), '-');
  for (const LayerGroup& group : groups_of_layers(model)) {
    for (const size_t layer : group.layers) letters[layer] = group.letter;
  }
  return letters;
}

int64_t first_with_positions(const ModelEncoding& model) {
  for (size_t i = 0; i < model.layers.size(); ++i) {
    if (!std::holds_alternative<NoEncoding>(model.layers[i].positions)) {
      return static_cast<int64_t>(i);
    }
  }
  return 0;
}

}  // namespace ropewalk
