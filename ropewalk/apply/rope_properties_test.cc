// The mathematics of the rotation, at random. Tolerances are multiples of the float32 epsilon 2^-24
// of the norms: one for each rounding on the way.
#include <cmath>

#include <gtest/gtest.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using testing::floats;
using testing::random_tensor;

struct Head {
  int64_t dim;
  RotaryLayout layout;
  Spectrum spectrum;
};

Head draw_head(double attention_scaling = 1) {
  const int64_t dim = 2 * *rc::gen::inRange(1, 65);
  const Pairing pairing = *rc::gen::element(Pairing::half_split, Pairing::interleaved);
  Head head{dim, {dim, {{0, dim, pairing}}}, {}};
  head.spectrum = make_spectrum(
      {.rope_theta = *rc::gen::element(1e4, 5e5, 1e6), .rotary_dim = dim, .layout = head.layout});
  head.spectrum.attention_scaling = attention_scaling;
  return head;
}

Tensor draw_x(const Head& head) {
  return random_tensor({1, 1, head.dim}, *rc::gen::arbitrary<uint32_t>());
}

int64_t draw_position() {
  const int64_t p = *rc::gen::inRange<int64_t>(0, int64_t{1} << *rc::gen::inRange(1, 40));
  return *rc::gen::arbitrary<bool>() ? p : -p;
}

Tensor rotated(const Head& head, const Tensor& x, int64_t position,
               Direction direction = Direction::forward) {
  Tensor y = x;
  apply_rope(head.spectrum, head.layout, positions_from(position), in_place(y.view()), std::nullopt,
             {.direction = direction});
  return y;
}

double dot(const Tensor& a, const Tensor& b) {
  const auto x = floats(a), y = floats(b);
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += double{x[i]} * y[i];
  return sum;
}

double norm(const Tensor& a) { return std::sqrt(dot(a, a)); }

double distance(const Tensor& a, const Tensor& b) {
  const auto x = floats(a), y = floats(b);
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += (double{x[i]} - y[i]) * (double{x[i]} - y[i]);
  return std::sqrt(sum);
}

constexpr double kEpsilon = 0x1p-24;

ROPEWALK_PROPERTY(RopeProperties, KeepsTheNorm, [] {
  const Head head = draw_head();
  const Tensor x = draw_x(head);
  RC_ASSERT(std::fabs(norm(rotated(head, x, draw_position())) - norm(x)) <= 4 * kEpsilon * norm(x));
});

ROPEWALK_PROPERTY(RopeProperties, ScoreDependsOnTheDistanceOnly, [] {
  const Head head = draw_head();
  const Tensor q = draw_x(head), k = draw_x(head);
  const int64_t m = draw_position(), n = draw_position(), shift = draw_position();
  const double a = dot(rotated(head, q, m), rotated(head, k, n));
  const double b = dot(rotated(head, q, m + shift), rotated(head, k, n + shift));
  RC_ASSERT(std::fabs(a - b) <= 6 * kEpsilon * norm(q) * norm(k));
});

ROPEWALK_PROPERTY(RopeProperties, RotationsAddUpInAnyOrder, [] {
  const Head head = draw_head();
  const Tensor x = draw_x(head);
  const int64_t a = draw_position(), b = draw_position();
  const Tensor ab = rotated(head, rotated(head, x, a), b);
  RC_ASSERT(distance(ab, rotated(head, x, a + b)) <= 8 * kEpsilon * norm(x));
  RC_ASSERT(distance(ab, rotated(head, rotated(head, x, b), a)) <= 8 * kEpsilon * norm(x));
});

ROPEWALK_PROPERTY(RopeProperties, PositionZeroIsTheIdentityBitForBit, [] {
  const Head head = draw_head();
  const Tensor x = draw_x(head);
  RC_ASSERT(rotated(head, x, 0).bytes == x.bytes);
});

ROPEWALK_PROPERTY(RopeProperties, InverseUndoesForwardWhateverTheScaling, [] {
  const Head head = draw_head(*rc::gen::element(1.0, 1.2, 1.3465735902799727, 0.5));
  const Tensor x = draw_x(head);
  const int64_t p = draw_position();
  const Tensor back = rotated(head, rotated(head, x, p), p, Direction::inverse);
  RC_ASSERT(distance(back, x) <= 8 * kEpsilon * norm(x));
});

ROPEWALK_PROPERTY(RopeProperties, TransposeIsTheBackwardPass, [] {
  const double scaling = *rc::gen::element(1.0, 1.2, 1.3465735902799727);
  const Head head = draw_head(scaling);
  const Tensor x = draw_x(head), y = draw_x(head);
  const int64_t p = draw_position();
  const double left = dot(rotated(head, x, p), y),
               right = dot(x, rotated(head, y, p, Direction::transpose));
  RC_ASSERT(std::fabs(left - right) <= 8 * kEpsilon * scaling * norm(x) * norm(y));
  // Where the scaling is not 1 the backward pass is not the inverse.
  const Tensor twice = rotated(head, rotated(head, x, p), p, Direction::transpose);
  RC_ASSERT(std::fabs(norm(twice) - scaling * scaling * norm(x)) <=
            8 * kEpsilon * scaling * scaling * norm(x));
});

ROPEWALK_PROPERTY(RopeProperties, InverseIsTheNegativePosition, [] {
  const Head head = draw_head();
  const Tensor x = draw_x(head);
  const int64_t p = draw_position();
  RC_ASSERT(rotated(head, x, p, Direction::inverse).bytes == rotated(head, x, -p).bytes);
  RC_ASSERT(rotated(head, x, p, Direction::transpose).bytes == rotated(head, x, -p).bytes);
});

ROPEWALK_PROPERTY(RopeProperties, IsLinear, [] {
  const Head head = draw_head();
  const Tensor x = draw_x(head), y = draw_x(head);
  const int64_t p = draw_position();
  Tensor sum = x;
  const auto fx = floats(x), fy = floats(y);
  for (size_t i = 0; i < fx.size(); ++i) {
    reinterpret_cast<float*>(sum.bytes.data())[i] = 2 * fx[i] - fy[i];
  }
  Tensor combined = rotated(head, x, p);
  const auto rx = floats(combined), ry = floats(rotated(head, y, p));
  for (size_t i = 0; i < rx.size(); ++i) {
    reinterpret_cast<float*>(combined.bytes.data())[i] = 2 * rx[i] - ry[i];
  }
  RC_ASSERT(distance(rotated(head, sum, p), combined) <= 8 * kEpsilon * (2 * norm(x) + norm(y)));
});

ROPEWALK_PROPERTY(RopeProperties, PairingsAreOneRotationSeenThroughAPermutation, [] {
  Head half = draw_head();
  half.layout.windows[0].pairing = Pairing::half_split;
  Head inter = half;
  inter.layout.windows[0].pairing = Pairing::interleaved;
  const Tensor x = draw_x(half);
  const int64_t p = draw_position();
  Tensor moved = x;
  const auto n = static_cast<size_t>(half.dim / 2);
  const auto source = floats(x);
  auto* out = reinterpret_cast<float*>(moved.bytes.data());
  for (size_t i = 0; i < n; ++i) {
    out[2 * i] = source[i];
    out[2 * i + 1] = source[i + n];
  }
  const auto a = floats(rotated(half, x, p)), b = floats(rotated(inter, moved, p));
  for (size_t i = 0; i < n; ++i) RC_ASSERT(a[i] == b[2 * i] && a[i + n] == b[2 * i + 1]);
});

ROPEWALK_PROPERTY(RopeProperties, TokensTakeTheirPositionsWithThem, [] {
  const Head head = draw_head();
  const std::vector<int64_t> ids = {draw_position(), draw_position(), draw_position()};
  const std::vector<int64_t> reversed(ids.rbegin(), ids.rend());
  const Tensor x = random_tensor({3, 1, head.dim}, 3);
  const auto rotate = [&](const std::vector<int64_t>& positions, bool backwards) {
    Tensor y = x;
    TensorView view = y.view();
    if (backwards) {
      view.data = static_cast<float*>(view.data) + 2 * head.dim;
      view.strides[0] = -head.dim;
    }
    apply_rope(head.spectrum, head.layout,
               positions_of(make_view(static_cast<const void*>(positions.data()), DType::i64, {3})),
               in_place(view));
    return y.bytes;
  };
  RC_ASSERT(rotate(ids, false) == rotate(reversed, true));
});

}  // namespace
}  // namespace ropewalk
