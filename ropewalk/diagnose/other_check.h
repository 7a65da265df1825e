#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ropewalk/diagnose/compare.h"
#include "ropewalk/diagnose/permuted_rows.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// Another checkpoint of the same model: a GGUF beside it, or a conversion.
struct OtherCheck {
  std::filesystem::path path;
  Comparison comparison;  // of the configs, but for pairs where the rows were moved with them
  // What no engine computes otherwise by: the context, scalings that give the same frequencies at
  // every length, what the file of a GGUF has no key for, and a count of key heads whose rows are
  // repeated.
  std::vector<Difference> minor;
  std::vector<PermutedRows> rows;
  // Why it or its weights could not be read; why the rows of others were not compared: quantized
  // tensors, names that are not known.
  std::string unread, rows_unread;
};

// Compares the config at `path`, or `of_path` where that is given, with `model`, and the rows of q
// and k there with those of `weights`, where there are some. What cannot be read is told, not
// thrown.
OtherCheck compare_checkpoints(const ModelEncoding& model,
                               const std::optional<std::filesystem::path>& weights,
                               const std::filesystem::path& path, const ModelEncoding* of_path,
                               const CompareProgress& progress = {});

// Whether the rows of q or k lie otherwise than the two models ask for.
bool are_wrong(const std::vector<PermutedRows>& rows);

}  // namespace ropewalk
