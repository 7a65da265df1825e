#pragma once

#include <string>
#include <vector>

#include "ropewalk/base/tensor.h"

namespace ropewalk::cli {

struct DumpTensor {
  std::string name;  // "q", "k", or as in the file
  Tensor tensor;
};

// The arrays of a dump: FILE.npy ("k" where its name begins so, "v" for v.npy, v_*.npy and
// value*.npy, else "q"); FILE.safetensors or FILE.pt, its q, k and v or the only tensor; one of it
// by name, FILE.pt:NAME. Numbers of f64 become f32. Throws as the readers; invalid_argument naming
// the option for a file that holds several and is not told which.
std::vector<DumpTensor> load_dumps(const std::string& file, const std::string& option,
                                   bool bf16_as_v2);

// The one array of such a file.
Tensor load_dump(const std::string& file, const std::string& option, bool bf16_as_v2);

// A table of complex numbers as their real and imaginary parts, [..., 2]: complex64 or complex128
// of FILE.npy or FILE.pt, or real numbers that have that dimension.
Tensor load_complex(const std::string& file, const std::string& option, bool bf16_as_v2);

}  // namespace ropewalk::cli
