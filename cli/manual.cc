#include "cli/manual.h"

#include <string_view>

#include <fmt/format.h>

#include "cli/command_list.h"
#include "cli/position_kinds.h"
#include "cli/usage.h"
#include "ropewalk/base/version.h"

namespace ropewalk::cli {
namespace {

constexpr size_t npos = std::string_view::npos;

// The code of the character that begins at text[i], which is moved to its last byte. `text` is ours
// and UTF-8.
unsigned code_point(std::string_view text, size_t& i) {
  const auto lead = static_cast<unsigned char>(text[i]);
  const size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  unsigned code = lead & (0x3Fu >> more);
  for (size_t k = 0; k < more; ++k) {
    code = code << 6 | (static_cast<unsigned char>(text[++i]) & 0x3Fu);
  }
  return code;
}

// As roff wants a line of text: no character of it is a request, every minus sign is one.
std::string escaped_for_roff(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x80) {
      out += fmt::format("\\[u{:04X}]", code_point(text, i));
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '~') {
      out += "\\(ti";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
  }
  if (out.starts_with('.')) out.insert(0, "\\&");
  return out;
}

// The text of help: a line that begins with spaces stays as it is, others are filled, an empty one
// ends a paragraph.
std::string paragraphs(const std::string& text) {
  std::string out;
  bool verbatim = false;
  for (const std::string& line : items_of(text, '\n')) {
    const bool indented = line.starts_with(' ');
    if (indented != verbatim) out += indented ? ".PP\n.EX\n" : ".EE\n.PP\n";
    verbatim = indented;
    if (line.empty()) {
      if (!out.ends_with(".PP\n")) out += ".PP\n";
    } else {
      out += escaped_for_roff(line) + "\n";
    }
  }
  return verbatim ? out + ".EE\n" : out;
}

std::string tagged(std::string_view tag, std::string_view text) {
  return fmt::format(".TP\n.B {}\n{}\n", escaped_for_roff(tag), escaped_for_roff(text));
}

std::string tagged(std::span<const Described> list) {
  std::string text;
  for (const Described& entry : list) text += tagged(entry.name, entry.text);
  return text;
}

// "Example: ropewalk show llama-3-8b", the first line of every description.
std::string example_of(const CLI::App& command) {
  constexpr std::string_view kLabel = "Example: ";
  const std::string text = command.get_description();
  if (!text.starts_with(kLabel)) return "";
  return text.substr(kLabel.size(), text.find('\n') - kLabel.size());
}

std::string section(const CLI::App& command) {
  std::string text = command.get_description();
  if (const size_t end = text.find("\n\n"); !example_of(command).empty() && end != npos) {
    text.erase(0, end + 2);
  }
  std::string out = fmt::format(".SS {}\n.B {}\n.PP\n{}", command.get_name(),
                                escaped_for_roff(usage(command)), paragraphs(text));
  for (const bool positional : {true, false}) {
    for (const CLI::Option* option : options_of(command, positional)) {
      out += tagged(shown_name(*option), option->get_description());
    }
  }
  return out;
}

}  // namespace

std::string manual_page(const CLI::App& root) {
  std::string text = fmt::format(
      ".\\\" Printed by `ropewalk help --man`.\n.TH ROPEWALK 1 \"\" \"ropewalk {}\" \"User "
      "Commands\"\n"
      ".SH NAME\nropewalk \\- positional encoding for transformers, exact to the model\n"
      ".SH SYNOPSIS\n.B ropewalk\n.I COMMAND\n.RI [ OPTIONS ]\n.SH DESCRIPTION\n"
      "Says what encodes position in a transformer, computes it, and compares models:\n"
      "from a config.json of Hugging Face, a GGUF of llama.cpp, a params.json, or a preset.\n",
      ROPEWALK_VERSION);
  for (const Listed& command : command_list()) text += tagged(command.name, command.summary);
  text += tagged(other_commands()) + ".SH COMMANDS\n";
  const std::vector<const CLI::App*> commands =
      root.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* command : commands) text += section(*command);
  text += ".SH OPTIONS\n";
  for (const CLI::Option* option : root.get_options()) {
    text += tagged(shown_name(*option), option == root.get_help_ptr()
                                            ? "the list of commands; behind one, its options"
                                            : "the version, its commit and what it was built with");
  }
  text += ".SH ENVIRONMENT\nNeither changes a result.\n" + tagged(environment_variables());
  text += ".SH EXIT STATUS\n" + tagged(exit_codes()) + ".SH EXAMPLES\n.EX\n";
  for (const CLI::App* command : commands) {
    if (!example_of(*command).empty()) text += escaped_for_roff(example_of(*command)) + "\n";
  }
  return text + ".EE\n";
}

}  // namespace ropewalk::cli
