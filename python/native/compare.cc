#include "ropewalk/diagnose/compare.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/native/docs.h"
#include "python/native/json.h"
#include "python/native/model.h"
#include "ropewalk/base/error.h"
#include "ropewalk/report/comparison_words.h"
#include "ropewalk/report/to_json.h"

namespace ropewalk::python {
namespace {

// ropewalk.Comparison
struct Compared {
  Comparison comparison;
  std::string a, b;
};

std::string comparison_text(const Compared& compared) {
  if (compared.comparison.alike()) {
    return fmt::format("{} and {} encode positions and attend alike", escaped(compared.a),
                       escaped(compared.b));
  }
  std::string text = fmt::format("{} beside {}", escaped(compared.a), escaped(compared.b));
  for (const std::vector<std::string>& row : difference_rows(compared.comparison)) {
    text += fmt::format("\n  {}: {}: {} beside {}{}", row[0], row[1], row[2], row[3],
                        row[4].empty() ? "" : ", layers " + row[4]);
  }
  return text;
}

}  // namespace

void bind_compare(nb::module_& m) {
  using nb::arg;
  nb::class_<Compared>(m, "Comparison", "What differs between two models: compare(a, b).")
      .def_prop_ro(
          "alike", [](const Compared& c) { return c.comparison.alike(); },
          "Whether both encode positions and attend alike.")
      .def_prop_ro(
          "differences",
          [](const Compared& c) { return to_python(to_json(c.comparison)["differences"]); },
          nb::sig("def differences(self) -> list[dict]"),
          "Each field that differs: level, field, a, b, layers.")
      .def_prop_ro(
          "rotations",
          [](const Compared& c) { return to_python(to_json(c.comparison)["rotations"]); },
          nb::sig("def rotations(self) -> list[dict]"),
          "Rotations that are not the same, and how far apart they turn.")
      .def(
          "to_dict", [](const Compared& c) { return to_python(to_json(c.comparison)); },
          nb::sig("def to_dict(self) -> dict"), "As `ropewalk show A B --json` prints it.")
      .def("__repr__", comparison_text);
  m.def(
      "compare",
      [](nb::handle a, nb::handle b, int64_t seq_len, std::optional<int64_t> layer) {
        const Encoding one = read_any(a, "", nb::none()), other = read_any(b, "", nb::none());
        const nb::gil_scoped_release released;
        return Compared{compare(*one.model, *other.model, {.seq_len = seq_len, .layer = layer}),
                        one.model->name, other.model->name};
      },
      arg("a"), arg("b"), nb::kw_only(), arg("seq_len") = 0, arg("layer").none() = nb::none(),
      nb::sig(docs::kCompareSig), docs::kCompare);
}

}  // namespace ropewalk::python
