#pragma once

#include <string>

#include <gtest/gtest.h>

#include "ropewalk/kernels/simd/targets.h"

namespace ropewalk::testing {

// Runs body(name) once for each instruction set of this machine, the kernels capped to it.
template <typename Body>
void for_each_target(Body body) {
  for (const std::string& target : available_targets()) {
    SCOPED_TRACE(target);
    ASSERT_TRUE(cap_target(target));
    body(target);
  }
  cap_target("");
}

}  // namespace ropewalk::testing
