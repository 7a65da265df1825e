#pragma once

#include <string>

#include "cli/diagnose_sources.h"

namespace ropewalk::cli {

// Compares the sinusoidal vectors of --sinusoidal with those that MODEL adds to its input, or
// without MODEL with those of the paper, and prints what is wrong. The exit code: 1 for a fault.
int diagnose_vectors(const DumpSources& sources);

}  // namespace ropewalk::cli
