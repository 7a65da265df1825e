#include "python/native/attention_keywords.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include "python/native/arguments.h"
#include "python/native/attention_values.h"
#include "ropewalk/base/error.h"

namespace ropewalk::python {
namespace {

// -1 is the library's word for no window; here it is None.
int64_t window_of(nb::handle object, const char* what) {
  const int64_t keys = integer(object, what);
  if (keys < 0) {
    fail(fmt::format("{}: expected at least 0 keys, or None for all, found {}", what, keys));
  }
  return keys;
}

double scale_of(nb::handle object, const char* what) {
  const double scale = number(object, what);
  if (scale == 0) {  // the library's word for none given
    fail(fmt::format("{}: expected a number other than 0, or None for head_dim ** -0.5, found 0",
                     what));
  }
  return scale;
}

AlibiForm form_of(nb::handle object, const char* what) {
  const std::string_view given = text(object, what);
  for (const AlibiForm form :
       {AlibiForm::relative, AlibiForm::key_position, AlibiForm::symmetric}) {
    if (given == name(form)) return form;
  }
  fail(fmt::format("{}: expected relative, key_position or symmetric, found {}", what,
                   escaped(given)));
}

const Rows& rows_of(nb::handle object, const char* what) {
  if (!nb::isinstance<Rows>(object)) {
    fail(fmt::format("{}: expected a ropewalk.Rows of Rope.rows(position_ids), found {}", what,
                     nb::type_name(object.type()).c_str()));
  }
  return nb::cast<const Rows&>(object);
}

}  // namespace

// One keyword: what it is called, who takes it, and where its value goes. None is no value.
struct AttentionKeyword {
  using Given = AttentionKeywords;
  const char* name;
  int group;
  void (*read)(Given& to, nb::handle value, const char* what);

  static std::span<const float> by_head(Given& to, nb::handle value, const char* what) {
    return to.floats_.emplace_back(floats_of(value, what, 1, "one number for each head").values);
  }
  static std::span<const int64_t> list(Given& to, nb::handle value, const char* what) {
    return to.integers_.emplace_back(integers_of(value, what));
  }
  // One number, or one for each sequence; none is no value of the library's.
  static std::span<const int64_t> counts(Given& to, nb::handle value, const char* what) {
    const bool listed = nb::hasattr(value, "__len__") || nb::hasattr(value, "ndim");
    const bool one = PyIndex_Check(value.ptr()) != 0 &&
                     (!listed || nb::cast<int64_t>(nb::getattr(value, "ndim", nb::int_(1))) == 0);
    if (one) return to.integers_.emplace_back(std::vector<int64_t>{integer(value, what)});
    return filled(list(to, value, what), what);
  }
  static std::span<const int64_t> filled(std::span<const int64_t> values, const char* what) {
    if (values.empty()) fail(fmt::format("{}: expected numbers, found an empty list", what));
    return values;
  }
  static std::span<const int64_t> starts(Given& to, nb::handle value, const char* what) {
    return filled(list(to, value, what), what);
  }
  static std::span<const int64_t> prompts(Given& to, nb::handle value, const char* what) {
    const auto values = counts(to, value, what);
    for (const int64_t tokens : values) {
      if (tokens < 0) fail(fmt::format("{}: expected at least 0 tokens, found {}", what, tokens));
    }
    return values;
  }
  static ConstTensorView array(Given& to, nb::handle value, const char* what) {
    const nb::object& kept = to.made_.emplace_back(array_of_list(value, what));
    return to.arrays_.emplace_back(kept, what).in();
  }
  static void distance_bias(Given& to, nb::handle value, const char* what) {
    Floats floats = floats_of(value, what, 2, "[heads, 2 * reach + 1] numbers");
    if (floats.shape[1] % 2 == 0) {
      fail(fmt::format("{}: expected an odd number of distances, -reach .. reach, found {}", what,
                       floats.shape[1]));
    }
    to.options.bias_reach = floats.shape[1] / 2;
    to.options.distance_bias = to.floats_.emplace_back(std::move(floats.values));
  }
  static Parallel threads(nb::handle value, const char* what) {
    constexpr int64_t kMost = std::numeric_limits<int>::max();
    return threads_of(static_cast<int>(std::clamp(integer(value, what), -kMost, kMost)));
  }
  static void keys(Given& to, nb::handle value, const char* what) {
    to.options.key_tokens = list(to, value, what);
    to.named_keys_ = true;
  }
  static void queries(Given& to, nb::handle value, const char* what) {
    const Positions tokens(value, what);
    if (tokens.ids().is_run()) {
      to.options.first_query = tokens.ids().first;
    } else {
      to.options.query_tokens = to.integers_.emplace_back(tokens.list());
      to.named_queries_ = true;
    }
  }
};

namespace {

using Given = AttentionKeywords;
using Keyword = AttentionKeyword;

#define ROPEWALK_READ(expression) \
  [](Given& to, nb::handle value, [[maybe_unused]] const char* what) { to.expression; }

constexpr Keyword kKeywords[] = {
    {"layout", kLayout,
     ROPEWALK_READ(options.tensor_layout = layout_named(std::string(text(value, what)).c_str()))},
    {"causal", kOneCall, ROPEWALK_READ(options.causal = flag_of(value, what))},
    {"scale", kOneCall, ROPEWALK_READ(options.scale = scale_of(value, what))},
    {"softcap", kOneCall, ROPEWALK_READ(options.softcap = number(value, what))},
    {"window_left", kOneCall, ROPEWALK_READ(options.window_left = window_of(value, what))},
    {"window_right", kOneCall, ROPEWALK_READ(options.window_right = window_of(value, what))},
    {"chunk", kOneCall, ROPEWALK_READ(options.chunk = integer(value, what))},
    {"prefix", kOneCall, ROPEWALK_READ(options.prefix = Keyword::prompts(to, value, what))},
    {"sinks", kOneCall, ROPEWALK_READ(options.sinks = Keyword::by_head(to, value, what))},
    {"alibi_slopes", kOneCall,
     ROPEWALK_READ(options.alibi_slopes = Keyword::by_head(to, value, what))},
    {"alibi_form", kOneCall, ROPEWALK_READ(options.alibi_form = form_of(value, what))},
    {"alibi_scale", kOneCall, ROPEWALK_READ(options.alibi_scale = number(value, what))},
    {"alibi_bf16", kOneCall, ROPEWALK_READ(options.alibi_bf16 = flag_of(value, what))},
    {"distance_bias", kOneCall, Keyword::distance_bias},
    {"key_mask", kOneCall, ROPEWALK_READ(options.key_mask = Keyword::array(to, value, what))},
    {"key_lengths", kOneCall,
     ROPEWALK_READ(options.key_lengths = Keyword::counts(to, value, what))},
    {"attn_mask", kOneCall, ROPEWALK_READ(options.mask = Keyword::array(to, value, what))},
    {"query_tokens", kOneCall, Keyword::queries},
    {"key_tokens", kOneCall, Keyword::keys},
    {"cu_seqlens", kPacked,
     ROPEWALK_READ(options.query_starts = to.options.key_starts =
                       Keyword::starts(to, value, what))},
    {"cu_seqlens_q", kPacked,
     ROPEWALK_READ(options.query_starts = Keyword::starts(to, value, what))},
    {"cu_seqlens_k", kPacked, ROPEWALK_READ(options.key_starts = Keyword::starts(to, value, what))},
    {"q_rows", kRotation, ROPEWALK_READ(q_rows = &rows_of(value, what))},
    {"k_rows", kRotation, ROPEWALK_READ(options.rotation.k_rows = &rows_of(value, what).rows)},
    {"out", kResult, ROPEWALK_READ(out = nb::borrow(value))},
    {"return_lse", kResult, ROPEWALK_READ(return_lse = flag_of(value, what))},
    {"threads", kOneCall, ROPEWALK_READ(options.parallel = Keyword::threads(value, what))},
};

const Keyword* find(std::string_view word, int groups) {
  for (const Keyword& keyword : kKeywords) {
    if (word == keyword.name && (keyword.group == kOneCall || (keyword.group & groups) != 0)) {
      return &keyword;
    }
  }
  return nullptr;
}

}  // namespace

AttentionKeywords::AttentionKeywords(const Function& function, const nb::kwargs& given,
                                     AttentionOptions defaults)
    : options(std::move(defaults)) {
  bool has_layout = false, packed_twice = false, packed_once = false;
  const Rows* k_rows = nullptr;
  for (const auto& [key, value] : given) {
    const std::string word = nb::cast<std::string>(key);
    const Keyword* const keyword = find(word, function.groups);
    if (keyword == nullptr) {
      PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%s'", function.name,
                   word.c_str());
      throw nb::python_error();
    }
    if (value.is_none()) continue;
    keyword->read(*this, value, keyword->name);
    has_layout |= keyword->group == kLayout;
    (word == "cu_seqlens" ? packed_once : packed_twice) |= keyword->group == kPacked;
    if (word == "k_rows") k_rows = &nb::cast<const Rows&>(value);
  }
  if ((function.groups & kLayout) != 0 && !has_layout) layout_named("");
  if (packed_once && packed_twice) {
    fail("cu_seqlens: expected none beside cu_seqlens_q and cu_seqlens_k, found both");
  }
  if (q_rows == nullptr && k_rows == nullptr) return;
  if (q_rows == nullptr || k_rows == nullptr) {
    fail("q_rows, k_rows: expected both or neither, found one");
  }
  if (!(q_rows->rope->config.layout == k_rows->rope->config.layout &&
        q_rows->rope->spectrum == k_rows->rope->spectrum)) {
    fail("q_rows, k_rows: expected rows of one rope, found those of two");
  }
  // Where results would be written in another order (DeepSeek) q.k is the same sum.
  options.rotation = {&q_rows->rows, &k_rows->rows, q_rows->rope->config.layout};
}

void AttentionKeywords::broadcast_mask(const Extent& extent) {
  if (named_queries_ && options.query_tokens.empty() && extent.queries > 0) {
    fail(fmt::format("query_tokens: expected {} numbers, found none", extent.queries));
  }
  if (named_keys_ && options.key_tokens.empty() && extent.keys > 0) {
    fail(fmt::format("key_tokens: expected {} numbers, found none", extent.keys));
  }
  ConstTensorView& mask = options.mask;
  if (mask.data == nullptr && mask.shape.empty()) return;
  const int64_t sizes[] = {extent.batch, extent.heads, extent.queries, extent.keys};
  const int rank = mask.shape.size();
  ConstTensorView wide{mask.data, mask.dtype, {1, 1, extent.queries, extent.keys}, {0, 0, 0, 0}};
  bool fits = rank >= 1 && rank <= 4;
  for (int i = 0; fits && i < rank; ++i) {
    const int axis = 4 - rank + i;
    const int64_t size = mask.shape[i];
    fits = size == sizes[axis] || size == 1;
    if (axis < 2) wide.shape[axis] = size;
    if (size > 1) wide.strides[axis] = mask.strides[i];
  }
  if (!fits) {
    fail(
        fmt::format("attn_mask: expected a shape that broadcasts to [batch, heads, queries, keys] "
                    "= {}, found {}",
                    to_string(Dims{sizes[0], sizes[1], sizes[2], sizes[3]}), in_words(mask)));
  }
  mask = wide;
}

std::string in_keywords(std::string message) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kWords = {
      {{"query_starts", "cu_seqlens_q"},
       {"key_starts", "cu_seqlens_k"},
       {"tensor_layout", "layout"},
       {"rotation.", ""}}};
  for (const auto& [ours, theirs] : kWords) {
    for (size_t at = message.find(ours); at != message.npos;
         at = message.find(ours, at + theirs.size())) {
      message.replace(at, ours.size(), theirs);
    }
  }
  return message.starts_with("mask:") ? "attn_" + message : message;
}

}  // namespace ropewalk::python
