#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "python/native/arguments.h"
#include "python/native/docs.h"
#include "python/native/rope_state.h"
#include "python/native/rotate.h"
#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/base/error.h"

namespace ropewalk::python {
namespace {

struct Extent {
  int64_t batch = 1, length = 1;
};

Extent extent_of(const Dims& ids) {
  const int rank = ids.size();
  if (rank == 0) return {};
  return {rank > 1 ? ids[rank - 2] : 1, ids[rank - 1]};
}

RopeRows rows_by_length(const Rope& rope, const PositionIds& ids, Extent extent,
                        Direction direction) {
  if (direction != Direction::forward) {
    throw Error(ErrorCode::unsupported,
                "seq_len: expected one for rows that turn back, as this scaling depends on the "
                "length of the sequence, found none; give it to rope()");
  }
  return make_rope_rows_by_length(rope.config, ids, extent.batch, extent.length);
}

Rows make_rows(const std::shared_ptr<const Rope>& rope, nb::handle position_ids,
               Direction direction) {
  const Positions positions(position_ids);
  const PositionIds ids = ids_of(*rope, positions);
  const Extent extent = extent_of(positions.shape());
  const KernelScope scope(extent.batch * extent.length * std::ssize(rope->spectrum.inv_freq) * 4);
  if (rope->by_length) return {rope, rows_by_length(*rope, ids, extent, direction)};
  return {rope, make_rope_rows(rope->spectrum, ids, extent.batch, extent.length, direction)};
}

void turn(const Rows& rows, Heads& heads, const How& how) {
  heads.run([&](const Rotated& q, const std::optional<Rotated>& k) {
    const RopeConfig& config = rows.rope->config;
    RopeOptions options{
        .tensor_layout = how.layout, .direction = rows.rows.direction, .parallel = how.parallel};
    if (!config.output_layout) return apply_rope(rows.rows, config.layout, q, k, options);
    const bool back = options.direction != Direction::forward;
    options.output_layout = back ? config.layout : *config.output_layout;
    apply_rope(rows.rows, back ? *config.output_layout : config.layout, q, k, options);
  });
}

}  // namespace

ROPEWALK_FIELDS(Rows, rope, rows)

void bind_rows(nb::module_& m) {
  using nb::arg;
  nb::class_<Rows> rows(m, "Rows", docs::kRows);
  define(
      rows, docs::kRowsApplyInPlaceSig,
      [](const Rows& self, nb::handle q, nb::handle k, nb::handle layout, nb::handle threads) {
        const How how{.layout = layout_of(layout), .parallel = threads_of(threads)};
        Heads heads(q, k, how.layout, self.rope->heads);
        turn(self, heads, how);
      },
      docs::kRowsApplyInPlace, arg("q").none(), arg("k").none() = nb::none(), nb::kw_only(),
      arg("layout").none() = nb::none(), arg("threads").none() = 0);
  define(
      rows, docs::kRowsApplySig,
      [](const Rows& self, nb::handle q, nb::handle k, nb::handle layout, nb::handle threads) {
        const How how{.layout = layout_of(layout), .parallel = threads_of(threads)};
        Heads heads(q, k, how.layout, self.rope->heads);
        heads.make_outputs();
        turn(self, heads, how);
        return heads.results();
      },
      docs::kRowsApply, arg("q").none(), arg("k").none() = nb::none(), nb::kw_only(),
      arg("layout").none() = nb::none(), arg("threads").none() = 0);
  rows.def_prop_ro(
      "shape",
      [](const Rows& r) { return nb::make_tuple(r.rows.batch, r.rows.length, r.rows.pairs); },
      nb::sig("def shape(self) -> tuple[int, int, int]"), docs::kRowsShape);
  rows.def("__repr__", [](const Rows& r) {
    return fmt::format("<ropewalk.Rows: {} x {} tokens, {} pairs>", r.rows.batch, r.rows.length,
                       r.rows.pairs);
  });

  bind_value(rows, [](const Rows& r) {
    return fmt::format("{} {} {}", r.rows.batch, r.rows.length, r.rows.pairs);
  });

  auto rope = nb::borrow<nb::class_<Rope>>(m.attr("Rope"));
  define(
      rope, docs::kMakeRowsSig,
      [](const std::shared_ptr<const Rope>& self, nb::handle ids, nb::handle inverse,
         nb::handle transpose) { return make_rows(self, ids, direction_of(inverse, transpose)); },
      docs::kMakeRows, arg("position_ids").none(), nb::kw_only(), arg("inverse").none() = false,
      arg("transpose").none() = false);
}

}  // namespace ropewalk::python
