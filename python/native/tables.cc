#include "python/native/tables.h"

#include <string_view>

#include <fmt/format.h>

#include "python/native/arguments.h"
#include "python/native/table_docs.h"
#include "ropewalk/apply/alibi.h"
#include "ropewalk/apply/rope.h"
#include "ropewalk/base/error.h"
#include "ropewalk/encoding/encodings.h"
#include "ropewalk/tables/sinusoidal.h"

namespace ropewalk::python {
namespace {

// x of a call as [batch, heads, seq, head_dim] of ONNX, or [batch, seq, heads, head_dim].
struct Split {
  TensorLayout layout;
  int64_t batch, seq, head_dim;
};

Split split_of(const ConstTensorView& x, int64_t num_heads) {
  if (x.shape.size() == 4) {
    if (num_heads != 0 && num_heads != x.shape[1]) {
      fail(fmt::format("num_heads: expected {} as x of shape {} has, found {}", x.shape[1],
                       to_string(x.shape), num_heads));
    }
    return {TensorLayout::bhsd, x.shape[0], x.shape[2], x.shape[3]};
  }
  if (x.shape.size() != 3) {
    fail(
        fmt::format("x: expected [batch, heads, seq, head_dim], or [batch, seq, hidden] with "
                    "num_heads, found {}",
                    in_words(x)));
  }
  if (num_heads < 1 || x.shape[2] % num_heads != 0) {
    fail(fmt::format("num_heads: expected a divisor of the {} channels of x, found {}", x.shape[2],
                     num_heads));
  }
  return {TensorLayout::bshd, x.shape[0], x.shape[1], x.shape[2] / num_heads};
}

// The channels of [batch, seq, hidden] cut into heads.
template <typename View>
View with_heads(View x, const Split& split) {
  if (split.layout == TensorLayout::bhsd) return x;
  const int64_t step = x.strides[2];
  x.shape = {x.shape[0], x.shape[1], x.shape[2] / split.head_dim, split.head_dim};
  x.strides = {x.strides[0], x.strides[1], split.head_dim * step, step};
  return x;
}

template <typename View>
View sequence_of(View view, int64_t b) {
  using Byte = std::conditional_t<std::is_same_v<View, TensorView>, char, const char>;
  const int64_t bytes = b * view.strides[0] * static_cast<int64_t>(size_in_bytes(view.dtype));
  view.data = static_cast<Byte*>(view.data) + bytes;
  view.shape[0] = 1;
  return view;
}

// Rows for each token of each sequence, or of one for all: [seq, P], [batch, seq, P] or
// [batch, 1, seq, P] as [B or 1, seq, P].
ConstTensorView token_rows(const Array& table, const Split& split) {
  const ConstTensorView& given = table.in();
  ConstTensorView rows = given;
  if (given.shape.size() == 2) {
    rows.shape = {1, given.shape[0], given.shape[1]};
    rows.strides = {0, given.strides[0], given.strides[1]};
  } else if (given.shape.size() == 4 && given.shape[1] == 1) {
    rows.shape = {given.shape[0], given.shape[2], given.shape[3]};
    rows.strides = {given.strides[0], given.strides[2], given.strides[3]};
  }
  const bool fits = rows.shape.size() == 3 && rows.shape[1] == split.seq &&
                    (rows.shape[0] == 1 || rows.shape[0] == split.batch);
  if (!fits) {
    fail(fmt::format(
        "{}: expected [{}, pairs], [{}, {}, pairs] or [{}, 1, {}, pairs] without "
        "position_ids, found {}",
        table.what(), split.seq, split.batch, split.seq, split.batch, split.seq, in_words(given)));
  }
  return rows;
}

ConstTensorView plane(ConstTensorView rows, int64_t b) {
  rows = sequence_of(rows, rows.shape[0] == 1 ? 0 : b);
  rows.shape = {rows.shape[1], rows.shape[2]};
  rows.strides = {rows.strides[1], rows.strides[2]};
  return rows;
}

struct OnnxCall {
  Array x, cos, sin;
  Split split;
  RotaryLayout layout;
};

void rotate_with_ids(const OnnxCall& call, const TensorView& out, nb::handle position_ids) {
  const Positions ids(position_ids);
  const RopeOptions options{.tensor_layout = call.split.layout};
  const KernelScope scope(num_elements(call.x.in().shape));
  apply_rope(TableView{call.cos.in(), call.sin.in()}, call.layout, ids.ids(),
             {with_heads(call.x.in(), call.split), out}, std::nullopt, options);
}

void rotate_with_rows(const OnnxCall& call, const TensorView& out) {
  const ConstTensorView cos = token_rows(call.cos, call.split),
                        sin = token_rows(call.sin, call.split),
                        x = with_heads(call.x.in(), call.split);
  const RopeOptions options{.tensor_layout = call.split.layout};
  const KernelScope scope(num_elements(x.shape));
  if (cos.shape[0] == 1 && sin.shape[0] == 1) {
    return apply_rope(TableView{plane(cos, 0), plane(sin, 0)}, call.layout, positions_from(0),
                      {x, out}, std::nullopt, options);
  }
  for (int64_t b = 0; b < call.split.batch; ++b) {
    apply_rope(TableView{plane(cos, b), plane(sin, b)}, call.layout, positions_from(0),
               {sequence_of(x, b), sequence_of(out, b)}, std::nullopt, options);
  }
}

// ONNX's attribute is an integer, PyTorch's argument a bool.
bool is_set(nb::handle given, const char* what) {
  if (!PyLong_CheckExact(given.ptr())) return flag(given, what);
  const int64_t value = integer(given, what);
  if (value == 0 || value == 1) return value == 1;
  fail(fmt::format("{}: expected True, False, 1 or 0, found {}", what, value));
}

nb::object rotary_embedding(nb::handle x, nb::handle cos, nb::handle sin, nb::handle position_ids,
                            nb::handle interleaved, nb::handle turning, nb::handle num_heads) {
  OnnxCall call{{x, "x"}, {cos, "cos"}, {sin, "sin"}, {}, {}};
  call.split = split_of(call.x.in(), integer(num_heads, "num_heads"));
  const int64_t rotary_embedding_dim = integer(turning, "rotary_embedding_dim");
  if (rotary_embedding_dim < 0 || rotary_embedding_dim > call.split.head_dim ||
      rotary_embedding_dim % 2 != 0) {
    fail(fmt::format("rotary_embedding_dim: expected an even number in 0..{}, found {}",
                     call.split.head_dim, rotary_embedding_dim));
  }
  const Dims& shape = call.cos.in().shape;
  if (shape.size() < 2 || !(shape == call.sin.in().shape)) {
    fail(fmt::format("cos and sin: expected two tables of one shape, found {} and {}",
                     in_words(call.cos.in()), in_words(call.sin.in())));
  }
  const int64_t dim = rotary_embedding_dim > 0 ? rotary_embedding_dim : call.split.head_dim;
  if (2 * shape.back() != dim) {
    fail(fmt::format("cos and sin: expected {} pairs for {} channels that turn{}, found {}",
                     dim / 2, dim, rotary_embedding_dim > 0 ? "" : " (or rotary_embedding_dim)",
                     in_words(call.cos.in())));
  }
  call.layout = {
      call.split.head_dim,
      {{0, dim, is_set(interleaved, "interleaved") ? Pairing::interleaved : Pairing::half_split}}};
  nb::object out = empty_like(x);
  {
    const Array result(out, "out");
    const TensorView view = with_heads(result.out(), call.split);
    if (position_ids.is_none()) {
      rotate_with_rows(call, view);
    } else {
      rotate_with_ids(call, view, position_ids);
    }
  }
  return finished(std::move(out), x);
}

nb::object sinusoidal_of(nb::handle positions, nb::handle channels, nb::handle layout,
                         nb::handle base, nb::handle dtype) {
  const std::vector<int64_t> list = Positions(positions, "positions").list();
  const int64_t d_model = integer(channels, "d_model");
  const std::string_view order = text(layout, "layout");
  const SinusoidalConfig config{
      .d_model = d_model,
      .layout = named("layout", [&] { return sinusoidal_layout_from_name(order); }),
      .base = number(base, "base")};
  if (d_model < 1) fail(fmt::format("d_model: expected at least 1, found {}", d_model));
  Tensor out = make_tensor(float_dtype(dtype), {std::ssize(list), d_model});
  {
    const nb::gil_scoped_release released;
    sinusoidal(config, list, out.view());
  }
  return array_from(std::move(out), positions);
}

}  // namespace

void bind_tables(nb::module_& m) {
  using nb::arg;
  define(m, docs::kRotaryEmbeddingSig, rotary_embedding, docs::kRotaryEmbedding, arg("x").none(),
         arg("cos").none(), arg("sin").none(), arg("position_ids").none() = nb::none(),
         nb::kw_only(), arg("interleaved").none() = false, arg("rotary_embedding_dim").none() = 0,
         arg("num_heads").none() = 0);
  define(m, docs::kSinusoidalSig, sinusoidal_of, docs::kSinusoidal, arg("positions").none(),
         arg("d_model").none(), arg("layout").none() = "interleaved", nb::kw_only(),
         arg("base").none() = 10000.0, arg("dtype").none() = "float32");
  define(
      m, docs::kAlibiSig,
      [](nb::handle heads, nb::handle max_bias) {
        return array_from(alibi_slopes(AlibiConfig{.heads = integer(heads, "heads"),
                                                   .max_bias = number(max_bias, "max_bias")}));
      },
      docs::kAlibi, arg("heads").none(), nb::kw_only(), arg("max_bias").none() = 8.0);
}

}  // namespace ropewalk::python
