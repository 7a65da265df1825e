#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

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
};

// Throws as make_spectrum.
Rope make_rope(RopeConfig config, int64_t seq_len, const Layer& heads);

// ropewalk.Rows: the rows of a step.
struct Rows {
  std::shared_ptr<const Rope> rope;
  RopeRows rows;
};

// The keywords of every call that rotates.
struct How {
  const char* layout = "";  // "": not given
  bool inverse = false, transpose = false;
  int threads = 0;

  // Throws invalid_argument where both are asked for.
  Direction direction() const;
};

// How many threads a call may use. Throws invalid_argument for a negative count.
Parallel threads_of(int threads);

// The layout of a call. Throws invalid_argument naming the three for "", where none was given.
TensorLayout layout_named(const char* name);

void bind_rope(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_measure(nb::module_& m);
void bind_constructor(nb::class_<Rope>& rope);
// How a rope is copied and pickled.
void bind_state(nb::class_<Rope>& rope);

}  // namespace ropewalk::python
