#pragma once

#include <array>
#include <cstdint>

namespace ropewalk {

// Philox4x32-10: a counter-based generator. The same key and counter give the same four words on
// any thread and machine, so random numbers can be indexed instead of drawn in order. Source:
// Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
std::array<uint32_t, 4> philox4x32(uint64_t key, uint64_t counter);

// The `index`-th number of stream `seed`, uniform in [0, 1) with 24 bits.
float uniform_at(uint64_t seed, uint64_t index);

// The `index`-th number of stream `seed`, normal with mean 0 and variance 1 (Box-Muller).
float normal_at(uint64_t seed, uint64_t index);

}  // namespace ropewalk
