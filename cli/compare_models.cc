#include "cli/compare_models.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "cli/output.h"
#include "cli/rotary.h"
#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/layer_kinds.h"
#include "ropewalk/encoding/to_json.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk::cli {
namespace {

struct Rows {
  std::vector<std::vector<std::string>> rows;
  bool differ = false;

  void add(const std::string& level, const std::string& what, const std::string& a,
           const std::string& b) {
    if (a == b) return;
    rows.push_back({level, what, a, b});
    differ = true;
  }
};

using Matrix = std::map<std::pair<int64_t, int64_t>, double>;

int64_t second_of(const RotaryWindow& window, int64_t i) {
  return window.offset + (window.pairing == Pairing::half_split ? i + window.dim / 2 : 2 * i + 1);
}
int64_t first_of(const RotaryWindow& window, int64_t i) {
  return window.offset + (window.pairing == Pairing::half_split ? i : 2 * i);
}

// The matrix that turns a head at one position, the same on every axis.
Matrix rotation(const RopeConfig& rope, const Spectrum& spectrum, int64_t position) {
  Matrix matrix;
  for (int64_t i = 0; i < rope.layout.head_dim; ++i) matrix[{i, i}] = 1;
  const RotaryLayout& to = rope.output_layout ? *rope.output_layout : rope.layout;
  size_t pair = 0;
  for (size_t w = 0; w < rope.layout.windows.size(); ++w) {
    for (int64_t i = 0; i < rope.layout.windows[w].dim / 2; ++i, ++pair) {
      const int64_t x = first_of(rope.layout.windows[w], i),
                    y = second_of(rope.layout.windows[w], i);
      const int64_t u = first_of(to.windows[w], i), v = second_of(to.windows[w], i);
      const double angle = std::remainder(static_cast<double>(position) * spectrum.inv_freq[pair],
                                          2 * std::numbers::pi);
      const double scale = spectrum.attention_scaling;
      matrix.erase({x, x});
      matrix.erase({y, y});
      matrix[{u, x}] = scale * std::cos(angle);
      matrix[{u, y}] = -scale * std::sin(angle);
      matrix[{v, x}] = scale * std::sin(angle);
      matrix[{v, y}] = scale * std::cos(angle);
    }
  }
  return matrix;
}

double inner(const Matrix& a, const Matrix& b) {
  double sum = 0;
  for (const auto& [place, value] : a) {
    const auto found = b.find(place);
    if (found != b.end()) sum += value * found->second;
  }
  return sum;
}

std::string layout_text(const RotaryLayout& layout) {
  std::string text;
  for (const RotaryWindow& window : layout.windows) {
    text += fmt::format("{}{} at {}..{}", text.empty() ? "" : ", ", name(window.pairing),
                        window.offset, window.offset + window.dim - 1);
  }
  return text + fmt::format(" of {}", layout.head_dim);
}

// "0 x 16, 1 x 24, 2 x 24": the pairs of each axis.
std::string axes_text(const Spectrum& spectrum) {
  std::string text;
  for (int32_t axis = 0; axis < axis_count(spectrum); ++axis) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", axis,
                        std::count(spectrum.axis.begin(), spectrum.axis.end(), axis));
  }
  return text;
}

void compare_ropes(const RopeConfig& a, const RopeConfig& b, int64_t seq_len, Rows& rows) {
  rows.add("config", "rope_theta", fmt::to_string(a.rope_theta), fmt::to_string(b.rope_theta));
  rows.add("config", "rope_type", a.rope_type, b.rope_type);
  rows.add("config", "rotary_dim", fmt::to_string(a.rotary_dim), fmt::to_string(b.rotary_dim));
  const nlohmann::ordered_json x = to_json(a), y = to_json(b);
  for (const char* key :
       {"parameters", "mrope_section", "mrope_order", "axis_dims", "inv_freq_dtype", "reversed"}) {
    rows.add("config", key, x.at(key).dump(), y.at(key).dump());
  }
  const Spectrum s = make_spectrum(a, seq_len), t = make_spectrum(b, seq_len);
  rows.add("spectrum", "pairs", fmt::to_string(s.inv_freq.size()),
           fmt::to_string(t.inv_freq.size()));
  for (size_t i = 0; i < std::min(s.inv_freq.size(), t.inv_freq.size()); ++i) {
    if (s.inv_freq[i] == t.inv_freq[i]) continue;
    rows.add("spectrum", fmt::format("inv_freq of pair {}, the first that differs", i),
             fmt::format("{:.9g}", s.inv_freq[i]), fmt::format("{:.9g}", t.inv_freq[i]));
    break;
  }
  rows.add("spectrum", "attention_scaling", fmt::format("{:.9g}", s.attention_scaling),
           fmt::format("{:.9g}", t.attention_scaling));
  if (s.axis.size() == t.axis.size() && s.axis != t.axis) {
    rows.add("spectrum", "position axes", axes_text(s), axes_text(t));
  }
  rows.add("layout", "pairs are", layout_text(a.layout), layout_text(b.layout));
  rows.add("layout", "pairs are written", layout_text(a.output_layout.value_or(a.layout)),
           layout_text(b.output_layout.value_or(b.layout)));
}

// A value as a cell: numbers with the digits of a float32, so that a file's own rounding is no
// difference.
std::string cell(const nlohmann::ordered_json& value) {
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "none";
  if (value.is_object()) {
    std::string words;
    for (const auto& [key, inner] : value.items()) {
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", key, cell(inner));
    }
    return words;
  }
  return value.dump();
}

void compare_attention(const Layer& a, const Layer& b, Rows& rows) {
  const nlohmann::ordered_json x = to_json(a), y = to_json(b);
  for (const char* key : {"mixer", "value_dim"}) rows.add("layer", key, cell(x[key]), cell(y[key]));
  if (a.mixer != Mixer::attention || b.mixer != Mixer::attention) return;
  for (const auto& [key, value] : x["attention"].items()) {
    rows.add("attention", key, cell(value), cell(y["attention"][key]));
  }
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

std::string cosine(const Matrix& x, const Matrix& y) {
  return fmt::format("{:.6f}", inner(x, y) / std::sqrt(inner(x, x) * inner(y, y)));
}

void print_cosines(const RopeConfig& a, const RopeConfig& b, int64_t seq_len) {
  if (a.layout.head_dim != b.layout.head_dim) return;
  const Spectrum s = make_spectrum(a, seq_len), t = make_spectrum(b, seq_len);
  const bool movable = only_pairs_differ(a, b);
  RopeConfig moved = b;
  moved.layout = a.layout;
  moved.output_layout = a.output_layout;
  std::vector<std::vector<std::string>> rows = {{"position", "cosine between the rotations"}};
  if (movable) rows[0].push_back("with the pairs of the first");
  for (const int64_t position : {1, 16, 256, 4096, 65536}) {
    const Matrix x = rotation(a, s, position);
    rows.push_back({fmt::to_string(position), cosine(x, rotation(b, t, position))});
    if (movable) rows.back().push_back(cosine(x, rotation(moved, t, position)));
  }
  fmt::print("\n{}", table(rows, std::vector<bool>(rows[0].size(), true)));
  if (movable) {
    fmt::print(
        "\nThe scores are those of the last column where the rows of Q and K were moved with the "
        "pairs, as a GGUF's often are.\n");
  }
}

}  // namespace

bool compare_models(const ModelEncoding& a, const ModelEncoding& b, int64_t layer,
                    int64_t seq_len) {
  Rows rows;
  const auto number = [&](const char* what, int64_t x, int64_t y) {
    rows.add("config", what, fmt::to_string(x), fmt::to_string(y));
  };
  number("heads", a.heads, b.heads);
  number("kv_heads", a.kv_heads, b.kv_heads);
  number("head_dim", a.head_dim, b.head_dim);
  number("max_positions", a.max_positions, b.max_positions);
  number("layers", std::ssize(a.layers), std::ssize(b.layers));
  rows.add("config", "kinds of layers", layer_letters(a), layer_letters(b));
  const PositionEncoding& x = layer_option(a, layer).positions;
  const PositionEncoding& y = layer_option(b, layer).positions;
  rows.add("config", fmt::format("layer {}", layer), in_a_line(x), in_a_line(y));
  const auto* p = std::get_if<RopeConfig>(&x);
  const auto* q = std::get_if<RopeConfig>(&y);
  if (p != nullptr && q != nullptr) compare_ropes(*p, *q, seq_len, rows);
  const Layer &of_a = layer_at(a, layer), &of_b = layer_at(b, layer);
  const bool as_models = of_a.heads == a.heads && of_b.heads == b.heads &&
                         of_a.kv_heads == a.kv_heads && of_b.kv_heads == b.kv_heads;
  if (!as_models) {
    number("heads of the layer", of_a.heads, of_b.heads);
    number("kv_heads of the layer", of_a.kv_heads, of_b.kv_heads);
  }
  compare_attention(of_a, of_b, rows);
  bool elsewhere = a.others != b.others;
  for (size_t i = 0; i < std::min(a.layers.size(), b.layers.size()); ++i) {
    elsewhere = elsewhere || cell(to_json(a.layers[i])) != cell(to_json(b.layers[i]));
  }
  if (!rows.differ && !elsewhere) {
    fmt::print("{} and {} encode positions and attend alike\n", escaped(a.name), escaped(b.name));
    return false;
  }
  rows.rows.insert(rows.rows.begin(), {"level", "what", escaped(a.name), escaped(b.name)});
  fmt::print("{}", table(rows.rows));
  if (rows.rows.size() == 1) fmt::print("layer {} is alike; other layers or parts differ\n", layer);
  if (p != nullptr && q != nullptr) print_cosines(*p, *q, seq_len);
  return true;
}

}  // namespace ropewalk::cli
