#pragma once

#include "python/native/rope.h"
#include "python/native/state.h"

namespace ropewalk::python::state {

// What a rope was made from: the rest follows.
template <>
struct Of<Rope> {
  static nb::object write(const Rope& rope);
  static Rope read(nb::handle given);
};

}  // namespace ropewalk::python::state
