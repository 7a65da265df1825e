#pragma once

#include <span>
#include <string>

#include "cli/command.h"

namespace ropewalk::cli {

struct Listed {
  const char* name;
  const char* summary;
  Declare declare;
};

// Those of commands.inc, in its order.
std::span<const Listed> command_list();

// A word that users meet and what it means: an exit code, a variable of the environment.
struct Described {
  const char* name;
  const char* text;
};

// The two commands that main.cc answers itself.
std::span<const Described> other_commands();
std::span<const Described> environment_variables();
std::span<const Described> exit_codes();

// What `ropewalk help` prints: CLI11 would list each command with its whole description.
std::string overview();

}  // namespace ropewalk::cli
