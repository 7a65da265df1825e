#pragma once

#include <string>

#include "cli/diagnose_sources.h"
#include "ropewalk/base/tensor.h"

namespace ropewalk::cli {

// cos and sin of --cos and --sin, or of the complex numbers of --freqs-cis.
struct DumpTable {
  Tensor cos, sin;
  std::string files;
  std::string note;  // how it was read, where the rows do not say it
};

DumpTable load_table(const DumpSources& sources);

}  // namespace ropewalk::cli
