#include <cstdio>

#include "ropewalk/apply/rope.h"
#include "ropewalk/spectrum/spectrum.h"

int main() {
  using namespace ropewalk;
  const RotaryLayout layout{4, {{0, 4, Pairing::half_split}}};
  const Spectrum spectrum = make_spectrum({.rope_theta = 10000, .rotary_dim = 4, .layout = layout});
  float q[] = {1, 2, 3, 4};  // [batch 1, seq 1, heads 1, head_dim 4], at position 1
  apply_rope(spectrum, layout, positions_from(1), in_place(make_view(q, DType::f32, {1, 1, 1, 4})));
  std::printf("%.7g %.7g %.7g %.7g\n", q[0], q[1], q[2], q[3]);
}
