#include "cli/version.h"

#include <fmt/format.h>

#include "ropewalk/base/version.h"

namespace ropewalk::cli {

std::string version_text() {
  return fmt::format("ropewalk {}\ncommit: {}\nproducts: {}\npictures: {}\n", ROPEWALK_VERSION,
                     kCommit.empty() ? "unknown, not built from a git checkout" : kCommit,
                     ROPEWALK_BLAS, ROPEWALK_PICTURES);
}

}  // namespace ropewalk::cli
