#include "cli/usage.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/nearest_name.h"

namespace ropewalk::cli {
namespace {

constexpr size_t kNameColumns = 26, kLineColumns = 100;

bool is_flag(const CLI::Option& option) { return option.get_type_size() == 0; }

// "MODEL", "-o, --output FILE", "--json".
std::string shown_name(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string name;
  for (const std::string& letter : option.get_snames()) name += fmt::format("-{}, ", letter);
  for (const std::string& word : option.get_lnames()) name += fmt::format("--{}, ", word);
  name.erase(name.size() - 2);
  return is_flag(option) ? name : fmt::format("{} {}", name, option.get_type_name());
}

// The name to the left, the text to the right of it, broken at spaces.
std::string described(const CLI::Option& option) {
  std::string out, line = fmt::format("  {:<{}}", shown_name(option), kNameColumns - 2);
  if (line.size() > kNameColumns) {
    out = line + "\n";
    line.assign(kNameColumns, ' ');
  }
  std::string_view text = option.get_description();
  for (bool first = true; !text.empty(); first = false) {
    const size_t end = std::min(text.find(' '), text.size());
    if (!first && line.size() + 1 + end > kLineColumns) {
      out += line + "\n";
      line.assign(kNameColumns, ' ');
      first = true;
    }
    line += (first ? "" : " ") + std::string(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + line + "\n";
}

// The options that one must or may give, without the help flag.
std::vector<const CLI::Option*> options_of(const CLI::App& command, bool positional) {
  return command.get_options([&](const CLI::Option* option) {
    return option->get_positional() == positional && option != command.get_help_ptr();
  });
}

std::string usage(const CLI::App& command) {
  std::string line = fmt::format("Usage: ropewalk {} [OPTIONS]", command.get_name());
  for (const CLI::Option* option : options_of(command, false)) {
    if (option->get_required()) line += " " + shown_name(*option);
  }
  for (const CLI::Option* option : options_of(command, true)) {
    const std::string name = shown_name(*option);
    line += option->get_required() ? " " + name : fmt::format(" [{}]", name);
  }
  return line;
}

std::string first_unexpected(const CLI::App& command) {
  const CLI::App& root = command.get_parent() ? *command.get_parent() : command;
  for (const std::string& word : root.remaining(true)) {
    if (word != "--") return word;
  }
  return "--";
}

std::string unexpected(const CLI::App& command) {
  const std::string word = first_unexpected(command);
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  // A known option can be unexpected after "--" only, where it is an argument.
  const bool known = std::find(names.begin(), names.end(), word) != names.end();
  const bool option = word.starts_with("-") && !known;
  const std::vector<std::string_view> views(names.begin(), names.end());
  return fmt::format("unexpected {} \"{}\"{}", option ? "option" : "argument", escaped(word),
                     option ? did_you_mean(word.substr(0, word.find('=')), views) : "");
}

}  // namespace

std::string help_text(const CLI::App& command) {
  std::string text = fmt::format("{}\n\n{}\n", command.get_description(), usage(command));
  for (const CLI::Option* option : options_of(command, true)) text += "\n" + described(*option);
  text += "\nOptions:\n";
  for (const CLI::Option* option : options_of(command, false)) text += described(*option);
  return text + described(*command.get_help_ptr());
}

std::string usage_message(const CLI::App& command, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return unexpected(command);
  const std::string message = error.what();
  const std::string option = message.substr(0, message.find(':'));
  if (message.ends_with(" missing")) {
    return fmt::format("{}: expected a value after it, found none", option);
  }
  if (message.find(": At Most 1 required") != std::string::npos) {
    return fmt::format("{}: given more than once", option);
  }
  return escaped(message, 400);
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
