#include "ropewalk/diagnose/checkpoint_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/tensor.h"

namespace ropewalk {
namespace {

double rounding(DType dtype) {
  if (dtype == DType::bf16) return 0x1p-8;
  return dtype == DType::f16 ? 0x1p-10 : 0x1p-22;
}

}  // namespace

CheckpointSide::CheckpointSide(const std::filesystem::path& path, const ModelEncoding& model)
    : stored_(read_stored_tensors(path)),
      found_(attention_tensors(stored_, model, escaped(path.string()))) {
  if (stored_.gguf) {
    gguf_.emplace(path);
  } else {
    checkpoint_.emplace(stored_.index.value_or(stored_.files[0]));
  }
  for (const AttentionTensor& tensor : found_.tensors) {
    if (tensor.part != TensorPart::weight) continue;
    for (const bool keys : {false, true}) {
      if (std::any_of(tensor.heads.begin(), tensor.heads.end(),
                      [&](const HeadRows& heads) { return heads.keys == keys; })) {
        tensors_[{tensor.layer, keys}] = &tensor;
      }
    }
  }
}

const AttentionTensor* CheckpointSide::tensor(int64_t layer, bool keys) const {
  const auto found = tensors_.find({layer, keys});
  return found == tensors_.end() ? nullptr : found->second;
}

CheckpointRows CheckpointSide::read(const AttentionTensor& tensor, bool keys) const {
  const Tensor stored = gguf_ ? gguf_->read(tensor.name) : checkpoint_->read(tensor.name);
  if (!is_floating(stored.dtype) || stored.dtype < DType::f16) {
    throw Error(ErrorCode::unsupported,
                fmt::format("tensor \"{}\": expected f32, f16 or bf16 to compare, found {}",
                            escaped(tensor.name), name(stored.dtype)));
  }
  const Tensor wide = converted(stored.view(), DType::f32);
  const auto* numbers = reinterpret_cast<const float*>(wide.bytes.data());
  CheckpointRows rows{.tensor = tensor.name, .dtype = stored.dtype};
  rows.columns = num_elements(wide.shape) / tensor.rows;
  for (const HeadRows& heads : tensor.heads) {
    if (heads.keys != keys) continue;
    for (int64_t h = 0; h < heads.count; ++h) {
      const float* first = numbers + (heads.first + h * heads.step) * rows.columns;
      rows.numbers.insert(rows.numbers.end(), first, first + heads.channels * rows.columns);
      rows.count += heads.channels;
    }
  }
  return rows;
}

bool fits(const CheckpointRows& a, const CheckpointRows& b, const std::vector<int64_t>& source) {
  const bool alike = a.dtype == b.dtype;
  const double slack = alike ? 0 : std::max(rounding(a.dtype), rounding(b.dtype));
  const double least = !alike && (a.dtype == DType::f16 || b.dtype == DType::f16) ? 0x1p-24 : 0;
  for (int64_t r = 0; r < b.count; ++r) {
    const float* x = a.row(source[static_cast<size_t>(r)]);
    const float* y = b.row(r);
    for (int64_t c = 0; c < b.columns; ++c) {
      if (x[c] == y[c] || (std::isnan(x[c]) && std::isnan(y[c]))) continue;
      const double p = x[c], q = y[c];
      if (!(std::abs(p - q) <= slack * std::max(std::abs(p), std::abs(q)) + least)) return false;
    }
  }
  return true;
}

}  // namespace ropewalk
