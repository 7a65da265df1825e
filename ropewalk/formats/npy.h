#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "ropewalk/base/tensor.h"
#include "ropewalk/formats/file.h"

namespace ropewalk {

struct NpyOptions {
  bool bf16_as_v2 = false;      // "|V2" (what ml_dtypes saves) is bf16
  bool allow_trailing = false;  // accept bytes after the array
  // c8 [...] is read as f32 [..., 2], real and imaginary part, c16 as f64.
  bool complex_as_pairs = false;
};

// Reads a NumPy array file, versions 1 to 3: booleans, integers and f2, f4, f8 in either byte
// order, C and Fortran order (the result is row-major and in the order of the machine). Everything
// is checked against the file size before memory is taken; nothing is unpickled or inflated. Throws
// malformed, unsupported (other types, pickles, archives), resource_limit (a header over 64 KiB) or
// io.
Tensor read_npy(const std::filesystem::path& path, const NpyOptions& options = {});

// The same file opened to read a part of its numbers: rows of an array that is larger than the
// memory. Its header is checked as read_npy does.
class NpyFile {
 public:
  explicit NpyFile(const std::filesystem::path& path, const NpyOptions& options = {});

  DType dtype() const { return dtype_; }
  const Dims& shape() const { return shape_; }
  // Whether the last dimension varies fastest in the file; else read_part has another order.
  bool row_major() const { return row_major_; }
  // Elements first, first + 1, ... in the order of the file, as many as `out` has room for.
  void read_part(int64_t first, std::span<std::byte> out) const;

 private:
  InputFile file_;
  DType dtype_ = DType::f32;
  Dims shape_;
  bool row_major_ = true, swapped_ = false;
  uint64_t data_begin_ = 0;
};

// Writes what numpy.save would write, byte for byte: version 1.0, C order. bf16, which NumPy lacks,
// becomes "|V2". Throws unsupported for the 8-bit floating-point types.
void write_npy(const std::filesystem::path& path, const ConstTensorView& tensor,
               Overwrite overwrite = Overwrite::refuse);

// The same of complex numbers, "<c8", from their real and imaginary parts: f32 [..., 2] becomes
// [...]. Throws unsupported for another type, invalid_argument for another last dimension.
void write_npy_complex(const std::filesystem::path& path, const ConstTensorView& parts,
                       Overwrite overwrite = Overwrite::refuse);

}  // namespace ropewalk
