#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ropewalk/attention/head_counts.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/encoding/position_ids.h"
#include "ropewalk/report/shown.h"

namespace ropewalk::cli {

// The layer of --layer: throws as ropewalk's layer_at, naming the option.
const Layer& layer_option(const ModelEncoding& model, int64_t layer);

// The part of --part: throws as ropewalk's part_at, naming the option.
const NamedEncoding& part_option(const ModelEncoding& model, const std::string& name);

// What rotates a part. Throws unsupported for one that does something else.
const RopeConfig& rope_of_part(const NamedEncoding& part, const std::string& model);

// Of rotate and attend.
inline constexpr const char* kSeqLenHelp =
    "the length of every sequence, for scalings that depend on it: longrope, dynamic (1 + the "
    "largest position of each sequence; transformers takes the largest of the batch for all)";

// The length of --seq-len, at least 1; 0 where none was given.
int64_t seq_len_option(const std::string& text);

// A word on standard error where a length was given and changes nothing.
void warn_of_ignored_length(const RopeConfig& rope, int64_t seq_len);

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
// of one sequence), else 0, 1, 2, ... for `length` tokens. A layer that turns on several axes never
// takes the last, and one list for all of them only as one_list_of_positions says. `rope` is null
// for a layer that does not turn.
Positions read_positions(const std::string& positions, const std::string& token_ids, int64_t length,
                         const RopeConfig* rope);

// The token ids of one sequence, i4 or i8 [tokens].
std::vector<int64_t> read_token_ids(const std::string& path);

}  // namespace ropewalk::cli
