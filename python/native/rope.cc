#include "python/native/rope.h"

#include <algorithm>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "python/native/arguments.h"
#include "python/native/docs.h"
#include "python/native/json.h"
#include "python/native/rope_state.h"
#include "python/native/rotate.h"
#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/rotation_decay.h"
#include "ropewalk/encoding/to_json.h"
#include "ropewalk/report/layer_words.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/tables/cos_sin.h"

namespace ropewalk::python {
namespace {

void turn(const Rope& rope, Heads& heads, const Positions& positions, const How& how) {
  const Direction direction = how.direction;
  const PositionIds ids = ids_of(rope, positions);
  heads.run([&](const Rotated& q, const std::optional<Rotated>& k) {
    if (rope.by_length) {
      return rotate(
          rope.config, ids, q, k,
          {.tensor_layout = how.layout, .direction = direction, .parallel = how.parallel});
    }
    const bool swapped = direction != Direction::forward && rope.config.output_layout;
    RopeOptions options{.tensor_layout = how.layout,
                        .direction = direction,
                        .output_layout = rope.config.output_layout,
                        .parallel = how.parallel};
    if (swapped) options.output_layout = rope.config.layout;
    apply_rope(rope.spectrum, swapped ? *rope.config.output_layout : rope.config.layout, ids, q, k,
               options);
  });
}

void apply_in_place(const Rope& rope, nb::handle q, nb::handle k, nb::handle position_ids,
                    const How& how) {
  Heads heads(q, k, how.layout, rope.heads);
  turn(rope, heads, Positions(position_ids), how);
}

nb::object apply(const Rope& rope, nb::handle q, nb::handle k, nb::handle position_ids,
                 const How& how) {
  Heads heads(q, k, how.layout, rope.heads);
  heads.make_outputs();
  turn(rope, heads, Positions(position_ids), how);
  return heads.results();
}

nb::object inv_freq(const Rope& rope) {
  if (rope.config.inv_freq_dtype == DType::f64) return array_from(rope.spectrum.inv_freq);
  return array_from(
      std::vector<float>(rope.spectrum.inv_freq.begin(), rope.spectrum.inv_freq.end()));
}

// cos_sin with each sequence's own length, 1 + its largest position.
CosSin rows_by_length(const RopeConfig& config, const PositionIds& ids, CosSinOptions options) {
  const Dims& shape = ids.ids.shape;
  const int rank = shape.size();
  const int64_t batch = rank > 1 ? shape[rank - 2] : 1;
  const std::vector<int64_t> lengths =
      sequence_lengths(ids, batch, shape[rank - 1], rank == 3 ? shape[0] : 1);
  const int64_t most = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  options.seq_len = most;
  CosSin rows = cos_sin(config, ids.ids, options);
  for (int64_t b = 0; b < batch; ++b) {
    options.seq_len = lengths[static_cast<size_t>(b)];
    if (options.seq_len == most) continue;
    ConstTensorView own = ids.ids;
    own.data = static_cast<const char*>(own.data) +
               b * own.strides[rank - 2] * static_cast<int64_t>(size_in_bytes(own.dtype));
    own.shape[rank - 2] = 1;
    const CosSin of_one = cos_sin(config, own, options);
    const auto from = b * std::ssize(of_one.cos.bytes);
    std::ranges::copy(of_one.cos.bytes, rows.cos.bytes.begin() + from);
    std::ranges::copy(of_one.sin.bytes, rows.sin.bytes.begin() + from);
  }
  return rows;
}

nb::object cos_sin_of(const Rope& rope, nb::handle position_ids, nb::handle dtype,
                      nb::handle angles, nb::handle form) {
  const Positions positions(position_ids);
  PositionIds ids = ids_of(rope, positions);
  if (ids.is_run()) ids = positions_of(make_view(&ids.first, DType::i64, {1}));
  const CosSinOptions options{
      .mode = named("angles", [&] { return angle_mode_from_name(text(angles, "angles")); }),
      .form = named("form", [&] { return row_form_from_name(text(form, "form")); }),
      .dtype = float_dtype(dtype),
      .seq_len = rope.seq_len};
  std::optional<CosSin> rows;
  {
    const nb::gil_scoped_release released;
    rows = rope.by_length ? rows_by_length(rope.config, ids, options)
                          : cos_sin(rope.config, ids.ids, options);
  }
  return nb::make_tuple(array_from(std::move(rows->cos), position_ids),
                        array_from(std::move(rows->sin), position_ids));
}

nb::object pairing_of(const Rope& rope) {
  const std::vector<RotaryWindow>& windows = rope.config.layout.windows;
  for (const RotaryWindow& window : windows) {
    if (window.pairing != windows.front().pairing) return nb::none();
  }
  const std::string_view text = windows.empty() ? "" : name(windows.front().pairing);
  return nb::str(text.data(), text.size());
}

void bind_facts(nb::class_<Rope>& rope) {
  rope.def_prop_ro(
          "head_dim", [](const Rope& r) { return r.config.layout.head_dim; }, docs::kHeadDim)
      .def_prop_ro(
          "rotary_dim", [](const Rope& r) { return r.config.rotary_dim; }, docs::kRotaryDim)
      .def_prop_ro(
          "base", [](const Rope& r) { return r.config.rope_theta; }, docs::kBase)
      .def_prop_ro(
          "rope_type", [](const Rope& r) { return r.config.rope_type; }, docs::kRopeType)
      .def_prop_ro("pairing", pairing_of, nb::sig("def pairing(self) -> str | None"),
                   docs::kPairing)
      .def_prop_ro("inv_freq", inv_freq, nb::sig("def inv_freq(self) -> numpy.ndarray"),
                   docs::kInvFreq)
      .def_prop_ro(
          "axis", [](const Rope& r) { return array_from(r.spectrum.axis); },
          nb::sig("def axis(self) -> numpy.ndarray"), docs::kAxis)
      .def_prop_ro(
          "attention_scaling", [](const Rope& r) { return r.spectrum.attention_scaling; },
          docs::kAttentionScaling)
      .def_prop_ro(
          "softmax_factor", [](const Rope& r) { return softmax_factor(r.config); },
          docs::kSoftmaxFactor)
      .def_prop_ro(
          "seq_len",
          [](const Rope& r) { return r.seq_len > 0 ? std::optional(r.seq_len) : std::nullopt; },
          docs::kSeqLen)
      .def_prop_ro(
          "heads",
          [](const Rope& r) {
            return r.heads.heads > 0 ? std::optional(r.heads.heads) : std::nullopt;
          },
          docs::kHeads)
      .def_prop_ro(
          "kv_heads",
          [](const Rope& r) {
            return r.heads.kv_heads > 0 ? std::optional(r.heads.kv_heads) : std::nullopt;
          },
          docs::kKvHeads);
}

}  // namespace

void bind_rope(nb::module_& m) {
  using nb::arg;
  nb::class_<Rope> rope(m, "Rope", docs::kRope);
  bind_constructor(rope);
  define(
      rope, docs::kApplyInPlaceSig,
      [](const Rope& self, nb::handle q, nb::handle k, nb::handle ids, nb::handle layout,
         nb::handle inverse, nb::handle transpose, nb::handle threads) {
        apply_in_place(self, q, k, ids,
                       {layout_of(layout), direction_of(inverse, transpose), threads_of(threads)});
      },
      docs::kApplyInPlace, arg("q").none(), arg("k").none() = nb::none(),
      arg("position_ids").none() = nb::none(), nb::kw_only(), arg("layout").none() = nb::none(),
      arg("inverse").none() = false, arg("transpose").none() = false, arg("threads").none() = 0);
  define(
      rope, docs::kApplySig,
      [](const Rope& self, nb::handle q, nb::handle k, nb::handle ids, nb::handle layout,
         nb::handle inverse, nb::handle transpose, nb::handle threads) {
        return apply(self, q, k, ids,
                     {layout_of(layout), direction_of(inverse, transpose), threads_of(threads)});
      },
      docs::kApply, arg("q").none(), arg("k").none() = nb::none(),
      arg("position_ids").none() = nb::none(), nb::kw_only(), arg("layout").none() = nb::none(),
      arg("inverse").none() = false, arg("transpose").none() = false, arg("threads").none() = 0);
  define(rope, docs::kCosSinSig, cos_sin_of, docs::kCosSin, arg("position_ids").none(),
         nb::kw_only(), arg("dtype").none() = "float32", arg("angles").none() = "exact",
         arg("form").none() = "half");
  define(
      rope, "def decay(self, distances: object) -> numpy.ndarray",
      [](const Rope& r, nb::handle distances) {
        return array_from(
            rotation_decay(r.config, Positions(distances, "distances").list(), r.seq_len));
      },
      docs::kDecay, arg("distances").none());
  define(
      rope, "def to_dict(self) -> dict", [](const Rope& r) { return to_python(to_json(r.config)); },
      docs::kRopeToDict);
  define(
      rope, docs::kPlotDecaySig,
      [](nb::handle self, nb::handle distances, nb::handle ax) {
        return nb::module_::import_("ropewalk._plot").attr("plot_decay")(self, distances, ax);
      },
      docs::kPlotDecay, arg("distances").none() = nb::none(), nb::kw_only(),
      arg("ax").none() = nb::none());
  rope.def("__repr__", [](const Rope& r) {
    return fmt::format("<ropewalk.Rope: {}{}>", in_a_line(PositionEncoding(r.config)),
                       r.seq_len > 0 ? fmt::format(", for {} positions", r.seq_len) : "");
  });
  bind_value(rope, [](const Rope& r) { return to_json(r.config).dump(); });
  bind_facts(rope);
}

}  // namespace ropewalk::python
