#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "python/native/arrays.h"
#include "ropewalk/apply/rope.h"
#include "ropewalk/encoding/encodings.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/encoding/spectrum.h"

namespace ropewalk::python {

// ropewalk.Rope: one rotation, its frequencies, and the heads that it is known to turn. Never
// changes once it is made.
struct Rope {
  RopeConfig config;
  int64_t seq_len = 0;     // of every sequence; 0: each sequence's own
  Layer heads{};           // of the model: 0 where they are not known
  Spectrum spectrum;       // for seq_len
  bool by_length = false;  // longer sequences have other frequencies, and no seq_len was given

  bool operator==(const Rope& other) const {  // the rest follows
    return config == other.config && seq_len == other.seq_len && heads == other.heads;
  }
};

// Throws as make_spectrum.
Rope make_rope(RopeConfig config, int64_t seq_len, const Layer& heads);

// ropewalk.Rows: the rows of a step.
struct Rows {
  std::shared_ptr<const Rope> rope;
  RopeRows rows;

  bool operator==(const Rows& other) const { return *rope == *other.rope && rows == other.rows; }
};

// The keywords of every call that rotates.
struct How {
  TensorLayout layout = TensorLayout::bshd;
  Direction direction = Direction::forward;
  Parallel parallel = {};
};

// Throws invalid_argument where both are asked for.
Direction direction_of(nb::handle inverse, nb::handle transpose);

// How many threads a call may use. Throws invalid_argument for a negative count.
Parallel threads_of(int64_t threads);
Parallel threads_of(nb::handle threads);

// The layout of a call. Throws invalid_argument naming the three for None or "", where none was
// given.
TensorLayout layout_named(std::string_view name);
TensorLayout layout_of(nb::handle given);

void bind_rope(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_measure(nb::module_& m);
void bind_constructor(nb::class_<Rope>& rope);

}  // namespace ropewalk::python
