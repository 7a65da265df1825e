#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "ropewalk/base/tensor.h"
#include "ropewalk/formats/file.h"

namespace ropewalk::cli {

// Numbers of tokens, or of pairs, as `ropewalk table` prints and writes them: a row for each.
struct TokenTable {
  // What it is, for the heading, JSON and the metadata of a file: {"model", "llama-3-8b"}, ...
  std::vector<std::pair<std::string, nlohmann::ordered_json>> facts;
  std::vector<std::string> names;  // "cos", "sin"; "freqs_cis"; "inv_freq"
  std::vector<Tensor> tensors;     // of one shape: [..., C], or complex [..., C, 2]; inv_freq [P]
  bool complex = false;            // the last dimension is real, imaginary
  std::vector<std::string> position_names;  // of the columns that say which row it is: "position"
  std::vector<std::vector<int64_t>> positions;  // of each row
};

// .npy holds one array: of two tensors one behind the other, [2, ..., C]. Throws invalid_argument
// for another ending, unsupported for what the type of file cannot hold.
void check_table_file(const std::string& path, DType dtype, bool complex);
void write_token_table(const TokenTable& table, const std::string& path, Overwrite mode);

// At most four numbers from each end of a row, at most 32 tokens.
void print_token_table(const TokenTable& table);
nlohmann::ordered_json token_table_json(const TokenTable& table);

}  // namespace ropewalk::cli
