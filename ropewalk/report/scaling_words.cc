#include "ropewalk/report/scaling_words.h"

#include <variant>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/report/layer_words.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {
namespace {

struct BandWord {
  Band band;
  char letter;
  const char* word;
};
constexpr BandWord kBandWords[] = {{Band::kept, '=', "kept"},
                                   {Band::between, '~', "between"},
                                   {Band::slowed, '.', "slowed the most"}};

std::string scaling_lines(const ScalingBands& bands, const RopeConfig& rope) {
  std::string lines =
      fmt::format("\nScaling {} (= kept, ~ between, . slowed the most), pair 0 first\n  {}\n",
                  rope.rope_type, band_letters(bands));
  for (const BandWord& each : kBandWords) {
    std::vector<size_t> pairs;
    for (size_t i = 0; i < bands.bands.size(); ++i) {
      if (bands.bands[i] == each.band) pairs.push_back(i);
    }
    if (!pairs.empty()) lines += fmt::format("  {}: pairs {}\n", each.word, ranges(pairs));
  }
  if (scaling_traits(rope.rope_type).one_factor) {
    lines += fmt::format("  positions are multiplied by {:.7g} (what llama.cpp calls the scale)\n",
                         1 / rope.parameters.at("factor"));
  }
  if (bands.attention_scaling != 1) {
    lines += fmt::format("  cos and sin are multiplied by {:.7g}\n", bands.attention_scaling);
  }
  if (bands.softmax_factor != 1) {
    lines += fmt::format("  the softmax scale is multiplied by {:.7g}\n", bands.softmax_factor);
  }
  return lines;
}

}  // namespace

std::string band_letters(const ScalingBands& bands) {
  std::string letters;
  for (const Band band : bands.bands) {
    for (const BandWord& each : kBandWords) {
      if (each.band == band) letters += each.letter;
    }
  }
  return letters;
}

std::string in_words(const ScalingBands& bands, const RopeConfig& rope, int64_t context) {
  std::string lines = bands.bands.empty() ? "" : scaling_lines(bands, rope);
  if (!bands.slow_pairs.empty()) {
    lines += fmt::format("\nPairs that never complete a turn within {} positions: {}\n", context,
                         ranges(bands.slow_pairs));
  }
  return lines;
}

std::string in_words(const Trap& trap, const std::string& model_type) {
  if (const auto* factor = std::get_if<FactorDisagrees>(&trap)) {
    return fmt::format(
        "factor is {}, but max_positions / original_max_position_embeddings = {} / {} = {:.6g}: "
        "the factor counts",
        factor->factor, factor->max_positions, factor->original,
        static_cast<double>(factor->max_positions) / factor->original);
  }
  const BaseNotStated& base = std::get<BaseNotStated>(trap);
  return fmt::format(
      "rope_theta is stated nowhere; {}, which the code of {} takes then, is small for {} "
      "positions: a file that lost its base looks the same",
      base.rope_theta, model_type, base.max_positions);
}

}  // namespace ropewalk
