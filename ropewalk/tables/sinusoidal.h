#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ropewalk/base/parallel_for.h"
#include "ropewalk/base/tensor_view.h"
#include "ropewalk/encoding/encodings.h"

namespace ropewalk {

// The sinusoidal vectors of any positions (any int64, in any order), into out [positions, d_model]
// f32, bf16 or f16 with any strides:
//   pe(p, 2i) = sin(p / base^(2i/d)),  pe(p, 2i+1) = cos(p / base^(2i/d))
// or another channel order, see SinusoidalLayout. Odd d_model has one more sine than cosines.
// Worked number: d_model 4, position 1 gives [0.841471, 0.540302, 0.0099998, 0.99995].
// Every number is the exact value correctly rounded to the type of out, once.
void sinusoidal(const SinusoidalConfig& config, std::span<const int64_t> positions,
                const TensorView& out, const Parallel& parallel = {});

// Rows of consecutive positions for a caller that wants few of them at a time: the frequencies are
// made once. Safe to share between threads.
class SinusoidalRows {
 public:
  // For calls of at least some 64 rows, `rows` in all.
  SinusoidalRows(const SinusoidalConfig& config, int64_t rows);
  ~SinusoidalRows();

  // Rows of positions first .. first + rows - 1, row-major [rows, d_model].
  void write(int64_t first, int64_t rows, float* out) const;

 private:
  class Writer;
  int64_t d_model_;
  std::unique_ptr<const Writer> writer_;
};

// The same as a row-major vector [positions.size() * d_model].
std::vector<float> sinusoidal(const SinusoidalConfig& config, std::span<const int64_t> positions);

// The naive encodings of the article, for comparison: the position itself as one channel, and
// one-hot vectors of `length` channels (throws out_of_range for a position outside [0, length)).
std::vector<float> integer_encoding(std::span<const int64_t> positions);
std::vector<float> one_hot_encoding(std::span<const int64_t> positions, int64_t length);

}  // namespace ropewalk
