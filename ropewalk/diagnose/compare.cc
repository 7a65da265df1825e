#include "ropewalk/diagnose/compare.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/diagnose/field_differences.h"
#include "ropewalk/diagnose/layer_kinds.h"
#include "ropewalk/diagnose/rotation_cosine.h"
#include "ropewalk/encoding/to_json.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

using Level = Difference::Level;

// A layer of one model beside that of the other, and the layers that are the same two.
struct LayerPair {
  const Layer& a;
  const Layer& b;
  std::vector<size_t> layers;
};

std::vector<LayerPair> layer_pairs(const ModelEncoding& a, const ModelEncoding& b,
                                   const std::vector<size_t>& layers) {
  std::vector<LayerPair> pairs;
  for (const size_t i : layers) {
    const auto known = std::find_if(pairs.begin(), pairs.end(), [&](const LayerPair& pair) {
      return pair.a == a.layers[i] && pair.b == b.layers[i];
    });
    if (known == pairs.end()) {
      pairs.push_back({a.layers[i], b.layers[i], {i}});
    } else {
      known->layers.push_back(i);
    }
  }
  return pairs;
}

void add_number(const char* field, int64_t a, int64_t b, Level level,
                std::vector<Difference>& differences) {
  if (a != b) differences.push_back({level, field, a, b, {}});
}

void compare_facts(const ModelEncoding& a, const ModelEncoding& b,
                   std::vector<Difference>& differences) {
  add_number("heads", a.heads, b.heads, Level::config, differences);
  add_number("kv_heads", a.kv_heads, b.kv_heads, Level::config, differences);
  add_number("head_dim", a.head_dim, b.head_dim, Level::config, differences);
  if (a.max_positions != b.max_positions) {
    const auto stated = [](int64_t positions) {
      return positions == 0 ? FieldValue() : FieldValue(positions);
    };
    differences.push_back(
        {Level::config, "max_positions", stated(a.max_positions), stated(b.max_positions), {}});
  }
  add_number("layers", std::ssize(a.layers), std::ssize(b.layers), Level::config, differences);
  const std::string x = layer_letters(a), y = layer_letters(b);
  const size_t common = std::min(x.size(), y.size());
  if (x.compare(0, common, y, 0, common) != 0) {
    differences.push_back({Level::config, "kinds of layers", x, y, {}});
  }
}

// The encoding of a part by its name: the `nth` of that name.
const PositionEncoding* part_of(const ModelEncoding& model, const std::string& name, size_t nth) {
  for (const NamedEncoding& other : model.others) {
    if (other.name == name && nth-- == 0) return &other.encoding;
  }
  return nullptr;
}

void compare_others(const ModelEncoding& a, const ModelEncoding& b,
                    std::vector<Difference>& differences) {
  std::vector<std::pair<std::string, size_t>> parts;
  for (const ModelEncoding* model : {&a, &b}) {
    std::vector<std::string> names;
    for (const NamedEncoding& other : model->others) {
      const auto nth = static_cast<size_t>(std::count(names.begin(), names.end(), other.name));
      names.push_back(other.name);
      const std::pair part(other.name, nth);
      if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
    }
  }
  for (const auto& [part, nth] : parts) {
    const PositionEncoding *x = part_of(a, part, nth), *y = part_of(b, part, nth);
    if (x != nullptr && y != nullptr) {
      add_differences(*x, *y, part + ": ", differences);
      continue;
    }
    const auto word = [](const PositionEncoding* encoding) {
      return encoding == nullptr ? FieldValue() : FieldValue(std::string(name(*encoding)));
    };
    differences.push_back({Level::config, part, word(x), word(y), {}});
  }
}

std::vector<Difference> compare_layers(const Layer& a, const Layer& b, const ModelEncoding& of_a,
                                       const ModelEncoding& of_b) {
  std::vector<Difference> differences;
  add_differences(a.positions, b.positions, "", differences);
  if (a.mixer != b.mixer) {
    differences.push_back(
        {Level::layer, "mixer", std::string(name(a.mixer)), std::string(name(b.mixer)), {}});
  }
  if (a.mixer != Mixer::attention || b.mixer != Mixer::attention) return differences;
  // What the models say is not said again.
  const auto add = [&](const char* field, int64_t Layer::*of_layer,
                       int64_t ModelEncoding::*of_model) {
    if (a.*of_layer == of_a.*of_model && b.*of_layer == of_b.*of_model) return;
    add_number(field, a.*of_layer, b.*of_layer, Level::layer, differences);
  };
  add("heads", &Layer::heads, &ModelEncoding::heads);
  add("kv_heads", &Layer::kv_heads, &ModelEncoding::kv_heads);
  add("head_dim", &Layer::head_dim, &ModelEncoding::head_dim);
  add_number("value_dim", a.value_dim, b.value_dim, Level::layer, differences);
  add_differences(to_json(a.attention), to_json(b.attention), Level::attention, "", differences);
  return differences;
}

// The same channels turn in both, in other pairs or to other places.
bool only_pairs_differ(const RopeConfig& a, const RopeConfig& b) {
  if (a.layout == b.layout && a.output_layout == b.output_layout) return false;
  const auto same = [](const RotaryWindow& x, const RotaryWindow& y) {
    return x.offset == y.offset && x.dim == y.dim;
  };
  return std::equal(a.layout.windows.begin(), a.layout.windows.end(), b.layout.windows.begin(),
                    b.layout.windows.end(), same);
}

std::vector<int64_t> pairs_of_axes(const Spectrum& spectrum) {
  std::vector<int64_t> pairs(static_cast<size_t>(axis_count(spectrum)));
  for (const int32_t axis : spectrum.axis) ++pairs[static_cast<size_t>(axis)];
  return pairs;
}

void compare_frequencies(const Spectrum& a, const Spectrum& b, RotationDifference& difference) {
  difference.pairs_a = a.inv_freq.size();
  difference.pairs_b = b.inv_freq.size();
  for (size_t i = 0; i < std::min(a.inv_freq.size(), b.inv_freq.size()); ++i) {
    const double x = a.inv_freq[i], y = b.inv_freq[i];
    if (same_number(x, y)) continue;
    if (!difference.first_pair) {
      difference.first_pair = i;
      difference.inv_freq_a = x;
      difference.inv_freq_b = y;
    }
    difference.largest = std::max(difference.largest, std::abs(x - y) / std::abs(x));
  }
  difference.attention_scaling_a = a.attention_scaling;
  difference.attention_scaling_b = b.attention_scaling;
  if (a.axis == b.axis || a.axis.size() != b.axis.size()) return;
  difference.axis_pairs_a = pairs_of_axes(a);
  difference.axis_pairs_b = pairs_of_axes(b);
}

void add_cosines(const Rotation& a, const Rotation& b, RotationDifference& difference) {
  if (a.rope.layout.head_dim != b.rope.layout.head_dim) return;
  RopeConfig moved = b.rope;
  moved.layout = a.rope.layout;
  moved.output_layout = a.rope.output_layout;
  for (const int64_t position : {1, 16, 256, 4096, 65536}) {
    RotationCosine cosine{position, rotation_cosine(a, b, position), std::nullopt};
    if (only_pairs_differ(a.rope, b.rope)) {
      cosine.moved = rotation_cosine(a, {moved, b.spectrum}, position);
    }
    difference.cosines.push_back(cosine);
  }
}

std::optional<RotationDifference> compare_rotations(const RopeConfig& a, const RopeConfig& b,
                                                    int64_t seq_len) {
  if (a == b) return std::nullopt;
  const Spectrum s = make_spectrum(a, seq_len), t = make_spectrum(b, seq_len);
  RotationDifference difference;
  compare_frequencies(s, t, difference);
  const bool same = difference.pairs_a == difference.pairs_b && !difference.first_pair &&
                    same_number(s.attention_scaling, t.attention_scaling) && s.axis == t.axis &&
                    a.layout == b.layout && a.output_layout == b.output_layout;
  if (same) return std::nullopt;
  add_cosines({a, s}, {b, t}, difference);
  return difference;
}

// Joins the layers of what was said before.
template <typename Said>
void add_said(std::vector<Said>& all, Said said, const std::vector<size_t>& layers) {
  const auto known = std::find_if(all.begin(), all.end(), [&](const Said& other) {
    said.layers = other.layers;
    return said == other;
  });
  if (known == all.end()) {
    said.layers = layers;
    all.push_back(std::move(said));
    return;
  }
  known->layers.insert(known->layers.end(), layers.begin(), layers.end());
  std::sort(known->layers.begin(), known->layers.end());
}

}  // namespace

std::string_view name(Level level) {
  switch (level) {
    case Level::config:
      return "config";
    case Level::layout:
      return "layout";
    case Level::layer:
      return "layer";
    case Level::attention:
      return "attention";
  }
  return "";
}

Comparison compare(const ModelEncoding& a, const ModelEncoding& b, const CompareOptions& options) {
  Comparison comparison;
  compare_facts(a, b, comparison.differences);
  compare_others(a, b, comparison.differences);
  if (a.patches && b.patches) {
    add_differences(to_json(*a.patches), to_json(*b.patches), Level::config, "patches",
                    comparison.differences);
  }
  if (a.mrope && b.mrope) {
    add_differences(to_json(*a.mrope), to_json(*b.mrope), Level::config, "mrope",
                    comparison.differences);
  }
  std::vector<size_t> layers(std::min(a.layers.size(), b.layers.size()));
  std::iota(layers.begin(), layers.end(), 0);
  if (options.layer) {
    layer_at(a, *options.layer);
    layer_at(b, *options.layer);
    layers = {static_cast<size_t>(*options.layer)};
  }
  comparison.common_layers = layers.size();
  for (const LayerPair& pair : layer_pairs(a, b, layers)) {
    for (Difference& difference : compare_layers(pair.a, pair.b, a, b)) {
      add_said(comparison.differences, std::move(difference), pair.layers);
    }
    const auto* x = std::get_if<RopeConfig>(&pair.a.positions);
    const auto* y = std::get_if<RopeConfig>(&pair.b.positions);
    if (x == nullptr || y == nullptr) continue;
    if (auto rotation = compare_rotations(*x, *y, options.seq_len)) {
      add_said(comparison.rotations, std::move(*rotation), pair.layers);
    }
  }
  std::stable_sort(comparison.differences.begin(), comparison.differences.end(),
                   [](const Difference& x, const Difference& y) { return x.level < y.level; });
  return comparison;
}

}  // namespace ropewalk
