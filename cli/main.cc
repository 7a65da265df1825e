#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <unistd.h>

#include "cli/command_list.h"
#include "cli/exit_code.h"
#include "cli/manual.h"
#include "cli/usage.h"
#include "cli/version.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/nearest_name.h"
#include "ropewalk/base/version.h"
#include "ropewalk/kernels/simd/targets.h"

namespace ropewalk::cli {
namespace {

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
  for (const Listed& command : command_list()) names.push_back(command.name);
  return did_you_mean(word, names);
}

int usage_error(const CLI::App* command, const CLI::ParseError& error, int argc, char** argv) {
  if (command != nullptr) {
    return report(kUsage,
                  fmt::format("{} (see ropewalk {} --help)",
                              usage_message(*command, error, argv[argc - 1]), command->get_name()));
  }
  if (argc <= 1) return report(kUsage, "a command is needed (see ropewalk help)");
  return report(kUsage, fmt::format("unknown command or option \"{}\"{} (see ropewalk help)",
                                    escaped(argv[1]), hint(argv[1])));
}

const CLI::App* parsed_of(const std::vector<CLI::App*>& commands) {
  for (const CLI::App* command : commands) {
    if (command->parsed()) return command;
  }
  return nullptr;
}

// What `ropewalk help TOPIC` prints.
std::string help_about(const std::vector<CLI::App*>& commands, const std::string& topic) {
  if (topic.empty() || topic == "help") return overview();
  for (const CLI::App* command : commands) {
    if (command->get_name() == topic) return help_text(*command);
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("no command \"{}\"{} (see ropewalk help)", escaped(topic), hint(topic)));
}

int run(int argc, char** argv) {
  CLI::App app{"ropewalk: positional encoding for transformers, exact to the model.", "ropewalk"};
  app.set_version_flag("-V,--version", version_text());
  app.set_help_flag("-h,--help", "this text");
  app.require_subcommand(1);
  std::vector<CLI::App*> commands;
  std::vector<Run> runs;
  for (const Listed& command : command_list()) {
    commands.push_back(app.add_subcommand(command.name, command.summary));
    runs.push_back(command.declare(*commands.back()));
  }
  std::string topic;
  CLI::App* help = app.add_subcommand("help", "this text, or that of a command");
  help->add_option("COMMAND", topic)->type_name("COMMAND");
  bool manual = false;
  help->add_flag("--man", manual, "all of it as a manual page, in the language of man");
  const CLI::App* version = app.add_subcommand("version", "what this build is");

  try {
    app.parse(argc, argv);
    if (help->parsed()) {
      fmt::print("{}", manual ? manual_page(app) : help_about(commands, topic));
      return 0;
    }
    if (version->parsed()) throw CLI::CallForVersion(version_text(), 0);
    for (size_t i = 0; i < commands.size(); ++i) {
      if (!commands[i]->parsed()) continue;
      refuse_empty_texts(*commands[i]);
      return runs[i]();
    }
    return kInternal;
  } catch (const CLI::CallForHelp&) {
    const CLI::App* command = parsed_of(commands);
    fmt::print("{}", command ? help_text(*command) : overview());
    return 0;
  } catch (const CLI::CallForVersion& call) {
    fmt::print("{}", call.what());
    return 0;
  } catch (const CLI::ParseError& error) {
    return usage_error(parsed_of(commands), error, argc, argv);
  }
}

int guarded(int argc, char** argv) {
  try {
    if (const char* target = std::getenv("ROPEWALK_TARGET")) {
      if (!cap_target(target)) {
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("environment variable ROPEWALK_TARGET: expected one of the "
                                "instruction sets {}, found \"{}\"",
                                fmt::join(available_targets(), ", "), escaped(target)));
      }
    }
    return run(argc, argv);
  } catch (const Error& error) {
    return report(exit_code(error.code()), error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return report(kIo, escaped(error.what(), 400));
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) {  // thrown by fmt::print
      return report(kIo, fmt::format("standard output: {}", error.code().message()));
    }
    const bool limit = error.code() == std::errc::resource_unavailable_try_again ||
                       error.code() == std::errc::not_enough_memory;
    return report(limit ? kLimit : kIo, escaped(error.what(), 400));
  } catch (const std::bad_alloc&) {
    return report(kLimit, "out of memory");
  } catch (const std::length_error&) {
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
  // What the system could not write may show only now.
  if ((std::fflush(stdout) != 0 || std::ferror(stdout)) && code == 0) {
    return ropewalk::cli::report(ropewalk::cli::kIo,
                                 fmt::format("standard output: {}", std::strerror(errno)));
  }
  return code;
}
