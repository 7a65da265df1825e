#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ropewalk/base/tensor.h"
#include "ropewalk/encoding/encodings.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/encoding/position_ids.h"
#include "ropewalk/encoding/spectrum.h"

namespace ropewalk::cli {

// The rotary encoding of a layer, ready to use. Throws invalid_argument for a layer without one.
struct Rotary {
  RopeConfig config;
  Spectrum spectrum;
};
Rotary rotary_of(const ModelEncoding& model, int64_t layer = 0);

// One layer; throws invalid_argument naming the number of layers.
const Layer& layer_at(const ModelEncoding& model, int64_t layer);

// The encoding of one layer; throws invalid_argument naming the number of layers.
const PositionEncoding& layer_of(const ModelEncoding& model, int64_t layer);

// Position ids from --positions or --token-ids, kept alive by the tensor.
struct Positions {
  Tensor ids;
  PositionIds view() const { return positions_of(ids.view()); }
};

// The length of each sequence of x [batch, seq, heads, head_dim], which some scalings (dynamic,
// longrope) depend on.
std::vector<int64_t> lengths_of(const Positions& positions, const ConstTensorView& x,
                                const RopeConfig& rope);

// `positions` (numbers or an .npy file), else the rule of ChatGLM-6B on `token_ids` (an .npy file
// of one sequence), else 0, 1, 2, ... for `length` tokens. A model that turns on two axes never
// takes a plain run.
Positions read_positions(const std::string& positions, const std::string& token_ids, int64_t length,
                         int64_t axes);

}  // namespace ropewalk::cli
