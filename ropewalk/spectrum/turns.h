#pragma once

#include <cstdint>

#include "ropewalk/base/fraction.h"
#include "ropewalk/encoding/spectrum.h"

namespace ropewalk {

// Appends inv_freq / (2 pi) modulo one turn, rounded to 2^-192; |inv_freq| <= 2^32, taken exactly.
// Throws invalid_argument for a larger or not finite frequency.
void append_turns(double inv_freq, Turns& turns);

// Appends inv_freq / (2 pi) for inv_freq = whole + fraction, rounded to 2^-192.
void append_turns(uint64_t whole, const Fraction& fraction, Turns& turns);

// The same speed the other way round, for the pair that was appended last: 1 - turn.
void negate_last(Turns& turns);

}  // namespace ropewalk
