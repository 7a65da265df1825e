#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// The value of a field; monostate where there is none.
using FieldValue = std::variant<std::monostate, bool, int64_t, double, std::string>;

// A field in which two models differ.
struct Difference {
  enum class Level { config, layout, layer, attention };
  Level level = Level::config;
  std::string field;  // as in to_json: "rope_theta", "softmax_scale"; of another part of
                      // the model behind its name: "vision: rope_theta"
  FieldValue a, b;
  std::vector<size_t> layers;  // that differ so; none where it is of the whole model

  bool operator==(const Difference&) const = default;
};

std::string_view name(Difference::Level level);

struct RotationCosine {
  int64_t position = 0;
  double cosine = 1;            // rotation_cosine
  std::optional<double> moved;  // where the same channels turn in other pairs: with the pairs of
                                // the first, as where the rows of Q and K were moved

  bool operator==(const RotationCosine&) const = default;
};

// Two rotations that are not the same, of the layers that have them.
struct RotationDifference {
  std::vector<size_t> layers;
  size_t pairs_a = 0, pairs_b = 0;
  // Of those that both have: the first pair whose frequencies differ, the frequencies, and the
  // largest |a - b| / |a| of any. No pair where all are the same.
  std::optional<size_t> first_pair;
  double inv_freq_a = 0, inv_freq_b = 0;
  double largest = 0;
  double attention_scaling_a = 1, attention_scaling_b = 1;
  std::vector<int64_t> axis_pairs_a, axis_pairs_b;  // of each position axis, where these differ
  std::vector<RotationCosine> cosines;              // where the heads are of one width

  bool operator==(const RotationDifference&) const = default;
};

struct Comparison {
  std::vector<Difference> differences;
  std::vector<RotationDifference> rotations;
  size_t common_layers = 0;  // those that both have: they are compared one by one

  bool alike() const { return differences.empty() && rotations.empty(); }
  bool operator==(const Comparison&) const = default;
};

struct CompareOptions {
  int64_t seq_len = 0;             // of make_spectrum
  std::optional<int64_t> layer{};  // only this one
};

// How two models encode positions and attend: their fields, and each layer of one beside that of
// the other. Numbers that are the same within the rounding of a float32 are no difference, nor are
// names, evidence and warnings. Throws as layer_at and make_spectrum.
Comparison compare(const ModelEncoding& a, const ModelEncoding& b,
                   const CompareOptions& options = {});

}  // namespace ropewalk
