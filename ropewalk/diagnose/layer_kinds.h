#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// Layers of a model that know positions in one way.
struct LayerGroup {
  char letter = '-';  // R, S, T, ... for rotations in the order they appear, A for ALiBi, P for
                      // sinusoidal, - for none
  PositionEncoding positions;
  std::vector<size_t> layers;

  bool operator==(const LayerGroup&) const = default;
};

// In the order of their first layers.
std::vector<LayerGroup> groups_of_layers(const ModelEncoding& model);

// The letter of each layer: "SSSSSRSSSSSR" reads off which are alike.
std::string layer_letters(const ModelEncoding& model);

// The layer that is meant where none is named: the first that knows positions, else 0.
int64_t first_with_positions(const ModelEncoding& model);

}  // namespace ropewalk
