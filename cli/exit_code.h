#pragma once

#include "ropewalk/base/error.h"

namespace ropewalk::cli {

constexpr int kUsage = 2, kInput = 3, kIo = 4, kLimit = 5, kInternal = 70;

// What the command ends with after an Error.
int exit_code(ErrorCode code);

}  // namespace ropewalk::cli
