#include "ropewalk/diagnose/scaling_bands.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

// "0..23, 40": the places of a character.
std::string places(const std::string& text, char wanted) {
  std::string out;
  for (size_t begin = 0; begin < text.size(); ++begin) {
    if (text[begin] != wanted) continue;
    size_t end = begin;
    while (end + 1 < text.size() && text[end + 1] == wanted) ++end;
    out += out.empty() ? "" : ", ";
    out += begin == end ? fmt::format("{}", begin) : fmt::format("{}..{}", begin, end);
    begin = end;
  }
  return out;
}

std::string bands_of(const Spectrum& scaled, const Spectrum& plain) {
  std::vector<double> ratios;
  for (size_t i = 0; i < scaled.inv_freq.size(); ++i) {
    ratios.push_back(scaled.inv_freq[i] / plain.inv_freq[i]);
  }
  const double least = *std::min_element(ratios.begin(), ratios.end());
  std::string bands;
  for (const double ratio : ratios) {
    const bool kept = std::abs(ratio - 1) < 1e-6;
    bands += kept ? '=' : std::abs(ratio - least) < 1e-6 * least ? '.' : '~';
  }
  return bands;
}

}  // namespace

std::string scaling_bands(const RopeConfig& config, int64_t seq_len, int64_t context) {
  const Spectrum scaled = make_spectrum(config, seq_len);
  std::string out;
  if (config.rope_type != "default") {
    RopeConfig plain = config;
    plain.rope_type = "default";
    plain.parameters.clear();
    plain.lists.clear();
    const std::string bands = bands_of(scaled, make_spectrum(plain));
    out += fmt::format("\nScaling {} (= kept, ~ between, . slowed the most), pair 0 first\n  {}\n",
                       config.rope_type, bands);
    const std::pair<char, const char*> words[] = {
        {'=', "kept"}, {'~', "between"}, {'.', "slowed the most"}};
    for (const auto& [letter, word] : words) {
      const std::string pairs = places(bands, letter);
      if (!pairs.empty()) out += fmt::format("  {}: pairs {}\n", word, pairs);
    }
    if (config.rope_type == "linear") {
      out += fmt::format("  positions are multiplied by {:.7g} (what llama.cpp calls the scale)\n",
                         1 / config.parameters.at("factor"));
    }
    if (scaled.attention_scaling != 1) {
      out += fmt::format("  cos and sin are multiplied by {:.7g}\n", scaled.attention_scaling);
    }
    if (softmax_factor(config) != 1) {
      out += fmt::format("  the softmax scale is multiplied by {:.7g}\n", softmax_factor(config));
    }
  }
  if (context == 0) return out;
  std::string slow;
  for (const double inv_freq : scaled.inv_freq) {
    slow += std::abs(inv_freq) * static_cast<double>(context) < 2 * std::numbers::pi ? 's' : 'f';
  }
  const std::string pairs = places(slow, 's');
  if (!pairs.empty()) {
    out +=
        fmt::format("\nPairs that never complete a turn within {} positions: {}\n", context, pairs);
  }
  return out;
}

namespace {

// The base of a layer that may be missing from the file, which states none. Many a file rightly
// leaves 10000 to its class; but none is known of a model that was trained with so small a base,
// without a scaling, on more than 8192 positions that a layer sees at once.
std::optional<double> lost_base(const ModelEncoding& model) {
  constexpr int64_t kLongest = 8192;
  if (model.states_base || model.max_positions <= kLongest) return std::nullopt;
  std::optional<double> base;
  for (const Layer& layer : model.layers) {
    const auto* rope = std::get_if<RopeConfig>(&layer.positions);
    if (rope == nullptr) continue;
    if (rope->rope_type != "default") return std::nullopt;
    if (layer.attention.window_left < 0 && rope->rope_theta <= 10000) base = rope->rope_theta;
  }
  return base;
}

}  // namespace

std::vector<std::string> known_traps(const ModelEncoding& model) {
  std::vector<std::string> traps;
  const auto add = [&](std::string trap) {
    if (std::find(traps.begin(), traps.end(), trap) == traps.end()) traps.push_back(trap);
  };
  for (const PositionEncoding& layer : layer_positions(model)) {
    const auto* rope = std::get_if<RopeConfig>(&layer);
    if (rope == nullptr || rope->rope_type == "llama3") continue;
    const auto factor = rope->parameters.find("factor");
    const auto original = rope->parameters.find("original_max_position_embeddings");
    if (factor == rope->parameters.end() || original == rope->parameters.end()) continue;
    const double ratio = static_cast<double>(model.max_positions) / original->second;
    if (model.max_positions == 0 || ratio == 1 || ratio == factor->second) continue;
    add(
        fmt::format("factor is {}, but max_positions / original_max_position_embeddings = {} / {} "
                    "= {:.6g}: the factor counts",
                    factor->second, model.max_positions, original->second, ratio));
  }
  if (const auto base = lost_base(model)) {
    add(fmt::format(
        "rope_theta is stated nowhere; {}, which the code of {} takes then, is small for "
        "{} positions: a file that lost its base looks the same",
        *base, model.model_type, model.max_positions));
  }
  return traps;
}

}  // namespace ropewalk
