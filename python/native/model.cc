#include "python/native/model.h"

#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/native/docs.h"
#include "python/native/json.h"
#include "ropewalk/base/error.h"
#include "ropewalk/encoding/to_json.h"
#include "ropewalk/models/models.h"
#include "ropewalk/models/with_scaling.h"

namespace ropewalk::python {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

// The text of a config.json, of a dict or of a config object of transformers.
std::string json_text(nb::handle config) {
  nb::object dumps = nb::module_::import_("json").attr("dumps");
  const nb::object as_text = nb::borrow(reinterpret_cast<PyObject*>(&PyUnicode_Type));
  return nb::str(dumps(config, nb::arg("default") = as_text)).c_str();
}

Encoding read(const std::string& text, bool is_path, const std::string& block,
              const std::string& assume) {
  const nb::gil_scoped_release released;
  const GivenBlock given{block, "scaling"};
  Encoding encoding;
  if (is_path) encoding.path = text;
  encoding.model = std::make_shared<const ModelEncoding>(
      is_path
          ? (block.empty() ? load_model(text, assume) : load_model_with(text, given, assume).model)
      : block.empty() ? read_model_config(text, "config", assume)
                      : read_model_with(text, "config", given, assume).model);
  return encoding;
}

nb::list layers_of(const Encoding& self) {
  nb::list layers;
  for (size_t i = 0; i < self.model->layers.size(); ++i)
    layers.append(nb::cast(LayerOf{self.model, i}));
  return layers;
}

std::optional<int64_t> unless(int64_t value, int64_t nothing) {
  return value == nothing ? std::nullopt : std::optional(value);
}

Rope rope_of(const Encoding& self, std::optional<int64_t> layer, std::optional<int64_t> seq_len,
             std::optional<std::string> part) {
  const ModelEncoding& model = *self.model;
  if (seq_len.value_or(1) < 1)
    fail(fmt::format("seq_len: expected at least 1, found {}", *seq_len));
  if (!part) {
    const Layer& from = layer_at(model, layer.value_or(0));
    return make_rope(rope_at(model, layer.value_or(0)), seq_len.value_or(0), from);
  }
  if (layer) fail("layer, part: expected one of them, found both");
  for (const NamedEncoding& other : model.others) {
    if (other.name != *part) continue;
    const auto* rope = std::get_if<RopeConfig>(&other.encoding);
    if (rope == nullptr) {
      fail(fmt::format("part: {}: expected rope, found {}", *part, name(other.encoding)));
    }
    return make_rope(*rope, seq_len.value_or(0), {});
  }
  fail(fmt::format("part: expected one of those in parts, found \"{}\"", escaped(*part)));
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

Encoding read_any(nb::handle source, const std::string& assume, nb::handle scaling) {
  if (nb::isinstance<Encoding>(source) && assume.empty() && scaling.is_none()) {
    return nb::cast<Encoding>(source);
  }
  const std::string block = scaling.is_none() ? "" : json_text(scaling);
  if (nb::isinstance<nb::dict>(source)) return read(json_text(source), false, block, assume);
  if (nb::hasattr(source, "to_dict") && nb::hasattr(source, "model_type")) {
    return read(json_text(source.attr("to_dict")()), false, block, assume);
  }
  if (!nb::isinstance<nb::str>(source) && !nb::hasattr(source, "__fspath__")) {
    fail(
        fmt::format("source: expected a path, the name of a preset, a dict or a config of "
                    "transformers, found {}",
                    nb::type_name(source.type()).c_str()));
  }
  const nb::object path = nb::module_::import_("os").attr("fspath")(source);
  return read(nb::str(path).c_str(), true, block, assume);
}

void bind_model(nb::module_& m) {
  using nb::arg;
  nb::class_<Encoding> encoding(m, "Encoding", docs::kEncoding);
  bind_layer(m);
  bind_facts(encoding);
  bind_evidence(m, encoding);
  encoding.def("rope", rope_of, arg("layer").none() = nb::none(),
               arg("seq_len").none() = nb::none(), nb::kw_only(), arg("part").none() = nb::none(),
               nb::sig(docs::kEncodingRopeSig), docs::kEncodingRope);
  encoding.def(
      "to_dict", [](const Encoding& e) { return to_python(to_json(*e.model)); },
      nb::sig("def to_dict(self) -> dict"), docs::kEncodingToDict);
  encoding.def(
      "plot",
      [](nb::handle self, nb::handle layer, nb::handle seq_len, nb::handle ax) {
        return nb::module_::import_("ropewalk._plot").attr("plot")(self, layer, seq_len, ax);
      },
      nb::kw_only(), arg("layer").none() = nb::none(), arg("seq_len").none() = nb::none(),
      arg("ax").none() = nb::none(), nb::sig(docs::kPlotSig), docs::kPlot);
  encoding.def("__repr__", [](const Encoding& e) { return text_of(e); });
  encoding.def(
      "__eq__", [](const Encoding& a, const Encoding& b) { return *a.model == *b.model; },
      nb::is_operator(), nb::sig("def __eq__(self, arg: object, /) -> bool"));
  encoding.def("__hash__", [](const Encoding& e) {
    return static_cast<int64_t>(std::hash<std::string>()(e.model->name) >> 1);
  });
  m.def(
      "read_model",
      [](nb::handle source, const std::string& assume, nb::handle scaling) {
        return read_any(source, assume, scaling);
      },
      arg("source").none(), nb::kw_only(), arg("assume") = "", arg("scaling").none() = nb::none(),
      nb::sig(docs::kReadModelSig), docs::kReadModel);
  m.def("preset_names", &preset_names, "The names of the models that are built in.");
}

}  // namespace ropewalk::python
