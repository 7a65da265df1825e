#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/base/parallel_for.h"
#include "ropewalk/encoding/position_ids.h"
#include "ropewalk/encoding/spectrum.h"

namespace ropewalk {

// Which way a call rotates.
enum class Direction {
  forward,    // R(p) x
  inverse,    // undoes forward: R(-p) x / attention_scaling
  transpose,  // the backward pass: attention_scaling R(-p) x, the inverse only where that is 1
};

// The rows of the tokens of one step, made once and used by every layer: what the first apply_rope
// computes on the fly.
struct RopeRows {
  int64_t batch = 0, length = 0, pairs = 0;
  Direction direction = Direction::forward;
  std::vector<float> rows;  // [batch, length, 2, pairs]: cos, then sin, of each token

  bool operator==(const RopeRows&) const = default;
};

// For `batch` sequences of `length` tokens; batch 1 serves any number of sequences at the same
// positions. Throws as apply_rope does for the positions, and resource_limit past 2^40 bytes.
RopeRows make_rope_rows(const Spectrum& spectrum, const PositionIds& positions, int64_t batch,
                        int64_t length, Direction direction = Direction::forward,
                        const Parallel& parallel = {});

// Whether rows may be those of make_rope_rows(spectrum, positions, 1, tokens): they have its shape,
// and its first and last pair of the last token. False for other positions or frequencies, but
// where these agree.
bool may_be_rows_of(const RopeRows& rows, const Spectrum& spectrum, const PositionIds& positions,
                    int64_t tokens);

}  // namespace ropewalk
