#pragma once

#include <cstdint>
#include <optional>

#include "ropewalk/diagnose/diagnose_dumps.h"
#include "ropewalk/diagnose/dumps/search.h"

namespace ropewalk {

// Powers of two at which two turnings differ by more than the tolerance.
struct Telling {
  std::optional<int64_t> least, past_the_dump;
};

Telling telling_positions(const Turning& a, const Turning& b, DumpEvidence& evidence);

// The least power of two at which the scaling of `expected` would show, where the dump would be the
// same without it.
std::optional<int64_t> scaling_shows_at(const Turning& expected, DumpEvidence& evidence);

// What the pairs of known places did.
Observed observed_in(const Explanation& places, DumpEvidence& evidence);

}  // namespace ropewalk
