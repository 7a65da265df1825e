#include "cli/completion.h"

#include <memory>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "ropewalk/base/error.h"

namespace ropewalk::cli {

Run declare_completion(CLI::App& app) {
  app.description(
      "Example: source <(ropewalk completion bash)\n\n"
      "The script by which bash or zsh completes ropewalk's commands, options, their values, "
      "presets "
      "and\n"
      "model types. A package installs it; otherwise this line, in ~/.bashrc or ~/.zshrc (with zsh "
      "there,\n"
      "behind compinit), has it in each new shell.");
  const auto shell = std::make_shared<std::string>();
  add_choice_option(app, "SHELL", *shell, {"bash", "zsh"}, "bash | zsh")->required();
  return [&app, shell] {
    const CLI::App& root = *app.get_parent();
    if (*shell == "bash") {
      fmt::print("{}", bash_completion(root));
    } else if (*shell == "zsh") {
      fmt::print("{}", zsh_completion(root));
    } else {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("SHELL: expected bash or zsh, found \"{}\"", escaped(*shell)));
    }
    return 0;
  };
}

}  // namespace ropewalk::cli
