#pragma once

namespace ropewalk {

// Who reads a type that fits no row: one entry for each line of specials.inc.
enum class Special {
  none,  // the common reader, by the row
#define ROPEWALK_SPECIAL(name) name,
#include "ropewalk/conventions/specials.inc"
#undef ROPEWALK_SPECIAL
};

}  // namespace ropewalk
