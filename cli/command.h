#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace ropewalk::cli {

// A command declares its options on its own CLI::App and returns what to do once they are parsed:
// a function that gives the exit code (0 ok, 1 a difference was found). Faults are thrown as Error.
using Run = std::function<int()>;
using Declare = Run (*)(CLI::App& app);

// One per line of commands.inc, each in a file of its own under commands/.
#define ROPEWALK_COMMAND(name, summary) Run declare_##name(CLI::App& app);
#include "cli/commands.inc"
#undef ROPEWALK_COMMAND

}  // namespace ropewalk::cli
