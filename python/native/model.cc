#include "python/native/model.h"

#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/native/arguments.h"
#include "python/native/docs.h"
#include "python/native/json.h"
#include "ropewalk/base/error.h"
#include "ropewalk/encoding/to_json.h"
#include "ropewalk/models/models.h"
#include "ropewalk/models/with_scaling.h"
#include "ropewalk/report/model_words.h"

namespace ropewalk::python {
namespace {

// The text of a config.json, of a dict or of a config object of transformers.
std::string json_text(nb::handle config, const char* what) {
  const nb::object dumps = nb::module_::import_("json").attr("dumps");
  const nb::object as_text = nb::borrow(reinterpret_cast<PyObject*>(&PyUnicode_Type));
  try {
    return utf8(dumps(config, nb::arg("default") = as_text));
  } catch (const nb::python_error& error) {
    fail(fmt::format("{}: expected what JSON can hold, found {} ({})", what, found(config),
                     utf8(error.value())));
  }
}

Encoding load(const std::string& text, bool is_path, const std::string& block,
              const std::string& assume) {
  const nb::gil_scoped_release released;
  const GivenBlock given{block, "scaling"};
  return {std::make_shared<const ModelEncoding>(
      is_path
          ? (block.empty() ? load_model(text, assume) : load_model_with(text, given, assume).model)
      : block.empty() ? read_model_config(text, "config", assume)
                      : read_model_with(text, "config", given, assume).model)};
}

nb::list layers_of(const Encoding& self) {
  nb::list layers;
  for (size_t i = 0; i < self.model->layers.size(); ++i)
    layers.append(nb::cast(LayerOf{{self.model, &self.model->layers[i]}, i}));
  return layers;
}

std::optional<int64_t> unless(int64_t value, int64_t nothing) {
  return value == nothing ? std::nullopt : std::optional(value);
}

Rope rope_of(const Encoding& self, nb::handle layer_given, nb::handle length_given,
             nb::handle part_given) {
  const ModelEncoding& model = *self.model;
  const std::optional<int64_t> layer = integer_or_none(layer_given, "layer"),
                               seq_len = integer_or_none(length_given, "seq_len");
  const std::optional<std::string> part = text_or_none(part_given, "part");
  if (seq_len.value_or(1) < 1)
    fail(fmt::format("seq_len: expected at least 1, found {}", *seq_len));
  if (!part) {
    const Layer& from = layer_at(model, layer.value_or(0));
    return make_rope(rope_at(model, layer.value_or(0)), seq_len.value_or(0), from);
  }
  if (layer) fail("layer, part: expected one of them, found both");
  const PositionEncoding& encoding = part_at(model, *part).encoding;
  const auto* rope = std::get_if<RopeConfig>(&encoding);
  if (rope == nullptr) {
    fail(fmt::format("part: {}: expected rope, found {}", *part, name(encoding)));
  }
  return make_rope(*rope, seq_len.value_or(0), {});
}

// What `ropewalk show` prints, but for the end of the last line.
std::string text_of(const Encoding& self) {
  std::string text = in_words(*self.model);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::vector<std::string> parts_of(const Encoding& self) {
  std::vector<std::string> names;
  for (const NamedEncoding& other : self.model->others) names.push_back(other.name);
  return names;
}

void bind_facts(nb::class_<Encoding>& encoding) {
  encoding
      .def_prop_ro(
          "name", [](const Encoding& e) { return e.model->name; }, "The file or preset.")
      .def_prop_ro(
          "family", [](const Encoding& e) { return e.model->family; }, "\"llama\", ...")
      .def_prop_ro(
          "model_type", [](const Encoding& e) { return e.model->model_type; },
          "Whose code it is: \"qwen3\".")
      .def_prop_ro(
          "hidden_size", [](const Encoding& e) { return e.model->hidden_size; }, "Channels of x.")
      .def_prop_ro(
          "heads", [](const Encoding& e) { return e.model->heads; }, "Query heads of most layers.")
      .def_prop_ro(
          "kv_heads", [](const Encoding& e) { return e.model->kv_heads; },
          "Key heads of most layers.")
      .def_prop_ro(
          "head_dim", [](const Encoding& e) { return e.model->head_dim; }, "Channels of a head.")
      .def_prop_ro(
          "max_positions", [](const Encoding& e) { return unless(e.model->max_positions, 0); },
          docs::kMaxPositions)
      .def_prop_ro("layers", layers_of, nb::sig("def layers(self) -> list[Layer]"), docs::kLayers)
      .def_prop_ro("parts", parts_of, docs::kParts)
      .def_prop_ro(
          "warnings", [](const Encoding& e) { return e.model->warnings; }, docs::kWarnings);
}

}  // namespace

Encoding read_any(nb::handle source, const char* what, const std::string& assume,
                  nb::handle scaling) {
  if (nb::isinstance<Encoding>(source) && assume.empty() && scaling.is_none()) {
    return nb::cast<Encoding>(source);
  }
  if (!scaling.is_none() && !nb::isinstance<nb::dict>(scaling)) {
    fail(fmt::format("scaling: expected a dict with the keys of a rope block, found {}",
                     found(scaling)));
  }
  const std::string block = scaling.is_none() ? "" : json_text(scaling, "scaling");
  if (nb::isinstance<nb::dict>(source)) return load(json_text(source, what), false, block, assume);
  if (nb::hasattr(source, "to_dict") && nb::hasattr(source, "model_type")) {
    return load(json_text(source.attr("to_dict")(), what), false, block, assume);
  }
  if (!nb::isinstance<nb::str>(source) && !nb::hasattr(source, "__fspath__")) {
    fail(
        fmt::format("{}: expected a path, the name of a preset, a dict or a config of "
                    "transformers, found {}",
                    what, found(source)));
  }
  // Names of files need not be UTF-8.
  const nb::object path = nb::module_::import_("os").attr("fsencode")(source);
  return load(nb::cast<nb::bytes>(path).c_str(), true, block, assume);
}

void bind_model(nb::module_& m) {
  using nb::arg;
  nb::class_<Encoding> encoding(m, "Encoding", docs::kEncoding);
  bind_layer(m);
  bind_facts(encoding);
  bind_evidence(m, encoding);
  define(encoding, docs::kEncodingRopeSig, rope_of, docs::kEncodingRope,
         arg("layer").none() = nb::none(), arg("seq_len").none() = nb::none(), nb::kw_only(),
         arg("part").none() = nb::none());
  define(
      encoding, "def to_dict(self) -> dict",
      [](const Encoding& e) { return to_python(to_json(*e.model)); }, docs::kEncodingToDict);
  define(
      encoding, docs::kPlotSig,
      [](nb::handle self, nb::handle layer, nb::handle seq_len, nb::handle ax) {
        return nb::module_::import_("ropewalk._plot").attr("plot")(self, layer, seq_len, ax);
      },
      docs::kPlot, nb::kw_only(), arg("layer").none() = nb::none(),
      arg("seq_len").none() = nb::none(), arg("ax").none() = nb::none());
  encoding.def("__repr__", text_of);
  bind_value(encoding, [](const Encoding& e) { return e.model->name; });
  define(
      m, docs::kReadModelSig,
      [](nb::handle source, nb::handle assume, nb::handle scaling) {
        return read_any(source, "source", std::string(text(assume, "assume")), scaling);
      },
      docs::kReadModel, arg("source").none(), nb::kw_only(), arg("assume").none() = "",
      arg("scaling").none() = nb::none());
  define(m, "def preset_names() -> list[str]", &preset_names,
         "The names of the models that are built in.");
}

}  // namespace ropewalk::python
