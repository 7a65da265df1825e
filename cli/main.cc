#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "cli/command.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/nearest_name.h"
#include "ropewalk/kernels/targets.h"

namespace ropewalk::cli {
namespace {

struct Listed {
  const char* name;
  const char* summary;
  Declare declare;
};

constexpr Listed kCommands[] = {
#define ROPEWALK_COMMAND(name, summary) {#name, summary, declare_##name},
#include "cli/commands.inc"
#undef ROPEWALK_COMMAND
};

constexpr int kUsage = 2, kInput = 3, kIo = 4, kLimit = 5, kInternal = 70;

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::out_of_range:
      return kUsage;
    case ErrorCode::malformed:
    case ErrorCode::unsupported:
      return kInput;
    case ErrorCode::io:
      return kIo;
    case ErrorCode::resource_limit:
      return kLimit;
    case ErrorCode::internal:
      break;
  }
  return kInternal;
}

int report(int code, const std::string& message) {
  fmt::print(stderr, "ropewalk: error: {}\n", message);
  return code;
}

// A closed descriptor 0, 1 or 2 would be given to the next file that is opened, and output would
// land in it.
bool reserve_standard_streams() {
  const bool output_open = fcntl(STDOUT_FILENO, F_GETFD) != -1;
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", O_RDWR) != fd) return false;
  }
  return output_open;
}

// The command that was meant, when a word is one misspelt.
std::string hint(std::string_view word) {
  std::vector<std::string_view> names;
  for (const Listed& command : kCommands) names.push_back(command.name);
  return did_you_mean(word, names);
}

int usage_error(const std::vector<CLI::App*>& commands, const CLI::ParseError& error, int argc,
                char** argv) {
  std::string where = "ropewalk help", why = error.what(), guess;
  bool in_command = false;
  for (const CLI::App* command : commands) {
    if (!command->parsed()) continue;
    where = fmt::format("ropewalk {} --help", command->get_name());
    in_command = true;
  }
  if (!in_command && argc > 1) {
    guess = hint(argv[1]);
    why = fmt::format("unknown command or option \"{}\"", escaped(argv[1]));
  }
  if (argc <= 1) why = "a command is needed";
  return report(kUsage, fmt::format("{}{} (see {})", escaped(why, 400), guess, where));
}

// What `ropewalk help` prints: CLI11 would list each command with its whole description.
std::string overview() {
  std::string text =
      "ropewalk: positional encoding for transformers, exact to the model.\n\n"
      "Example: ropewalk show llama-3-8b\n\nUsage: ropewalk COMMAND [OPTIONS]\n\nCommands:\n";
  for (const Listed& command : kCommands)
    text += fmt::format("  {:<8}{}\n", command.name, command.summary);
  return text +
         "  help    this text; ropewalk COMMAND --help for a command\n\n"
         "Options: --version, --help. Most commands take --json.\n"
         "Environment: ROPEWALK_TARGET caps the instruction set, OMP_NUM_THREADS the threads; "
         "neither changes a result.\n"
         "Exit codes: 0 ok, 1 a difference was found, 2 usage, 3 bad or unsupported input file, 4 "
         "input or output,\n"
         "5 resource limit, 70 internal.\n";
}

int run(int argc, char** argv) {
  CLI::App app{"ropewalk: positional encoding for transformers, exact to the model.", "ropewalk"};
  app.set_version_flag("--version", "ropewalk " ROPEWALK_VERSION);
  app.require_subcommand(1);
  std::vector<CLI::App*> commands;
  std::vector<Run> runs;
  for (const Listed& command : kCommands) {
    commands.push_back(app.add_subcommand(command.name, command.summary));
    runs.push_back(command.declare(*commands.back()));
  }
  std::string topic;
  CLI::App* help = app.add_subcommand("help", "this text, or that of a command");
  help->add_option("COMMAND", topic);

  try {
    app.parse(argc, argv);
    if (help->parsed()) {
      const CLI::App* about = nullptr;
      for (const CLI::App* command : commands)
        about = command->get_name() == topic ? command : about;
      if (about == nullptr && !topic.empty()) {
        throw Error(
            ErrorCode::invalid_argument,
            fmt::format("no command \"{}\"{} (see ropewalk help)", escaped(topic), hint(topic)));
      }
      fmt::print("{}", about ? about->help() : overview());
      return 0;
    }
    for (size_t i = 0; i < commands.size(); ++i) {
      if (commands[i]->parsed()) return runs[i]();
    }
    return kInternal;
  } catch (const CLI::CallForHelp&) {
    const CLI::App* about = nullptr;
    for (const CLI::App* command : commands) about = command->parsed() ? command : about;
    fmt::print("{}", about ? about->help() : overview());
    return 0;
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return 0;
  } catch (const CLI::ParseError& error) {
    return usage_error(commands, error, argc, argv);
  }
}

int guarded(int argc, char** argv) {
  try {
    if (const char* target = std::getenv("ROPEWALK_TARGET")) {
      try {
        cap_target(target);
      } catch (const Error& error) {
        throw Error(error.code(),
                    fmt::format("environment variable ROPEWALK_TARGET: {}", error.what()));
      }
    }
    return run(argc, argv);
  } catch (const Error& error) {
    return report(exit_code(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return report(kLimit, "out of memory");
  } catch (const std::exception& error) {
    return report(kInternal,
                  fmt::format("{} (this is a fault of ropewalk itself; please report it)",
                              escaped(error.what())));
  }
}

}  // namespace
}  // namespace ropewalk::cli

int main(int argc, char** argv) {
  // A write beyond RLIMIT_FSIZE is an error to report, not a reason to die.
  signal(SIGXFSZ, SIG_IGN);
  const bool output_open = ropewalk::cli::reserve_standard_streams();
  if (!output_open) return ropewalk::cli::report(ropewalk::cli::kIo, "standard output is closed");
  const int code = ropewalk::cli::guarded(argc, argv);
  // What the system could not write shows only now.
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    return ropewalk::cli::report(ropewalk::cli::kIo,
                                 fmt::format("standard output: {}", std::strerror(errno)));
  }
  return code;
}
