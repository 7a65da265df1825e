#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace ropewalk::cli {

// An option without a value.
bool is_flag(const CLI::Option& option);

// "MODEL", "-o, --output FILE", "--json".
std::string shown_name(const CLI::Option& option);

// The options that one must or may give, without the help flag.
std::vector<const CLI::Option*> options_of(const CLI::App& command, bool positional);

// "ropewalk show [OPTIONS] MODEL [OTHER]".
std::string usage(const CLI::App& command);

// What `ropewalk COMMAND --help` prints: the example and description, the usage, the options.
std::string help_text(const CLI::App& command);

// Why CLI11 refused the words of a command, in one line: `unexpected argument "--jsno"; did you
// mean "--json"?`. `last_word` is that of the command line.
std::string usage_message(const CLI::App& command, const CLI::ParseError& error,
                          const std::string& last_word);

// An empty text is mostly the unset variable of a script. Throws io for an option that names a
// file, invalid_argument for any other.
void refuse_empty_texts(const CLI::App& command);

}  // namespace ropewalk::cli
