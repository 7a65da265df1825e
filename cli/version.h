#pragma once

#include <string>
#include <string_view>

namespace ropewalk::cli {

// The commit that was built, "-dirty" after it where files differ from it; "" where there is none.
// Written by cmake/commit.cmake at each build.
extern const std::string_view kCommit;

// What `ropewalk --version` prints: the version, the commit it was built from where that is known,
// and what of its options was built in.
std::string version_text();

}  // namespace ropewalk::cli
