#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace ropewalk::cli {

// What the shell can offer for the value of an option or argument.
enum class Offer { nothing, words, files, folders, models, model_types, commands };
struct Offered {
  Offer offer = Offer::nothing;
  std::vector<std::string> words;
};
Offered offered_for(const CLI::Option& option);

// The names of all commands, help and version too.
std::vector<std::string> command_names();
// The names of all model types, and other names that are read as them.
std::vector<std::string> model_type_names();

// The scripts that complete `ropewalk` with the commands of `root`, their options and values. They
// need nothing but their shell: what they offer is written into them.
std::string bash_completion(const CLI::App& root);
std::string zsh_completion(const CLI::App& root);

}  // namespace ropewalk::cli
