#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ropewalk/attention/head_counts.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/encoding/position_ids.h"

namespace ropewalk::cli {

// The layer of --layer: throws as ropewalk's layer_at, naming the option.
const Layer& layer_option(const ModelEncoding& model, int64_t layer);

// Refuses an array of a file whose heads lie on another axis than the layout says, unless the user
// gave the layout; warns of a count of heads that the layer does not have.
void check_head_count(const Layer& layer, const NamedHeads& heads, const std::string& file,
                      std::optional<TensorLayout> given);

// Position ids from --positions or --token-ids, kept alive by the tensor.
struct Positions {
  Tensor ids;
  PositionIds view() const { return positions_of(ids.view()); }
};

// `positions` (numbers or an .npy file), else the rule of ChatGLM-6B on `token_ids` (an .npy file
// of one sequence), else 0, 1, 2, ... for `length` tokens. A model that turns on two axes never
// takes a plain run.
Positions read_positions(const std::string& positions, const std::string& token_ids, int64_t length,
                         int64_t axes);

// The token ids of one sequence, i4 or i8 [tokens].
std::vector<int64_t> read_token_ids(const std::string& path);

}  // namespace ropewalk::cli
