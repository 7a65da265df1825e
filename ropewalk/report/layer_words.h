#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// "0..4, 6, 8..10": numbers in rising order.
std::string ranges(const std::vector<size_t>& numbers);

// One line: "rope, theta 10000, 128 of 128 channels half_split, yarn".
std::string in_a_line(const PositionEncoding& encoding);

// A row for each fact about the model: field, value, where it was read. No heading.
std::vector<std::vector<std::string>> fact_rows(const ModelEncoding& model);

// "layers 0..31: rope", or the letters of layer_letters with a line for each.
std::string layer_map(const ModelEncoding& model);

}  // namespace ropewalk
