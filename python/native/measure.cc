// For bench/python_step.py: what a call costs without Python, and what an import of its arrays
// costs.
#include <chrono>
#include <vector>

#include <nanobind/stl/vector.h>

#include "python/native/rotate.h"

namespace ropewalk::python {
namespace {

// Nanoseconds of each of so many calls of the library's own apply_rope, in place.
std::vector<int64_t> time_rows(const Rows& rows, nb::handle q, nb::handle k, nb::handle layout,
                               int64_t calls) {
  const TensorLayout order = layout_of(layout);
  const Array of_q(q, "q"), of_k(k, "k");
  const Rotated in_q{of_q.in(), of_q.out()}, in_k{of_k.in(), of_k.out()};
  std::vector<int64_t> times;
  for (int64_t i = 0; i < calls; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    apply_rope(rows.rows, rows.rope->config.layout, in_q, in_k, {.tensor_layout = order});
    times.push_back((std::chrono::steady_clock::now() - begin).count());
  }
  return times;
}

}  // namespace

void bind_measure(nb::module_& m) {
  using nb::arg;
  m.def("_time_rows", time_rows, arg("rows"), arg("q"), arg("k"), nb::kw_only(), arg("layout"),
        arg("calls"));
  m.def(
      "_import_only",
      [](const Rows&, nb::handle q, nb::handle k, nb::handle layout, nb::handle threads) {
        layout_of(layout), threads_of(threads);
        const Array of_q(q, "q"), of_k(k, "k");
      },
      arg("rows"), arg("q"), arg("k"), nb::kw_only(), arg("layout"), arg("threads") = 0);
}

}  // namespace ropewalk::python
