#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include "python/native/docs.h"
#include "python/native/model.h"

namespace ropewalk::python {

void bind_evidence(nb::module_& m, nb::class_<Encoding>& encoding) {
  nb::class_<Evidence> fact(m, "Evidence", "Where one fact about a model comes from.");
  fact.def_ro("field", &Evidence::field, "\"rope_theta\"")
      .def_ro("value", &Evidence::value, "\"500000\"")
      .def_ro("source", &Evidence::source,
              "\"config.json: /rope_theta\", \"default of LlamaConfig\", ...")
      .def("__repr__", [](const Evidence& self) {
        return fmt::format("{} = {} ({})", self.field, self.value, self.source);
      });
  bind_value(fact, [](const Evidence& self) { return self.field + self.value + self.source; });
  encoding.def_prop_ro(
      "evidence",
      [](const Encoding& self) {
        nb::list facts;
        for (const Evidence& each : self.model->evidence) facts.append(nb::cast(each));
        return facts;
      },
      nb::sig("def evidence(self) -> list[Evidence]"), docs::kEvidence);
}

}  // namespace ropewalk::python
