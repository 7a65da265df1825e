#pragma once

#include <cstdint>

#include "ropewalk/kernels/rows/rows.h"

namespace ropewalk {

struct UInt192 {
  uint64_t hi = 0, mid = 0, lo = 0;
};

// |position| * frequency modulo one turn, as quadrant / 4 + r with -1/8 <= r < 1/8 (turns).
struct Phase {
  int quadrant = 0;  // 0..3
  UInt192 r;         // |r| in 2^-192 turns
  bool r_negative = false;
  bool position_negative = false;
};

inline UInt192 negated(const UInt192& a) {
  UInt192 result{~a.hi, ~a.mid, ~a.lo + 1};
  result.mid += result.lo == 0;
  result.hi += result.lo == 0 && result.mid == 0;
  return result;
}

// magnitude * turns[pair] modulo 2^192.
inline UInt192 multiplied(const RowSource& source, int64_t pair, uint64_t magnitude) {
  using Wide = unsigned __int128;
  const Wide low = Wide{magnitude} * source.lo[pair];
  const Wide middle = Wide{magnitude} * source.mid[pair] + static_cast<uint64_t>(low >> 64);
  return {magnitude * source.hi[pair] + static_cast<uint64_t>(middle >> 64),
          static_cast<uint64_t>(middle), static_cast<uint64_t>(low)};
}

// |p| without overflow for the smallest int64.
inline uint64_t magnitude_of(int64_t p) {
  return p < 0 ? ~static_cast<uint64_t>(p) + 1 : static_cast<uint64_t>(p);
}

inline Phase exact_phase(const RowSource& source, int64_t pair, int64_t position) {
  Phase phase;
  phase.position_negative = position < 0;
  phase.r = multiplied(source, pair, magnitude_of(position));
  const uint64_t quadrant = (phase.r.hi + (uint64_t{1} << 61)) >> 62;
  phase.quadrant = static_cast<int>(quadrant & 3);
  phase.r.hi -= quadrant << 62;
  phase.r_negative = phase.r.hi >> 63 != 0;
  if (phase.r_negative) phase.r = negated(phase.r);
  return phase;
}

}  // namespace ropewalk
