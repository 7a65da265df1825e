#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "python/native/docs.h"
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

RopeRows rows_by_length(const Rope& rope, const PositionIds& ids, Extent extent, const How& how) {
  if (how.direction() != Direction::forward) {
    throw Error(ErrorCode::unsupported,
                "seq_len: expected one for rows that turn back, as this scaling depends on the "
                "length of the sequence, found none; give it to rope()");
  }
  return make_rope_rows_by_length(rope.config, ids, extent.batch, extent.length);
}

Rows make_rows(const std::shared_ptr<const Rope>& rope, nb::handle position_ids, const How& how) {
  const Positions positions(position_ids);
  const Direction direction = how.direction();
  const PositionIds ids = ids_of(*rope, positions);
  const Extent extent = extent_of(positions.shape());
  const KernelScope scope(extent.batch * extent.length * std::ssize(rope->spectrum.inv_freq) * 4);
  if (rope->by_length) return {rope, rows_by_length(*rope, ids, extent, how)};
  return {rope, make_rope_rows(rope->spectrum, ids, extent.batch, extent.length, direction)};
}

void turn(const Rows& rows, Heads& heads, TensorLayout layout, int threads) {
  heads.run([&](const Rotated& q, const std::optional<Rotated>& k) {
    const RopeConfig& config = rows.rope->config;
    RopeOptions options{
        .tensor_layout = layout, .direction = rows.rows.direction, .parallel = threads_of(threads)};
    if (!config.output_layout) return apply_rope(rows.rows, config.layout, q, k, options);
    const bool back = options.direction != Direction::forward;
    options.output_layout = back ? config.layout : *config.output_layout;
    apply_rope(rows.rows, back ? *config.output_layout : config.layout, q, k, options);
  });
}

}  // namespace

void bind_rows(nb::module_& m) {
  using nb::arg;
  nb::class_<Rows> rows(m, "Rows", docs::kRows);
  rows.def(
      "apply_",
      [](const Rows& self, nb::handle q, nb::handle k, const char* layout, int threads) {
        const TensorLayout order = layout_named(layout);
        Heads heads(q, k, order, self.rope->heads);
        turn(self, heads, order, threads);
      },
      arg("q").none(), arg("k").none() = nb::none(), nb::kw_only(), arg("layout") = "",
      arg("threads") = 0, nb::sig(docs::kRowsApplyInPlaceSig), docs::kRowsApplyInPlace);
  rows.def(
      "apply",
      [](const Rows& self, nb::handle q, nb::handle k, const char* layout, int threads) {
        const TensorLayout order = layout_named(layout);
        Heads heads(q, k, order, self.rope->heads);
        heads.make_outputs();
        turn(self, heads, order, threads);
        return heads.results();
      },
      arg("q").none(), arg("k").none() = nb::none(), nb::kw_only(), arg("layout") = "",
      arg("threads") = 0, nb::sig(docs::kRowsApplySig), docs::kRowsApply);
  rows.def_prop_ro(
      "shape",
      [](const Rows& r) { return nb::make_tuple(r.rows.batch, r.rows.length, r.rows.pairs); },
      nb::sig("def shape(self) -> tuple[int, int, int]"), docs::kRowsShape);
  rows.def("__repr__", [](const Rows& r) {
    return fmt::format("<ropewalk.Rows: {} x {} tokens, {} pairs>", r.rows.batch, r.rows.length,
                       r.rows.pairs);
  });

  auto rope = nb::borrow<nb::class_<Rope>>(m.attr("Rope"));
  rope.def(
      "rows",
      [](const std::shared_ptr<const Rope>& self, nb::handle ids, bool inverse, bool transpose) {
        return make_rows(self, ids, {.inverse = inverse, .transpose = transpose});
      },
      arg("position_ids").none(), nb::kw_only(), arg("inverse") = false, arg("transpose") = false,
      nb::sig(docs::kMakeRowsSig), docs::kMakeRows);
}

}  // namespace ropewalk::python
