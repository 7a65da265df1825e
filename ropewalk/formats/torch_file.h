#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "ropewalk/base/tensor.h"
#include "ropewalk/formats/file.h"

namespace ropewalk {

struct TorchEntry {
  DType dtype = DType::f32;
  Dims shape;
  Dims strides;                 // in elements, not negative
  uint64_t begin = 0, end = 0;  // of what the strides touch, bytes from the start of the file
};

struct TorchOptions {
  // complex64 [...] is read as f32 [..., 2], real and imaginary part, complex128 as f64.
  bool complex_as_pairs = false;
};

// The tensors of a file of torch.save (PyTorch 1.6 and later): a tensor, whose name is then empty,
// or dicts, lists and tuples of them, at most four deep, whose keys and numbers make the name:
// "layers.0.q". Parameters are tensors; numbers, texts and None beside them are left out.
//
// Nothing is executed: the pickle is read by a machine that knows what a tensor is made of, and a
// call of anything else is refused by its name. Every tensor is checked against its storage when
// the file is opened; its bytes are read one by one after, views by what they touch. Throws
// malformed, unsupported (other contents, compressed, big-endian, the form before PyTorch 1.6),
// resource_limit (a data.pkl over 16 MiB, a million values, a view that repeats elements to over 1
// GiB) or io.
class TorchFile {
 public:
  explicit TorchFile(const std::filesystem::path& path, const TorchOptions& options = {});

  const std::map<std::string, TorchEntry, std::less<>>& entries() const { return entries_; }
  bool contains(std::string_view name) const { return entries_.find(name) != entries_.end(); }
  // The tensors that `read` refuses, and why: "complex64", "9 dimensions".
  const std::map<std::string, std::string, std::less<>>& unsupported() const {
    return unsupported_;
  }
  // Row-major. Throws malformed naming file and tensor when there is no such tensor, unsupported
  // when it is one of unsupported().
  Tensor read(std::string_view name) const;
  const std::string& label() const { return file_.label(); }

 private:
  InputFile file_;
  std::map<std::string, TorchEntry, std::less<>> entries_;
  std::map<std::string, std::string, std::less<>> unsupported_;
};

}  // namespace ropewalk
