#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/encoding/rotary_layout.h"

namespace ropewalk {

// An order that rows of q or k may have been brought into.
struct RowCandidate {
  std::vector<int64_t> source;  // row r is row source[r] of the other
  bool moved = false;           // else as they are
  bool to_half_split = false;
  int64_t heads = 0, head_dim = 0;
  bool wrong_heads = false, whole_head = false, expected = false;
};

// The orders that `rows` rows of q or k of a layer may have, none of them twice: as they are, what
// two layouts ask for, what goes wrong.
std::vector<RowCandidate> row_candidates(const Layer& layer, bool keys, int64_t rows,
                                         const RotaryLayout& a, const RotaryLayout& b);

}  // namespace ropewalk
