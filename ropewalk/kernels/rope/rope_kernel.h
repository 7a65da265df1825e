#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ropewalk/base/dtype.h"
#include "ropewalk/encoding/position_ids.h"
#include "ropewalk/encoding/rotary_layout.h"
#include "ropewalk/kernels/rows/rows.h"

namespace ropewalk {

// A checked call of apply_rope as plain pointers and byte strides: what the kernel reads. No
// defaults here and below: a job of one token must be cheap to make.
struct RopeTensor {
  const char* in;
  char* out;
  DType dtype;
  int64_t heads;
  int64_t in_strides[4], out_strides[4];  // bytes: batch, token, head, channel
  bool in_place;
  bool packed;  // channels adjacent in input and output
};

// Adjacent channels outside all windows.
struct RopeGap {
  int64_t offset, count;
};

// Rows of a caller's table.
struct RopeTableRows {
  const char* cos = nullptr;
  const char* sin = nullptr;
  DType cos_dtype = DType::f32, sin_dtype = DType::f32;
  int64_t cos_strides[2] = {}, sin_strides[2] = {};  // bytes: row, pair
  int64_t first = 0;
  bool invert = false, negate_sin = false;
  bool as_it_is = false;  // its rows are rows of floats, used where they lie
};

struct RopeJob {
  RopeTensor tensors[2];
  int tensor_count = 1;  // of which filled
  int64_t batch = 0, length = 0, head_dim = 0, pairs = 0, axes = 1;
  std::span<const RotaryWindow>
      windows;  // of the caller's layout; they take the row's pairs in order
  RopeGap gaps[kMaxWindows + 1];
  int gap_count = 0;
  std::vector<int32_t> source_of;  // channel of the output <- channel of the input; empty: the same
  // One of the three sources of rows.
  const RowSource* rows = nullptr;  // on the fly, with steps for runs of positions
  const RowSteps* steps = nullptr;
  const RopeTableRows* table = nullptr;
  const float* token_rows = nullptr;          // [batch, length, 2, pairs]: cos, sin
  int64_t token_rows_per_batch = 0;           // 0: the same for every sequence
  const PositionReader* positions = nullptr;  // for the first two

  bool heads_first = false;  // the tokens of a head lie nearer than the heads of a token
  int64_t prefetch = 0;      // bytes ahead of what is read, 0: none
  bool streamed = false;     // results go around the caches
  bool bf16_in_hardware = false;
};

// Rotates the tokens [begin, end) of batch * length, counted batch by batch.
void rope_tokens(const RopeJob& job, int64_t begin, int64_t end);

// Writes the rows of these tokens, made on the fly, at rows + token 2 pairs: cos, then sin.
void rope_token_rows(const RopeJob& job, int64_t begin, int64_t end, float* rows);

}  // namespace ropewalk
