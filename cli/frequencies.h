#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk::cli {

// Which layer or part is shown, and for sequences of which length.
struct Shown {
  int64_t layer = 0;
  std::string part = {};  // in the place of a layer
  int64_t seq_len = 0;    // 0: a short one
};

const PositionEncoding& encoding_shown(const ModelEncoding& model, const Shown& shown);

// The context that the positions of what is shown count in: 0 for the patches of a picture.
int64_t context_shown(const ModelEncoding& model, const Shown& shown);

// The frequencies of a layer that rotates, with those of the whole context where the scaling
// depends on the length, and what the scaling does to them; or the slopes of its ALiBi.
void print_frequencies(const ModelEncoding& model, const Shown& shown, bool all);

// The same facts, every pair.
nlohmann::ordered_json frequencies_json(const ModelEncoding& model, const Shown& shown);

}  // namespace ropewalk::cli
