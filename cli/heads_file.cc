#include "cli/heads_file.h"

#include <cstring>

#include "cli/array_files.h"
#include "cli/output.h"

namespace ropewalk::cli {

HeadsFile::HeadsFile(const std::string& path, const std::string& name, bool bf16_as_v2) {
  if (array_file(path).format == ArrayFile::Format::npy) {
    file_.emplace(path, NpyOptions{.bf16_as_v2 = bf16_as_v2});
    if (file_->row_major()) return;
  }
  whole_ = load_tensor(path, name, bf16_as_v2);
}

void HeadsFile::read(int64_t first, std::span<std::byte> out) const {
  if (!whole_) return file_->read_part(first, out);
  std::memcpy(out.data(),
              whole_->bytes.data() + static_cast<size_t>(first) * size_in_bytes(dtype()),
              out.size());
}

Tensor HeadsFile::rows(std::span<const int64_t> rows, TensorLayout layout) const {
  // Only where the numbers lie: nothing is behind it.
  const ConstTensorView all =
      as_bshd(make_view(static_cast<const void*>(nullptr), dtype(), shape()), layout, "array");
  const int64_t length = all.shape[1], heads = all.shape[2], channels = all.shape[3];
  Tensor result = make_tensor(dtype(), {std::ssize(rows), heads, channels});
  const bool heads_together = all.strides[2] == channels || heads == 1;
  const int64_t runs_of_heads = heads_together ? 1 : heads;
  const size_t of_head = static_cast<size_t>(channels) * size_in_bytes(dtype()),
               of_row = of_head * static_cast<size_t>(heads),
               piece = heads_together ? of_row : of_head;
  std::vector<std::byte> run;
  for (size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    const int64_t batch = rows[begin] / length, token = rows[begin] % length;
    while (end < rows.size() && rows[end] == rows[begin] + static_cast<int64_t>(end - begin) &&
           rows[end] / length == batch) {
      ++end;
    }
    for (int64_t h = 0; h < runs_of_heads; ++h) {
      run.resize((end - begin) * piece);
      read(batch * all.strides[0] + token * all.strides[1] + h * all.strides[2], run);
      for (size_t i = begin; i < end; ++i) {
        std::memcpy(result.bytes.data() + i * of_row + static_cast<size_t>(h) * of_head,
                    run.data() + (i - begin) * piece, piece);
      }
    }
  }
  return result;
}

}  // namespace ropewalk::cli
