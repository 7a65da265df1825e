#include "ropewalk/diagnose/rotation_cosine.h"

#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

using Matrix = std::map<std::pair<int64_t, int64_t>, double>;

int64_t second_of(const RotaryWindow& window, int64_t i) {
  return window.offset + (window.pairing == Pairing::half_split ? i + window.dim / 2 : 2 * i + 1);
}
int64_t first_of(const RotaryWindow& window, int64_t i) {
  return window.offset + (window.pairing == Pairing::half_split ? i : 2 * i);
}

Matrix matrix_of(const Rotation& rotation, int64_t position) {
  const RotaryLayout& from = rotation.rope.layout;
  const RotaryLayout& to = rotation.rope.output_layout ? *rotation.rope.output_layout : from;
  const double scale = rotation.spectrum.attention_scaling;
  Matrix matrix;
  for (int64_t i = 0; i < from.head_dim; ++i) matrix[{i, i}] = 1;
  size_t pair = 0;
  for (size_t w = 0; w < from.windows.size(); ++w) {
    for (int64_t i = 0; i < from.windows[w].dim / 2; ++i, ++pair) {
      const int64_t x = first_of(from.windows[w], i), y = second_of(from.windows[w], i);
      const int64_t u = first_of(to.windows[w], i), v = second_of(to.windows[w], i);
      const double angle = std::remainder(
          static_cast<double>(position) * rotation.spectrum.inv_freq[pair], 2 * std::numbers::pi);
      matrix.erase({x, x});
      matrix.erase({y, y});
      matrix[{u, x}] = scale * std::cos(angle);
      matrix[{u, y}] = -scale * std::sin(angle);
      matrix[{v, x}] = scale * std::sin(angle);
      matrix[{v, y}] = scale * std::cos(angle);
    }
  }
  return matrix;
}

double inner(const Matrix& a, const Matrix& b) {
  double sum = 0;
  for (const auto& [place, value] : a) {
    const auto found = b.find(place);
    if (found != b.end()) sum += value * found->second;
  }
  return sum;
}

}  // namespace

double rotation_cosine(const Rotation& a, const Rotation& b, int64_t position) {
  if (a.rope.layout.head_dim != b.rope.layout.head_dim) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("rotation_cosine: expected heads of one width, found {} and {}",
                            a.rope.layout.head_dim, b.rope.layout.head_dim));
  }
  const Matrix x = matrix_of(a, position), y = matrix_of(b, position);
  return inner(x, y) / std::sqrt(inner(x, x) * inner(y, y));
}

}  // namespace ropewalk
