// A rope as plain Python values, to be pickled with a module of torch that holds it.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/native/rope.h"

namespace ropewalk::python {
namespace {

nb::object state_of(const RotaryLayout& layout) {
  nb::list windows;
  for (const RotaryWindow& window : layout.windows) {
    windows.append(nb::make_tuple(window.offset, window.dim, static_cast<int>(window.pairing)));
  }
  return nb::make_tuple(layout.head_dim, windows);
}

RotaryLayout layout_of(nb::handle state) {
  RotaryLayout layout{nb::cast<int64_t>(state[0]), {}};
  for (const nb::handle window : nb::cast<nb::list>(state[1])) {
    layout.windows.push_back({nb::cast<int64_t>(window[0]), nb::cast<int64_t>(window[1]),
                              static_cast<Pairing>(nb::cast<int>(window[2]))});
  }
  return layout;
}

nb::object state_of(const Rope& rope) {
  const RopeConfig& config = rope.config;
  return nb::make_tuple(
      config.rope_theta, config.rope_type, config.rotary_dim, config.position_axes,
      static_cast<int>(config.inv_freq_dtype), config.parameters, config.lists,
      config.mrope_section, static_cast<int>(config.mrope_order), config.axis_dims, config.reversed,
      state_of(config.layout), config.output_layout ? state_of(*config.output_layout) : nb::none(),
      nb::make_tuple(rope.seq_len, rope.heads.heads, rope.heads.kv_heads, rope.heads.head_dim));
}

Rope rope_of(const nb::tuple& state) {
  RopeConfig config;
  config.rope_theta = nb::cast<double>(state[0]);
  config.rope_type = nb::cast<std::string>(state[1]);
  config.rotary_dim = nb::cast<int64_t>(state[2]);
  config.position_axes = nb::cast<int64_t>(state[3]);
  config.inv_freq_dtype = static_cast<DType>(nb::cast<int>(state[4]));
  config.parameters = nb::cast<decltype(config.parameters)>(state[5]);
  config.lists = nb::cast<decltype(config.lists)>(state[6]);
  config.mrope_section = nb::cast<std::vector<int64_t>>(state[7]);
  config.mrope_order = static_cast<MropeOrder>(nb::cast<int>(state[8]));
  config.axis_dims = nb::cast<std::vector<int64_t>>(state[9]);
  config.reversed = nb::cast<bool>(state[10]);
  config.layout = layout_of(state[11]);
  const nb::object output = state[12];
  if (!output.is_none()) config.output_layout = layout_of(output);
  const nb::object of_calls = state[13];
  Layer heads;
  heads.heads = nb::cast<int64_t>(of_calls[1]);
  heads.kv_heads = nb::cast<int64_t>(of_calls[2]);
  heads.head_dim = nb::cast<int64_t>(of_calls[3]);
  return make_rope(std::move(config), nb::cast<int64_t>(of_calls[0]), heads);
}

}  // namespace

void bind_state(nb::class_<Rope>& rope) {
  rope.def("__getstate__", [](const Rope& self) { return state_of(self); })
      .def("__setstate__",
           [](Rope& self, const nb::tuple& state) { new (&self) Rope(rope_of(state)); })
      .def("__copy__", [](nb::handle self) { return nb::borrow(self); })
      .def("__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); });
}

}  // namespace ropewalk::python
