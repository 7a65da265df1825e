#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ropewalk/attention/attention.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk::cli {

// What the command line gives beside a model's layer.
struct AttendInput {
  std::string q, k, v, positions, token_ids, key_mask, layout;
  std::string q_norm, k_norm, sinks, bucket_bias;  // learned numbers of the layer
  int64_t prefix = -1;                             // -1: not given
  int64_t seq_len = 0;                             // of every sequence; 0: its own
  bool normed = false;                             // the norm before the rotation was done
  bool bf16 = false;
};

struct Attended {
  std::optional<Tensor> scores, out;
};

// q, k and v from files through the layer: norms, rotation, scores, softmax. Throws
// invalid_argument for an option that the layer needs or cannot use, malformed naming the files for
// their shapes.
Attended attend_arrays(const Layer& layer, const AttendInput& input, bool want_scores,
                       bool want_output);

// A line on standard error while long work goes on; empty where that is no terminal.
std::function<void(double done, double all)> attend_progress();

// The key mask of a file, if one is given.
std::optional<Tensor> read_key_mask(const std::string& path);

// How many tokens of a prompt all may see, of a layer whose mask is prefix: what is given, else the
// index of bos in the token ids. Throws invalid_argument where neither is there, and for a prefix
// that the layer cannot use.
int64_t prefix_of(const Layer& layer, int64_t given, const std::string& token_ids);

// ALiBi counts tokens; positions that are given would go nowhere.
void check_positions_matter(const Layer& layer, const std::string& positions,
                            const std::string& token_ids);

}  // namespace ropewalk::cli
