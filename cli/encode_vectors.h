#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ropewalk/base/dtype.h"

namespace ropewalk::cli {

// What ropewalk encode was asked for.
struct EncodeOptions {
  std::string text, positions, dim = "512", offset = "0", base = "10000";
  std::string layout = "interleaved", kind = "sinusoidal", dtype = "f32", output, picture;
  std::string model, weights, part;
  bool json = false, force = false;
};

// The vectors of a command: one row per position, named by its token where there is a text.
struct Vectors {
  std::vector<int64_t> positions;
  std::vector<std::string> tokens;
  int64_t dim = 0;
  std::vector<float> values;
  DType dtype = DType::f32;
  std::vector<uint16_t> halves;  // the values as bf16 or f16, if that is the dtype

  std::span<const float> row(size_t i) const {
    return std::span(values).subspan(i * static_cast<size_t>(dim), static_cast<size_t>(dim));
  }
};

// The vectors that were asked for: of the formula, of a naive way, or those that a model adds to
// its input, from its config or its checkpoint. Throws naming the option.
Vectors make_vectors(EncodeOptions& options);

}  // namespace ropewalk::cli
