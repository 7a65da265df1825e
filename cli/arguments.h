#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "ropewalk/base/error.h"
#include "ropewalk/base/tensor.h"

namespace ropewalk::cli {

// Whole numbers and decimals of the command line, whatever the locale: no hexadecimal, no inf or
// nan, no thousands separators. Throw invalid_argument naming the option and the token.
int64_t parse_integer(const std::string& text, const std::string& option);
double parse_number(const std::string& text, const std::string& option);

// A name out of a few, read by `read`; a fault of it names the option too.
template <typename Read>
auto parse_name(const std::string& text, const std::string& option, Read read) {
  try {
    return read(text);
  } catch (const Error& error) {
    throw Error(error.code(), option + ": " + error.what());
  }
}

// "7", "0..4096" (the end is not included), "3,1,2" or commas between those. Throws
// invalid_argument naming the token, resource_limit beyond 2^28 positions.
std::vector<int64_t> parse_positions(const std::string& text,
                                     const std::string& option = "--positions");

// Position ids of a command: numbers as above, or an .npy file of i4 or i8 [S], [B, S] or [axes, B,
// S].
Tensor load_positions(const std::string& text);

// The same of one sequence: numbers, or an .npy file [S] or [1, S].
std::vector<int64_t> load_position_list(const std::string& text);

// The numbers of an array of i32 or i64, row after row.
std::vector<int64_t> integers_of(const Tensor& tensor);

// An option whose text is kept and parsed later by parse_number or parse_integer, so that the
// message is ours.
CLI::Option* add_text_option(CLI::App& app, const std::string& name, std::string& value,
                             const std::string& help, const std::string& type);

// The same of an option that takes one of a few words. They are its type, "f32|bf16|f16", which
// help prints and the shell completes.
CLI::Option* add_choice_option(CLI::App& app, const std::string& name, std::string& value,
                               const std::vector<std::string>& words, const std::string& help);

}  // namespace ropewalk::cli
