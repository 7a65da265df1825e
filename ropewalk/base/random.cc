#include "ropewalk/base/random.h"

#include <cmath>
#include <numbers>

namespace ropewalk {

std::array<uint32_t, 4> philox4x32(uint64_t key, uint64_t counter) {
  constexpr uint64_t kM0 = 0xD2511F53, kM1 = 0xCD9E8D57;
  constexpr uint32_t kW0 = 0x9E3779B9, kW1 = 0xBB67AE85;
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  std::array<uint32_t, 4> c = {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
                               0, 0};
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = kM0 * c[0], p1 = kM1 * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
    k0 += kW0;
    k1 += kW1;
  }
  return c;
}

float uniform_at(uint64_t seed, uint64_t index) {
  const uint32_t word = philox4x32(seed, index / 4)[index % 4];
  return static_cast<float>(word >> 8) * 0x1p-24f;
}

float normal_at(uint64_t seed, uint64_t index) {
  const auto words = philox4x32(seed, index / 2);
  const size_t half = (index % 2) * 2;
  const double u = (words[half] + 1.0) * 0x1p-32, v = words[half + 1] * 0x1p-32;
  return static_cast<float>(std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v));
}

}  // namespace ropewalk
