#include "python/native/rotate.h"

#include <algorithm>

#include <fmt/format.h>

#include "python/native/arguments.h"
#include "ropewalk/attention/head_counts.h"
#include "ropewalk/base/error.h"
#include "ropewalk/positions/mrope.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk::python {
namespace {

void check_count(const Array& array, bool of_keys, TensorLayout layout, const Layer& known) {
  const NamedHeads heads{array.what(), array.in().shape, of_keys};
  check_not_transposed(known, heads, layout);
  const std::string strange = strange_head_count(known, heads, layout);
  if (!strange.empty()) fail(fmt::format("{}, {}", strange, in_words(array.in())));
}

}  // namespace

TensorLayout layout_named(std::string_view name) {
  if (!name.empty()) return named("layout", [&] { return tensor_layout_from_name(name); });
  fail(
      "layout: expected \"bshd\" ([batch, seq, heads, head_dim]), \"bhsd\" or \"thd\" ([tokens, "
      "heads, head_dim]), found none; no array says it");
}

TensorLayout layout_of(nb::handle given) {
  return layout_named(given.is_none() ? "" : text(given, "layout"));
}

Parallel threads_of(int64_t threads) {
  constexpr int64_t kMost = 1 << 20;
  if (threads < 0) fail(fmt::format("threads: expected at least 0, found {}", threads));
  return {static_cast<int>(std::min(threads, kMost)), {}};
}

Parallel threads_of(nb::handle threads) { return threads_of(integer(threads, "threads")); }

Direction direction_of(nb::handle inverse, nb::handle transpose) {
  const bool back = flag(inverse, "inverse"), transposed = flag(transpose, "transpose");
  if (back && transposed) fail("inverse, transpose: expected one of them, found both");
  return back ? Direction::inverse : transposed ? Direction::transpose : Direction::forward;
}

Heads::Heads(nb::handle q_array, nb::handle k_array, TensorLayout layout, const Layer& known)
    : q_object(q_array), k_object(k_array), q(q_array, "q") {
  check_count(q, false, layout, known);
  if (k_array.is_none()) return;
  k.emplace(k_array, "k");
  check_count(*k, true, layout, known);
}

void Heads::make_outputs() {
  q_out = empty_like(q_object);
  q_result.emplace(q_out, "q");
  if (!k) return;
  k_out = empty_like(k_object);
  k_result.emplace(k_out, "k");
}

nb::object Heads::results() const {
  nb::object of_q = finished(q_out, q_object);
  return k ? nb::object(nb::make_tuple(of_q, finished(k_out, k_object))) : of_q;
}

int64_t Heads::elements() const {
  int64_t count = 1;
  for (const int64_t dim : q.in().shape) count *= std::clamp<int64_t>(dim, 0, 1 << 14);
  return count;
}

void Heads::tell(const Error& error) const {
  std::string what = fmt::format("{}; q is {}", error.what(), in_words(q.in()));
  if (k) what += fmt::format(", k {}", in_words(k->in()));
  throw Error(error.code(), what);
}

PositionIds ids_of(const Rope& rope, const Positions& positions) {
  PositionIds ids = positions.ids();
  const int64_t axes = rope.config.position_axes;
  const int rank = positions.shape().size();
  if (axes > 1 && rank != 3 && !one_list_of_positions(rope.config)) {
    fail(fmt::format(
        "position_ids: expected shape [{}, batch, seq], one plane for each axis, found {}", axes,
        rank == 0 ? "one position" : to_string(positions.shape())));
  }
  // A section of no pairs leaves its plane unread.
  if (rank == 3 && ids.ids.shape[0] == axes) {
    ids.ids.shape[0] = std::min<int64_t>(axes, axis_count(rope.spectrum));
  }
  return ids;
}

}  // namespace ropewalk::python
