#include <cstdio>
#include <numbers>
#include <variant>

#include "ropewalk/all.h"

// In how many positions the slowest pair of a model turns once: beyond that, it has seen them all.
int main() {
  using namespace ropewalk;
  const ModelEncoding model = preset("llama-3-8b");
  const Spectrum spectrum = make_spectrum(std::get<RopeConfig>(model.layers[0].positions));
  std::printf("%.7g\n", 2 * std::numbers::pi / spectrum.inv_freq.back());
}
