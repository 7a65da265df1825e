#include "python/native/rope_state.h"

namespace ropewalk::python::state {

nb::object Of<Rope>::write(const Rope& rope) {
  return nb::make_tuple(python::write(rope.config), rope.seq_len, rope.heads.heads,
                        rope.heads.kv_heads, rope.heads.head_dim);
}

Rope Of<Rope>::read(nb::handle given) {
  expect_tuple(given, 5);
  const Layer heads{.heads = python::read<int64_t>(item(given, 2)),
                    .kv_heads = python::read<int64_t>(item(given, 3)),
                    .head_dim = python::read<int64_t>(item(given, 4))};
  return make_rope(python::read<RopeConfig>(item(given, 0)), python::read<int64_t>(item(given, 1)),
                   heads);
}

}  // namespace ropewalk::python::state
