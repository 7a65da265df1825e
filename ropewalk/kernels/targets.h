#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ropewalk {

// The instruction sets that this build has and this machine can run, best first: "AVX3" (AVX-512),
// "AVX2", "SSE4", ..., "SCALAR".
std::vector<std::string> available_targets();

// Lets all kernels of the process use nothing better than `target`; "" lifts the cap. Results never
// depend on it, only speed does. Not to be called while kernels run.
// Throws invalid_argument listing the available ones for any other name.
void cap_target(std::string_view target);

}  // namespace ropewalk
