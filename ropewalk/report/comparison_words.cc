#include "ropewalk/report/comparison_words.h"

#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "ropewalk/report/layer_words.h"

namespace ropewalk {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct Words {
  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return fmt::to_string(value); }
  // 10000000, not 1e+07; and digits enough that what differs as a float32 does so here.
  std::string operator()(double value) const {
    const bool whole = std::abs(value) < 1e15 && value == std::trunc(value);
    return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.8g}", value);
  }
  std::string operator()(const std::string& value) const { return value; }
};

// "0 x 16, 1 x 24": the pairs of each axis.
std::string axes_words(const std::vector<int64_t>& pairs) {
  std::string words;
  for (size_t axis = 0; axis < pairs.size(); ++axis) {
    words += fmt::format("{}{} x {}", words.empty() ? "" : ", ", axis, pairs[axis]);
  }
  return words;
}

std::string frequency(double inv_freq) { return fmt::format("{:.9g}", inv_freq); }

void add_spectrum(const RotationDifference& rotation, const std::string& layers, Rows& rows) {
  const auto add = [&](const std::string& what, const std::string& a, const std::string& b) {
    if (a != b) rows.push_back({"spectrum", what, a, b, layers});
  };
  add("pairs", fmt::to_string(rotation.pairs_a), fmt::to_string(rotation.pairs_b));
  if (rotation.first_pair) {
    add(fmt::format("inv_freq of pair {}, the first that differs", *rotation.first_pair),
        frequency(rotation.inv_freq_a), frequency(rotation.inv_freq_b));
  }
  add("attention_scaling", frequency(rotation.attention_scaling_a),
      frequency(rotation.attention_scaling_b));
  add("position axes", axes_words(rotation.axis_pairs_a), axes_words(rotation.axis_pairs_b));
}

}  // namespace

std::string in_words(const FieldValue& value) { return std::visit(Words{}, value); }

Rows difference_rows(const Comparison& comparison) {
  const auto where = [&](const std::vector<size_t>& layers) {
    return layers.size() == comparison.common_layers ? "" : ranges(layers);
  };
  Rows rows;
  bool spectrum_said = false;
  const auto say_spectrum = [&] {
    for (const RotationDifference& each : comparison.rotations) {
      if (!spectrum_said) add_spectrum(each, where(each.layers), rows);
    }
    spectrum_said = true;
  };
  for (const Difference& each : comparison.differences) {
    if (each.level != Difference::Level::config) say_spectrum();
    rows.push_back({std::string(name(each.level)), each.field, in_words(each.a), in_words(each.b),
                    where(each.layers)});
  }
  say_spectrum();
  return rows;
}

Rows cosine_rows(const RotationDifference& rotation) {
  const bool movable = !rotation.cosines.empty() && rotation.cosines.front().moved;
  Rows rows = {{"position", "cosine between the rotations"}};
  if (movable) rows[0].push_back("with the pairs of the first");
  for (const RotationCosine& each : rotation.cosines) {
    rows.push_back({fmt::to_string(each.position), fmt::format("{:.6f}", each.cosine)});
    if (movable) rows.back().push_back(fmt::format("{:.6f}", *each.moved));
  }
  return rows;
}

}  // namespace ropewalk
