#pragma once

#include <filesystem>

#include "ropewalk/base/tensor.h"
#include "ropewalk/formats/file.h"

namespace ropewalk {

struct NpyOptions {
  bool bf16_as_v2 = false;      // "|V2" (what ml_dtypes saves) is bf16
  bool allow_trailing = false;  // accept bytes after the array
};

// Reads a NumPy array file, versions 1 to 3: f2, f4, f8, i4, i8 in either byte order, C and Fortran order (the result
// is row-major). Everything is checked against the file size before memory is taken.
// Throws malformed, unsupported (other types, pickles), resource_limit (header over 64 KiB) or io.
Tensor read_npy(const std::filesystem::path& path, const NpyOptions& options = {});

// Writes version 1.0, C order, padded to 64 bytes; bf16 becomes "|V2".
void write_npy(const std::filesystem::path& path, const ConstTensorView& tensor, Overwrite overwrite = Overwrite::refuse);

}  // namespace ropewalk
