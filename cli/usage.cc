#include "cli/usage.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/nearest_name.h"
#include "ropewalk/report/columns.h"

namespace ropewalk::cli {
namespace {

constexpr int kNameColumns = 26, kLineColumns = 100;

// The name to the left, the text to the right of it, broken at spaces.
std::string described(const CLI::Option& option) {
  std::string out, line = fmt::format("  {:<{}}", shown_name(option), kNameColumns - 2);
  if (display_width(line) > kNameColumns) {
    out = line + "\n";
    line.assign(kNameColumns, ' ');
  }
  for (const std::string& text : wrapped(option.get_description(), kLineColumns - kNameColumns)) {
    out += line + text + "\n";
    line.assign(kNameColumns, ' ');
  }
  return out;
}

// A word that the command has no place for.
struct Unexpected {
  std::string word = "--";
  bool option = false;
};

std::vector<std::string> long_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The first of them.
Unexpected first_unexpected(const CLI::App& command) {
  const CLI::App& root = command.get_parent() ? *command.get_parent() : command;
  const std::vector<std::string> names = long_names(command);
  for (const std::string& word : root.remaining(true)) {
    if (word == "--") continue;
    // A known option can be unexpected after "--" only, where it is an argument.
    const bool known = std::find(names.begin(), names.end(), word) != names.end();
    return {word, word.starts_with("-") && !known};
  }
  return {};
}

std::string in_words(const Unexpected& found, const CLI::App& command) {
  const std::vector<std::string> names = long_names(command);
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string name = found.word.substr(0, found.word.find('='));
  return fmt::format("unexpected {} \"{}\"{}", found.option ? "option" : "argument",
                     escaped(found.word), found.option ? did_you_mean(name, views) : "");
}

// The option with a value that has more values than it takes; null where there is none.
const CLI::Option* given_too_often(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const auto most = static_cast<size_t>(option->get_items_expected_max());
    if (!is_flag(*option) && option->count() > most) return option;
  }
  return nullptr;
}

// "--json=maybe", as nothing else is converted by CLI11; "" where there is none.
std::string flag_with_a_value(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& value : option->results()) {
      if (!is_flag(*option) || value == "true" || value == "false") continue;
      return fmt::format("{}: expected no value, found \"{}\"", option->get_name(), escaped(value));
    }
  }
  return "";
}

}  // namespace

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

std::string shown_name(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string name;
  for (const std::string& letter : option.get_snames()) name += fmt::format("-{}, ", letter);
  for (const std::string& word : option.get_lnames()) name += fmt::format("--{}, ", word);
  name.erase(name.size() - 2);
  return is_flag(option) ? name : fmt::format("{} {}", name, option.get_type_name());
}

std::vector<const CLI::Option*> options_of(const CLI::App& command, bool positional) {
  return command.get_options([&](const CLI::Option* option) {
    return option->get_positional() == positional && option != command.get_help_ptr();
  });
}

std::string usage(const CLI::App& command) {
  std::string line = fmt::format("ropewalk {} [OPTIONS]", command.get_name());
  for (const CLI::Option* option : options_of(command, false)) {
    if (option->get_required()) line += " " + shown_name(*option);
  }
  for (const CLI::Option* option : options_of(command, true)) {
    const std::string name = shown_name(*option);
    line += option->get_required() ? " " + name : fmt::format(" [{}]", name);
    if (option->get_items_expected_max() > 1) line += "...";
  }
  return line;
}

std::string help_text(const CLI::App& command) {
  std::string text = fmt::format("{}\n\nUsage: {}\n", command.get_description(), usage(command));
  for (const CLI::Option* option : options_of(command, true)) text += "\n" + described(*option);
  text += "\nOptions:\n";
  for (const CLI::Option* option : options_of(command, false)) text += described(*option);
  return text + described(*command.get_help_ptr());
}

std::string usage_message(const CLI::App& command, const CLI::ParseError& error,
                          const std::string& last_word) {
  const Unexpected found = first_unexpected(command);
  // A misspelt option, rather than what is missing for it: "show --hlep" lacks no MODEL.
  const bool missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr || (missing && found.option)) {
    return in_words(found, command);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    if (const CLI::Option* option = given_too_often(command)) {
      return fmt::format("{}: given more than once", option->get_name());
    }
    // The words ran out behind it.
    return fmt::format("{}: expected a value after it, found none",
                       escaped(last_word.substr(0, last_word.find('='))));
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    if (const std::string flag = flag_with_a_value(command); !flag.empty()) return flag;
  }
  return escaped(error.what(), 400);
}

void refuse_empty_texts(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& value : option->results()) {
      if (!value.empty()) continue;
      const std::string type = option->get_positional() ? "a text" : option->get_type_name();
      const bool names_file = type == "FILE" || type == "FOLDER";
      throw Error(names_file ? ErrorCode::io : ErrorCode::invalid_argument,
                  fmt::format("{}: expected {}, found an empty one",
                              option->get_name(option->get_positional()), type));
    }
  }
}

}  // namespace ropewalk::cli
