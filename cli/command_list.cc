#include "cli/command_list.h"

#include <string_view>

#include <fmt/format.h>

#include "ropewalk/report/columns.h"

namespace ropewalk::cli {
namespace {

constexpr Listed kCommands[] = {
#define ROPEWALK_COMMAND(name, summary) {#name, summary, declare_##name},
#include "cli/commands.inc"
#undef ROPEWALK_COMMAND
};

constexpr Described kOtherCommands[] = {
    {"help", "this list; ropewalk COMMAND --help for one of them"},
    {"version", "the version, its commit and what it was built with"},
};

constexpr Described kEnvironment[] = {
    {"ROPEWALK_TARGET", "caps the instruction set"},
    {"OMP_NUM_THREADS", "caps the threads"},
};

constexpr Described kExitCodes[] = {
    {"0", "ok"},
    {"1", "a difference was found"},
    {"2", "usage"},
    {"3", "bad or unsupported input file"},
    {"4", "input or output"},
    {"5", "resource limit"},
    {"70", "internal"},
};

// "0 ok, 1 a difference was found, ..."
std::string in_a_sentence(std::span<const Described> list) {
  std::string text;
  for (const Described& entry : list) text += fmt::format(", {} {}", entry.name, entry.text);
  return text.substr(2);
}

}  // namespace

std::span<const Listed> command_list() { return kCommands; }
std::span<const Described> other_commands() { return kOtherCommands; }
std::span<const Described> environment_variables() { return kEnvironment; }
std::span<const Described> exit_codes() { return kExitCodes; }

std::string overview() {
  std::string text =
      "ropewalk: positional encoding for transformers, exact to the model.\n\n"
      "Example: ropewalk show llama-3-8b\n\nUsage: ropewalk COMMAND [OPTIONS]\n\nCommands:\n";
  for (const Listed& command : kCommands) {
    text += fmt::format("  {:<11}{}\n", command.name, command.summary);
  }
  for (const Described& command : kOtherCommands) {
    text += fmt::format("  {:<11}{}\n", command.name, command.text);
  }
  text += fmt::format(
      "\nOptions: --version, --help. Most commands take --json.\n"
      "Environment: {};\nneither changes a result.\n",
      in_a_sentence(kEnvironment));
  constexpr int kColumns = 88;
  for (const std::string& line :
       wrapped(fmt::format("Exit codes: {}.", in_a_sentence(kExitCodes)), kColumns)) {
    text += line + "\n";
  }
  return text;
}

}  // namespace ropewalk::cli
