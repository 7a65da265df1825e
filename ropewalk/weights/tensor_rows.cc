#include "ropewalk/weights/tensor_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/error.h"
#include "ropewalk/weights/tensor_suffix.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const ModuleTensor& tensor, ErrorCode code, const std::string& what) {
  throw Error(code, fmt::format("{}: tensor \"{}\": {}", tensor.label, escaped(tensor.name), what));
}

[[noreturn]] void refuse_unknown(const ModuleTensor& tensor) {
  fail(tensor, ErrorCode::unsupported,
       "expected a weight, bias, norm, scale or LoRA's factor, found a name that ropewalk does not "
       "know");
}

std::string shape_text(const ModuleTensor& tensor) {
  return fmt::format("[{}]", fmt::join(tensor.entry.shape, ", "));
}

int64_t numbers_of(const StoredTensor& entry) {
  int64_t numbers = 1;
  for (const int64_t dim : entry.shape) numbers *= dim;
  return numbers;
}

int64_t rows_of(const StoredTensor& entry) { return entry.shape.empty() ? 1 : entry.shape[0]; }

void describe_norm(const ModuleTensor& tensor, AttentionTensor& to) {
  if (tensor.suffix != "weight" && tensor.suffix != "bias" &&
      !tensor.suffix.starts_with("norms.")) {
    refuse_unknown(tensor);
  }
  to.part = TensorPart::norm;
  to.rows = numbers_of(tensor.entry);
  to.heads = tensor.module.heads;
  if (to.rows == tensor.module.rows) return;
  if (to.rows != tensor.layer.head_dim) {
    fail(tensor, ErrorCode::malformed,
         fmt::format("expected {} or {} numbers, found shape {}", tensor.layer.head_dim,
                     tensor.module.rows, shape_text(tensor)));
  }
  to.heads[0].count = 1;
}

// The rows that share one of `scales` scales, so that the last block may be smaller: what the rows
// divide by, or a power of two. 0 where that leaves a choice.
int64_t block_of(int64_t rows, int64_t scales) {
  if (scales == 1) return rows;
  int64_t power = 0;
  for (int64_t block = 2; block < rows; block *= 2) {
    if ((rows + block - 1) / block == scales) power = block;
  }
  if (scales < 1 || rows % scales != 0) return power;
  return power == 0 || power == rows / scales ? rows / scales : 0;
}

void describe_scale(const ModuleTensor& tensor, AttentionTensor& to) {
  if (numbers_of(tensor.entry) == 1) {
    to.part = TensorPart::kept;
    return;
  }
  to.part = TensorPart::scale;
  to.heads = tensor.module.heads;
  const int64_t rows = rows_of(tensor.entry);
  if (rows == tensor.module.rows) return;
  to.block = block_of(tensor.module.rows, rows);
  if (to.block > 0) return;
  fail(tensor, ErrorCode::unsupported,
       fmt::format("expected a scale for each of {} rows or for blocks of rows whose size can be "
                   "told, found shape {}",
                   tensor.module.rows, shape_text(tensor)));
}

}  // namespace

std::string_view name(TensorPart part) {
  switch (part) {
    case TensorPart::weight:
      return "weight";
    case TensorPart::bias:
      return "bias";
    case TensorPart::norm:
      return "norm";
    case TensorPart::adapter:
      return "adapter";
    case TensorPart::scale:
      return "scale";
    case TensorPart::kept:
      return "kept";
  }
  return "";
}

void describe_rows(const ModuleTensor& tensor, AttentionTensor& to) {
  to.rows = tensor.module.rows;
  if (tensor.module.norm) {
    describe_norm(tensor, to);
    return;
  }
  switch (suffix_kind(tensor.suffix)) {
    case SuffixKind::kept:
      to.part = TensorPart::kept;
      return;
    case SuffixKind::scale:
      describe_scale(tensor, to);
      return;
    case SuffixKind::packed_columns:
      fail(tensor, ErrorCode::unsupported,
           "rows of q and k are columns here, several packed into a number (GPTQ, AWQ); move them "
           "before they are quantized");
    case SuffixKind::unknown:
      refuse_unknown(tensor);
    case SuffixKind::weight:
      break;
    case SuffixKind::bias:
      to.part = TensorPart::bias;
      break;
    case SuffixKind::adapter:
      to.part = TensorPart::adapter;
      break;
  }
  to.heads = tensor.module.heads;
  if (rows_of(tensor.entry) == to.rows) return;
  if (tensor.entry.dtype == "U8" && tensor.entry.shape.size() == 2 && tensor.entry.shape[1] == 1) {
    fail(tensor, ErrorCode::unsupported,
         fmt::format("expected {} rows, found shape {}, numbers of 4 bits of all rows in one "
                     "(bitsandbytes); move them before they are quantized",
                     to.rows, shape_text(tensor)));
  }
  const Layer& layer = tensor.layer;
  fail(tensor, ErrorCode::malformed,
       fmt::format("expected {} rows for {} heads and {} key heads of {} channels, found shape {}",
                   to.rows, layer.heads, layer.kv_heads, layer.head_dim, shape_text(tensor)));
}

}  // namespace ropewalk
