#include "ropewalk/attention/attention.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>

#include "python/native/rope.h"
#include "python/native/table_docs.h"
#include "python/native/tables.h"
#include "ropewalk/base/error.h"

namespace ropewalk::python {
namespace {

// A number for each head, from any array.
std::vector<float> numbers(nb::handle object, const char* what) {
  if (object.is_none()) return {};
  nb::object given = array_of_list(object, what);
  if (!given.is(object)) given = given.attr("astype")("float64");  // a list: 1 is a number too
  const Array array(given, what);
  if (!is_floating(array.in().dtype)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: expected floats, found {}", what, in_words(array.in())));
  }
  if (array.in().shape.size() != 1) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{}: expected one number for each head, found {}", what, in_words(array.in())));
  }
  const Tensor tensor = converted(array.in(), DType::f32);
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

struct Keywords {
  const char* layout;
  bool causal;
  std::optional<double> scale, softcap;
  std::optional<int64_t> window_left, window_right, chunk;
  int threads;
};

// -1, the library's word for no window, where none is given.
int64_t window_of(std::optional<int64_t> keys, const char* what) {
  if (keys.value_or(0) < 0) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{}: expected at least 0 keys, or None for all, found {}", what, *keys));
  }
  return keys.value_or(-1);
}

AttentionOptions options_of(const Keywords& given) {
  if (given.scale == 0) {  // the library's word for none given
    throw Error(ErrorCode::invalid_argument,
                "scale: expected a number other than 0, or None for head_dim ** -0.5, found 0");
  }
  return {.tensor_layout = layout_named(given.layout),
          .causal = given.causal,
          .window_left = window_of(given.window_left, "window_left"),
          .window_right = window_of(given.window_right, "window_right"),
          .chunk = given.chunk.value_or(0),
          .scale = given.scale.value_or(0),
          .softcap = given.softcap.value_or(0),
          .parallel = threads_of(given.threads)};
}

nb::object attend_arrays(nb::handle q_array, nb::handle k_array, nb::handle v_array,
                         AttentionOptions options, nb::handle key_mask) {
  const Array q(q_array, "q"), k(k_array, "k"), v(v_array, "v");
  std::optional<Array> mask;
  if (!key_mask.is_none()) {
    options.key_mask = mask.emplace(array_of_list(key_mask, "key_mask"), "key_mask").in();
  }
  Dims shape = q.in().shape;
  if (!shape.empty() && !v.in().shape.empty()) shape[shape.size() - 1] = v.in().shape.back();
  Tensor out = make_tensor(DType::f32, shape);
  try {
    const nb::gil_scoped_release released;
    attend(q.in(), k.in(), v.in(), out.view(), options);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}; q is {}, k {}, v {}", error.what(), in_words(q.in()),
                                          in_words(k.in()), in_words(v.in())));
  }
  return array_from(std::move(out), q_array);
}

}  // namespace

void bind_attention(nb::module_& m) {
  using nb::arg;
  m.def(
      "attention",
      [](nb::handle q, nb::handle k, nb::handle v, const char* layout, bool causal,
         std::optional<double> scale, std::optional<double> softcap,
         std::optional<int64_t> window_left, std::optional<int64_t> window_right,
         std::optional<int64_t> chunk, nb::handle sinks, nb::handle slopes, nb::handle key_mask,
         int threads) {
        AttentionOptions options =
            options_of({layout, causal, scale, softcap, window_left, window_right, chunk, threads});
        const std::vector<float> sink_list = numbers(sinks, "sinks"),
                                 slope_list = numbers(slopes, "alibi_slopes");
        options.sinks = sink_list;
        options.alibi_slopes = slope_list;
        return attend_arrays(q, k, v, options, key_mask);
      },
      arg("q").none(), arg("k").none(), arg("v").none(), nb::kw_only(), arg("layout") = "",
      arg("causal") = false, arg("scale").none() = nb::none(), arg("softcap").none() = nb::none(),
      arg("window_left").none() = nb::none(), arg("window_right").none() = nb::none(),
      arg("chunk").none() = nb::none(), arg("sinks").none() = nb::none(),
      arg("alibi_slopes").none() = nb::none(), arg("key_mask").none() = nb::none(),
      arg("threads") = 0, nb::sig(docs::kAttentionSig), docs::kAttend);
}

}  // namespace ropewalk::python
