#include "ropewalk/base/tensor_layout.h"

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

template <typename View>
View canonical(const View& view, TensorLayout layout, const char* what) {
  const int rank = view.shape.size();
  const bool packed = layout == TensorLayout::thd;
  if (rank != 3 && (rank != 4 || packed)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: expected {} for layout {}, found {}", what,
                            packed ? "[tokens, heads, head_dim]"
                            : layout == TensorLayout::bshd
                                ? "[batch, seq, heads, head_dim] or [seq, heads, head_dim]"
                                : "[batch, heads, seq, head_dim] or [heads, seq, head_dim]",
                            name(layout), to_string(view.shape)));
  }
  View full = view;
  if (rank == 3) {
    full.shape = {1, view.shape[0], view.shape[1], view.shape[2]};
    full.strides = {0, view.strides[0], view.strides[1], view.strides[2]};
  }
  return layout == TensorLayout::bhsd ? permuted(full, {0, 2, 1, 3}) : full;
}

}  // namespace

std::string_view name(TensorLayout layout) {
  return layout == TensorLayout::bshd ? "bshd" : layout == TensorLayout::bhsd ? "bhsd" : "thd";
}

TensorLayout tensor_layout_from_name(std::string_view text) {
  for (TensorLayout layout : {TensorLayout::bshd, TensorLayout::bhsd, TensorLayout::thd}) {
    if (text == name(layout)) return layout;
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("expected layout bshd, bhsd or thd, found \"{}\"", escaped(text)));
}

ConstTensorView as_bshd(const ConstTensorView& view, TensorLayout layout, const char* what) {
  return canonical(view, layout, what);
}
TensorView as_bshd(const TensorView& view, TensorLayout layout, const char* what) {
  return canonical(view, layout, what);
}

}  // namespace ropewalk
