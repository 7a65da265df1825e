#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace ropewalk::cli {

// Runs what writes much: its progress on standard error where that is a terminal, and SIGINT,
// SIGTERM or SIGHUP stop it where it reports progress, so that what is unfinished is removed before
// the program dies of the signal.
void run_long_task(
    const std::string& what,
    const std::function<void(const std::function<void(uint64_t done, uint64_t total)>&)>& task);

}  // namespace ropewalk::cli
