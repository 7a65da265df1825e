#include "ropewalk/diagnose/compare.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/native/arguments.h"
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

  bool operator==(const Compared&) const = default;
};

ROPEWALK_FIELDS(Compared, comparison, a, b)

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
  nb::class_<Compared> compared(m, "Comparison", "What differs between two models: compare(a, b).");
  compared
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
      .def("__repr__", comparison_text);
  define(
      compared, "def to_dict(self) -> dict",
      [](const Compared& c) { return to_python(to_json(c.comparison)); },
      "As `ropewalk show A B --json` prints it.");
  bind_value(compared, [](const Compared& c) { return c.a + ' ' + c.b; });
  define(
      m, docs::kCompareSig,
      [](nb::handle a, nb::handle b, nb::handle length, nb::handle layer) {
        const Encoding one = read_any(a, "a"), other = read_any(b, "b");
        const CompareOptions options{.seq_len = integer(length, "seq_len"),
                                     .layer = integer_or_none(layer, "layer")};
        if (options.seq_len < 0) {
          fail(fmt::format("seq_len: expected at least 0, found {}", options.seq_len));
        }
        const nb::gil_scoped_release released;
        return Compared{compare(*one.model, *other.model, options), one.model->name,
                        other.model->name};
      },
      docs::kCompare, arg("a").none(), arg("b").none(), nb::kw_only(), arg("seq_len").none() = 0,
      arg("layer").none() = nb::none());
}

}  // namespace ropewalk::python
