#pragma once

#include <optional>
#include <span>
#include <string>

#include "ropewalk/base/tensor.h"
#include "ropewalk/base/tensor_layout.h"
#include "ropewalk/formats/npy.h"

namespace ropewalk::cli {

// q, k or v of a file, of which a part of the tokens is read: of an .npy file no more than that, of
// another the whole tensor first.
class HeadsFile {
 public:
  HeadsFile(const std::string& path, const std::string& name, bool bf16_as_v2);

  DType dtype() const { return whole_ ? whole_->dtype : file_->dtype(); }
  const Dims& shape() const { return whole_ ? whole_->shape : file_->shape(); }
  // [rows, heads, channels]: rows of the stream of all sequences' tokens, rising.
  Tensor rows(std::span<const int64_t> rows, TensorLayout layout) const;

 private:
  void read(int64_t first, std::span<std::byte> out) const;

  std::optional<NpyFile> file_;
  std::optional<Tensor> whole_;
};

}  // namespace ropewalk::cli
