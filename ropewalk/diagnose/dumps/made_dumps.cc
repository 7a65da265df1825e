#include "ropewalk/diagnose/dumps/made_dumps.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/base/error.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

std::span<float> numbers(Tensor& tensor) {
  return {reinterpret_cast<float*>(tensor.bytes.data()), tensor.bytes.size() / sizeof(float)};
}

// A head that is nothing but pairs, halves of it.
ExpectedRotation of_pairs_alone(ExpectedRotation expected, int64_t pairs) {
  expected.rope.layout = {2 * pairs, {{0, 2 * pairs, Pairing::half_split}}};
  expected.rope.output_layout.reset();
  return expected;
}

// The pairs (1, 0) of `tokens` heads.
Tensor unit_pairs(int64_t batch, int64_t tokens, int64_t pairs) {
  Tensor tensor = make_tensor(DType::f32, {batch, tokens, 1, 2 * pairs});
  const std::span<float> values = numbers(tensor);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = i % static_cast<size_t>(2 * pairs) < static_cast<size_t>(pairs) ? 1.0f : 0.0f;
  }
  return tensor;
}

// Whether column i and column `other(i)` hold the same numbers for all of `pairs` pairs.
template <typename First, typename Second>
bool alike(std::span<const float> values, int64_t columns, First first, Second second) {
  for (size_t row = 0; row < values.size(); row += static_cast<size_t>(columns)) {
    for (int64_t i = 0; i < columns / 2; ++i) {
      if (values[row + static_cast<size_t>(first(i))] !=
          values[row + static_cast<size_t>(second(i))]) {
        return false;
      }
    }
  }
  return true;
}

// Of `pairs` pairs; 0: of as many as the columns show.
RowForm form_of(std::span<const float> cos, std::span<const float> sin, int64_t columns,
                int64_t given_pairs) {
  if (columns == given_pairs) return RowForm::half;
  const int64_t pairs = given_pairs > 0 ? given_pairs : columns / 2;
  const auto halves = [&](std::span<const float> values) {
    return alike(
        values, columns, [](int64_t i) { return i; }, [&](int64_t i) { return i + pairs; });
  };
  const auto neighbours = [&](std::span<const float> values) {
    return alike(
        values, columns, [](int64_t i) { return 2 * i; }, [](int64_t i) { return 2 * i + 1; });
  };
  if (given_pairs == 0 && columns % 2 != 0) return RowForm::half;
  if (columns == 2 * pairs && halves(cos) && halves(sin)) return RowForm::doubled;
  if (columns == 2 * pairs && neighbours(cos) && neighbours(sin)) return RowForm::interleaved;
  if (given_pairs == 0) return RowForm::half;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format(
          "cos: expected {} numbers a row, one for each pair, or {}, each twice (in halves or in "
          "neighbours), found {}{}",
          pairs, 2 * pairs, columns, columns == 2 * pairs ? " that repeat in neither way" : ""));
}

// Rows and tokens of a table.
struct TableShape {
  int64_t batch = 1, tokens = 0, columns = 0;
};

TableShape shape_of_table(const Dims& shape) {
  const int rank = shape.size();
  TableShape result{.tokens = shape[rank - 2], .columns = shape.back()};
  // [B, S, 1, C] and [S, 1, 1, C]: broadcast over heads and batch.
  const bool heads_last = rank == 4 && shape[2] == 1;
  if (heads_last) result.tokens = shape[1] == 1 ? shape[0] : shape[1];
  result.batch = num_elements(shape) / std::max<int64_t>(1, result.columns * result.tokens);
  return result;
}

MadeDump made_of_table(const ConstTensorView& cos, const ConstTensorView& sin,
                       int64_t given_pairs) {
  if (cos.shape != sin.shape || cos.shape.size() < 2) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("sin: expected the shape of cos, [seq, columns] or more, found {} and {}",
                    to_string(cos.shape), to_string(sin.shape)));
  }
  const TableShape shape = shape_of_table(cos.shape);
  if (shape.columns < 1 || shape.tokens < 1) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("cos: expected some numbers, found shape {}", to_string(cos.shape)));
  }
  Tensor wide_cos = converted(cos, DType::f32), wide_sin = converted(sin, DType::f32);
  const std::span<const float> c = numbers(wide_cos), s = numbers(wide_sin);
  const RowForm form = form_of(c, s, shape.columns, given_pairs);
  const int64_t pairs = form == RowForm::half ? shape.columns : shape.columns / 2;
  MadeDump made{.before = unit_pairs(shape.batch, shape.tokens, pairs),
                .after = make_tensor(DType::f32, {shape.batch, shape.tokens, 1, 2 * pairs}),
                .expected = {},
                .form = form,
                .rounded_to = cos.dtype};
  const std::span<float> out = numbers(made.after);
  for (int64_t row = 0; row < shape.batch * shape.tokens; ++row) {
    for (int64_t i = 0; i < pairs; ++i) {
      const auto from =
          static_cast<size_t>(row * shape.columns + (form == RowForm::interleaved ? 2 * i : i));
      out[static_cast<size_t>(row * 2 * pairs + i)] = c[from];
      out[static_cast<size_t>(row * 2 * pairs + pairs + i)] = s[from];
    }
  }
  return made;
}

// What frequencies make of chosen positions, times `amplitude`.
MadeDump made_of_frequencies(const ConstTensorView& inv_freq, double amplitude) {
  constexpr int64_t kRun = 32, kFarthest = int64_t{1} << 17;
  const int64_t pairs = inv_freq.shape[0];
  MadeDump made;
  for (int64_t p = 0; p < kRun; ++p) made.positions.push_back(p);
  for (int64_t p = kRun; p <= kFarthest; p *= 2) made.positions.push_back(p);
  const int64_t tokens = std::ssize(made.positions);
  made.before = unit_pairs(1, tokens, pairs);
  made.after = make_tensor(DType::f32, {1, tokens, 1, 2 * pairs});
  Tensor wide = converted(inv_freq, DType::f64);
  const std::span<float> out = numbers(made.after);
  for (int64_t t = 0; t < tokens; ++t) {
    for (int64_t i = 0; i < pairs; ++i) {
      double w = 0;
      std::memcpy(&w, wide.bytes.data() + static_cast<size_t>(i) * sizeof(double), sizeof(double));
      const double angle = w * static_cast<double>(made.positions[static_cast<size_t>(t)]);
      out[static_cast<size_t>(t * 2 * pairs + i)] = static_cast<float>(amplitude * std::cos(angle));
      out[static_cast<size_t>(t * 2 * pairs + pairs + i)] =
          static_cast<float>(amplitude * std::sin(angle));
    }
  }
  return made;
}

}  // namespace

MadeDump undone(const ConstTensorView& reference, TensorLayout layout, const PositionIds& positions,
                const ExpectedRotation& expected) {
  MadeDump made{.before = converted(reference, DType::f32),
                .after = {},
                .expected = expected,
                .rounded_to = reference.dtype};
  if (!expected.rotates) return made;
  rotate(expected.rope, positions, in_place(made.before.view()), std::nullopt,
         {.tensor_layout = layout, .direction = Direction::inverse, .seq_len = expected.seq_len});
  // The angles of the reference may have been float32.
  const ConstTensorView x = as_bshd(reference, layout, "reference");
  const Spectrum spectrum = make_spectrum(expected.rope, expected.seq_len);
  const PositionTable table =
      position_table(positions, x.shape[0], x.shape[1], axis_count(spectrum));
  int64_t farthest = 0;
  for (const int64_t p : table.ids) farthest = std::max(farthest, std::abs(p));
  double fastest = 0;
  for (const double w : spectrum.inv_freq) fastest = std::max(fastest, std::abs(w));
  made.uncertainty = static_cast<double>(farthest) * fastest * 0x1p-23;
  return made;
}

MadeDump dump_of_table(const ConstTensorView& cos, const ConstTensorView& sin,
                       const ExpectedRotation& expected) {
  const int64_t pairs = std::ssize(make_spectrum(expected.rope, expected.seq_len).inv_freq);
  MadeDump made = made_of_table(cos, sin, pairs);
  made.expected = of_pairs_alone(expected, pairs);
  return made;
}

MadeDump dump_of_table(const ConstTensorView& cos, const ConstTensorView& sin) {
  return made_of_table(cos, sin, 0);
}

ComplexParts parts_of_complex(const ConstTensorView& numbers) {
  const int rank = numbers.shape.size();
  if (rank < 2 || numbers.shape.back() != 2) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("complex table: expected complex numbers [seq, pairs], or their real "
                            "and imaginary parts [seq, pairs, 2], found real numbers {}",
                            to_string(numbers.shape)));
  }
  ConstTensorView part{numbers.data, numbers.dtype, {}, {}};
  for (int i = 0; i + 1 < rank; ++i) {
    part.shape.push_back(numbers.shape[i]);
    part.strides.push_back(numbers.strides[i]);
  }
  ComplexParts parts{.cos = contiguous_copy(part), .sin = {}};
  part.data = static_cast<const char*>(numbers.data) +
              numbers.strides[rank - 1] * static_cast<int64_t>(size_in_bytes(numbers.dtype));
  parts.sin = contiguous_copy(part);
  return parts;
}

MadeDump dump_of_frequencies(const ConstTensorView& inv_freq, const ExpectedRotation& expected) {
  const Spectrum spectrum = make_spectrum(expected.rope, expected.seq_len);
  const int64_t pairs = std::ssize(spectrum.inv_freq);
  if (inv_freq.shape.size() != 1 || inv_freq.shape[0] != pairs) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("inv_freq: expected [{}], one number for each pair, found {}", pairs,
                            to_string(inv_freq.shape)));
  }
  // A list says nothing of amplitudes, nor of what a length would change.
  MadeDump made = made_of_frequencies(inv_freq, spectrum.attention_scaling);
  made.expected = of_pairs_alone(expected, pairs);
  return made;
}

MadeDump dump_of_frequencies(const ConstTensorView& inv_freq) {
  if (inv_freq.shape.size() != 1 || inv_freq.shape[0] < 1) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("inv_freq: expected [pairs], one number for each pair, found {}",
                            to_string(inv_freq.shape)));
  }
  return made_of_frequencies(inv_freq, 1);
}

RopeConfig of_width(RopeConfig rope, int64_t width) {
  if (rope.layout.windows.size() != 1 || rope.layout.head_dim == width) return rope;
  for (RotaryLayout* layout : {&rope.layout, rope.output_layout ? &*rope.output_layout : nullptr}) {
    if (layout == nullptr || layout->windows[0].dim != width) continue;
    layout->head_dim = width;
    layout->windows[0].offset = 0;
  }
  return rope;
}

}  // namespace ropewalk
