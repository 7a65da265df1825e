#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ropewalk {

// The instruction sets that this build has and this machine can run, best first: "AVX3_BF16"
// (AVX-512 with its conversions to bf16), "AVX3" (AVX-512), "AVX2", "SSE4", ..., "SCALAR".
std::vector<std::string> available_targets();

// Lets all kernels of the process use nothing better than `target`; "" lifts the cap. Results never
// depend on it, only speed does. Not to be called while kernels run.
// False, and nothing is changed, for a name that is not available.
bool cap_target(std::string_view target);

// Whether kernels may use the conversions of AVX512-BF16: the machine has them and no cap forbids.
bool bf16_conversion_allowed();

// Sizes of the caches as the operating system tells them; 1 MB and 32 MB where it does not.
int64_t second_level_cache_in_bytes();
int64_t last_level_cache_in_bytes();

// Whether fetching memory ahead of a linear pass is worth its instructions: not on AMD's, which
// fetch beyond the page themselves.
bool prefetch_pays();

}  // namespace ropewalk
