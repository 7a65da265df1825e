#include <cmath>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "python/native/arguments.h"
#include "python/native/docs.h"
#include "python/native/json.h"
#include "python/native/model.h"
#include "ropewalk/apply/alibi.h"
#include "ropewalk/encoding/to_json.h"
#include "ropewalk/report/attention_words.h"
#include "ropewalk/report/layer_words.h"

namespace ropewalk::python {
namespace {

// ropewalk.Attention: the same layer, seen from its scores.
struct Attention {
  LayerOf of;
  const AttentionConfig& config() const { return of.layer().attention; }
  bool operator==(const Attention&) const = default;
};

ROPEWALK_FIELDS(Attention, of)

std::optional<Rope> rope_of(const LayerOf& self) {
  const auto* config = std::get_if<RopeConfig>(&self.layer().positions);
  if (config == nullptr) return std::nullopt;
  return make_rope(*config, 0, self.layer());
}

nb::object slopes_of(const LayerOf& self) {
  const auto* alibi = std::get_if<AlibiConfig>(&self.layer().positions);
  return alibi == nullptr ? nb::none() : array_from(alibi_slopes(*alibi));
}

nb::object attention_of(const LayerOf& self) {
  if (self.layer().mixer != Mixer::attention) return nb::none();
  return nb::cast(Attention{self});
}

double softmax_scale(const Attention& self) {
  const double scale = self.config().softmax_scale;
  return scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(self.of.layer().head_dim));
}

std::optional<int64_t> window(int64_t keys) {
  return keys < 0 ? std::nullopt : std::optional(keys);
}

template <typename T>
std::optional<T> above_zero(T value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

// A field that is a table of its own, as a dict or None.
template <const char* key>
nb::object field(const Attention& self) {
  return to_python(to_json(self.config())[key]);
}

void bind_attention_facts(nb::module_& m) {
  static constexpr char kQkNorm[] = "qk_norm", kQueryScale[] = "query_scale", kLatent[] = "latent";
  nb::class_<Attention> attention(m, "Attention", docs::kAttention);
  attention.def_prop_ro("softmax_scale", softmax_scale, docs::kSoftmaxScale)
      .def_prop_ro(
          "mask", [](const Attention& a) { return std::string(name(a.config().mask)); },
          "\"causal\", \"full\" or \"prefix\".")
      .def_prop_ro(
          "window_left", [](const Attention& a) { return window(a.config().window_left); },
          docs::kWindow)
      .def_prop_ro(
          "window_right", [](const Attention& a) { return window(a.config().window_right); },
          docs::kWindow)
      .def_prop_ro(
          "chunk", [](const Attention& a) { return above_zero(a.config().chunk); },
          "Only keys of the query's own chunk of so many tokens are seen (Llama 4).")
      .def_prop_ro(
          "softcap", [](const Attention& a) { return above_zero(a.config().softcap); },
          "A scaled score s becomes softcap * tanh(s / softcap).")
      .def_prop_ro(
          "sinks", [](const Attention& a) { return a.config().sinks; },
          "A learned logit for each head joins the softmax (gpt-oss).")
      .def_prop_ro("qk_norm", field<kQkNorm>, nb::sig("def qk_norm(self) -> dict | None"),
                   "The norm of q and k.")
      .def_prop_ro("query_scale", field<kQueryScale>,
                   nb::sig("def query_scale(self) -> dict | None"),
                   "q times a number that grows with its position.")
      .def_prop_ro("latent", field<kLatent>, nb::sig("def latent(self) -> dict | None"),
                   "The low-rank projections of multi-head latent attention.")
      .def("__repr__", [](const Attention& a) {
        return fmt::format("<ropewalk.Attention: {}>", in_words(a.of.layer()));
      });
  define(
      attention, "def to_dict(self) -> dict",
      [](const Attention& a) { return to_python(to_json(a.config())); },
      "Every field, None where there is none.");
  bind_value(attention, [](const Attention& a) { return in_words(a.of.layer()); });
}

}  // namespace

void bind_layer(nb::module_& m) {
  bind_attention_facts(m);
  nb::class_<LayerOf> layer(m, "Layer", docs::kLayer);
  layer
      .def_prop_ro(
          "index", [](const LayerOf& l) { return l.index; }, "0 is the first.")
      .def_prop_ro(
          "mixer", [](const LayerOf& l) { return std::string(name(l.layer().mixer)); },
          "\"attention\", \"recurrence\", ...")
      .def_prop_ro(
          "heads", [](const LayerOf& l) { return l.layer().heads; }, "Query heads.")
      .def_prop_ro(
          "kv_heads", [](const LayerOf& l) { return l.layer().kv_heads; }, "Key and value heads.")
      .def_prop_ro(
          "head_dim", [](const LayerOf& l) { return l.layer().head_dim; },
          "Channels of a head of q and k.")
      .def_prop_ro(
          "value_dim", [](const LayerOf& l) { return l.layer().value_dim; },
          "Channels of a head of v.")
      .def_prop_ro("rope", rope_of, docs::kLayerRope)
      .def_prop_ro("alibi_slopes", slopes_of,
                   nb::sig("def alibi_slopes(self) -> numpy.ndarray | None"), docs::kLayerSlopes)
      .def_prop_ro(
          "positions", [](const LayerOf& l) { return to_python(to_json(l.layer().positions)); },
          nb::sig("def positions(self) -> dict"), docs::kLayerPositions)
      .def_prop_ro("attention", attention_of, nb::sig("def attention(self) -> Attention | None"),
                   "None where it has none.")
      .def("__repr__", [](const LayerOf& l) {
        return fmt::format("<ropewalk.Layer {}: {}>", l.index, in_a_line(l.layer().positions));
      });
  bind_value(layer, [](const LayerOf& l) { return in_words(l.layer()); });
}

}  // namespace ropewalk::python
