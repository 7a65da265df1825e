#include "ropewalk/diagnose/rotation_cosine.h"

#include <cmath>
#include <vector>

#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

RopeConfig of_width(int64_t head_dim, int64_t dim, Pairing pairing = Pairing::half_split) {
  RopeConfig rope{.rotary_dim = dim};
  rope.layout = {head_dim, {{0, dim, pairing}}};
  return rope;
}

TEST(RotationCosine, WorkedNumbers) {
  const RopeConfig rope = of_width(2, 2), half = of_width(4, 2);
  const Spectrum one = spectrum_from_inv_freq(std::vector<double>{1}),
                 two = spectrum_from_inv_freq(std::vector<double>{2});
  EXPECT_NEAR(rotation_cosine({rope, one}, {rope, two}, 1), std::cos(1), 1e-12);
  EXPECT_NEAR(rotation_cosine({rope, one}, {rope, two}, 3), std::cos(3), 1e-12);
  EXPECT_NEAR(rotation_cosine({rope, one}, {rope, one}, 12345), 1, 1e-12);
  EXPECT_NEAR(rotation_cosine({half, one}, {half, two}, 1), (std::cos(1) + 1) / 2, 1e-12)
      << "two channels pass";
}

TEST(RotationCosine, ScaleIsNoDifference) {
  const RopeConfig rope = of_width(2, 2);
  const Spectrum one = spectrum_from_inv_freq(std::vector<double>{1});
  Spectrum scaled = one;
  scaled.attention_scaling = 1.5;
  EXPECT_NEAR(rotation_cosine({rope, one}, {rope, scaled}, 7), 1, 1e-12);
}

// At position 0 nothing turns; what is written elsewhere is elsewhere.
TEST(RotationCosine, Layouts) {
  const RopeConfig halves = of_width(4, 4), neighbours = of_width(4, 4, Pairing::interleaved);
  const Spectrum spectrum = make_spectrum(halves);
  EXPECT_NEAR(rotation_cosine({halves, spectrum}, {neighbours, spectrum}, 0), 1, 1e-12);
  EXPECT_LT(rotation_cosine({halves, spectrum}, {neighbours, spectrum}, 1), 0.9);
  RopeConfig written = neighbours;
  written.output_layout = halves.layout;
  EXPECT_NEAR(rotation_cosine({neighbours, spectrum}, {written, spectrum}, 0), 0.5, 1e-12)
      << "channels 1 and 2 change places";
  EXPECT_ROPEWALK_ERROR(rotation_cosine({halves, spectrum}, {of_width(8, 4), spectrum}, 1),
                        ErrorCode::invalid_argument, "expected heads of one width, found 4 and 8");
}

}  // namespace
}  // namespace ropewalk
