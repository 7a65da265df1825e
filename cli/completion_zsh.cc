#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command_list.h"
#include "cli/completion.h"
#include "cli/usage.h"
#include "ropewalk/base/version.h"
#include "ropewalk/models/models.h"

namespace ropewalk::cli {
namespace {

// As _arguments wants a text between single quotes.
std::string in_quotes(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string action_for(const CLI::Option& option) {
  const Offered offered = offered_for(option);
  switch (offered.offer) {
    case Offer::nothing:
      return " ";
    case Offer::words:
      return fmt::format("({})", fmt::join(offered.words, " "));
    case Offer::files:
      return "_files";
    case Offer::folders:
      return "_files -/";
    case Offer::models:
      return "_ropewalk_models";
    case Offer::model_types:
      return "_ropewalk_model_types";
    case Offer::commands:
      return fmt::format("({})", fmt::join(command_names(), " "));
  }
  return " ";
}

// '--dtype[whose angles]:value:(f32 bf16 f16)'; a line for each name of the option.
std::string specification(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& letter : option.get_snames()) names.push_back("-" + letter);
  for (const std::string& word : option.get_lnames()) names.push_back("--" + word);
  std::string value;
  if (!is_flag(option)) value = fmt::format(":value:{}", action_for(option));
  std::string text;
  for (const std::string& name : names) {
    const bool takes_equals = !value.empty() && name.starts_with("--");
    text += fmt::format(" \\\n        '({}){}{}[{}]{}'", fmt::join(names, " "), name,
                        takes_equals ? "=" : "", in_quotes(option.get_description()), value);
  }
  return text;
}

std::string arguments_of(const CLI::App& command) {
  std::string text = fmt::format("    {})\n      _arguments", command.get_name());
  for (const CLI::Option* option : options_of(command, false)) text += specification(*option);
  text += specification(*command.get_help_ptr());
  for (const CLI::Option* option : options_of(command, true)) {
    const bool many = option->get_items_expected_max() > 1;
    text += fmt::format(" \\\n        '{}:{}:{}'", many ? "*" : "",
                        in_quotes(option->get_name(true)), action_for(*option));
  }
  return text + "\n      ;;\n";
}

}  // namespace

std::string zsh_completion(const CLI::App& root) {
  std::string text = fmt::format(
      "#compdef ropewalk\n"
      "# Completion for zsh of ropewalk {}, as `ropewalk completion zsh` prints it.\n\n"
      "_ropewalk_models() {{\n"
      "  _alternative 'presets:preset:({})' 'files:file:_files'\n}}\n\n"
      "_ropewalk_model_types() {{\n  local -a types=({})\n"
      "  _describe 'model type' types\n}}\n\n"
      "_ropewalk() {{\n  local curcontext=$curcontext state\n  local -a commands=(\n",
      ROPEWALK_VERSION, fmt::join(preset_names(), " "), fmt::join(model_type_names(), " "));
  for (const Listed& command : command_list()) {
    text += fmt::format("    '{}:{}'\n", command.name, in_quotes(command.summary));
  }
  for (const Described& command : other_commands()) {
    text += fmt::format("    '{}:{}'\n", command.name, in_quotes(command.text));
  }
  text += "  )\n  _arguments -C";
  for (const CLI::Option* option : options_of(root, false)) text += specification(*option);
  text += specification(*root.get_help_ptr());
  text +=
      " \\\n        '1:command:->command' '*::argument:->argument'\n"
      "  case $state in\n    command)\n      _describe command commands\n      return\n      ;;\n"
      "    argument) ;;\n    *) return ;;\n  esac\n"
      "  curcontext=${curcontext%:*}-$words[1]:\n  case $words[1] in\n";
  for (const CLI::App* command : root.get_subcommands([](const CLI::App*) { return true; })) {
    text += arguments_of(*command);
  }
  return text +
         "  esac\n}\n\n"
         "# Read by `source` as well as found in fpath.\n"
         "if [[ $funcstack[1] == _ropewalk ]]; then\n  _ropewalk \"$@\"\nelse\n"
         "  compdef _ropewalk ropewalk\nfi\n";
}

}  // namespace ropewalk::cli
