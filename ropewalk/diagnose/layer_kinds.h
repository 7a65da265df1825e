#pragma once

#include <string>
#include <vector>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// A letter for each layer: R, S, T, ... for rotations in the order they appear, A for ALiBi, P for
// sinusoidal, - for none. "SSSSSRSSSSSR" reads off which layers are alike.
std::string layer_letters(const ModelEncoding& model);

// "layers 0..31: rope", or the letters with a line for each and its layers.
std::string layer_map(const ModelEncoding& model);

// One line: "rope, theta 10000, 128 of 128 channels half_split, yarn".
std::string in_a_line(const PositionEncoding& encoding);

}  // namespace ropewalk
