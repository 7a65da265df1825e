#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "ropewalk/base/tensor.h"
#include "ropewalk/formats/file.h"
#include "ropewalk/report/columns.h"

namespace ropewalk::cli {

// Prints JSON to standard output. Numbers that came from float32 go through json_number, so that
// they are written with as few digits as give them back.
void print_json(const nlohmann::ordered_json& json);
nlohmann::ordered_json json_number(float value);
nlohmann::ordered_json json_numbers(std::span<const float> values);

// A field of CSV: in quotes where it holds one, a comma or the end of a line (RFC 4180).
std::string csv_field(const std::string& text);

// What --force means for the files that a command writes.
Overwrite overwrite(bool force);

// A tensor from a file given as an option: .npy, or the tensor `name` of a .safetensors file.
Tensor load_tensor(const std::string& path, const std::string& name, bool bf16_as_v2 = false);

// Runs a library call on what came from files: a wrong shape there is a bad input file (exit 3),
// not a wrong command line.
template <typename Call>
void with_input_files(const std::string& files, Call call);

}  // namespace ropewalk::cli

#include <fmt/format.h>

#include "ropewalk/base/error.h"

template <typename Call>
void ropewalk::cli::with_input_files(const std::string& files, Call call) {
  try {
    call();
  } catch (const Error& error) {
    const bool about_input =
        error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::out_of_range;
    throw Error(about_input ? ErrorCode::malformed : error.code(),
                fmt::format("{}: {}", escaped(files), error.what()));
  }
}
