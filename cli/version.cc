#include "cli/version.h"

#include <fmt/format.h>

namespace ropewalk::cli {

std::string version_text() {
  return fmt::format("ropewalk {}\ncommit: {}\nthreads: {}\npictures: {}\n", ROPEWALK_VERSION,
                     kCommit.empty() ? "unknown, not built from a git checkout" : kCommit,
                     ROPEWALK_THREADS, ROPEWALK_PICTURES);
}

}  // namespace ropewalk::cli
