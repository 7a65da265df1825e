#pragma once

#include <vector>

#include "ropewalk/diagnose/scores/score_fit.h"

namespace ropewalk {

// What a layer is, for hypotheses to differ from.
struct ScoreExpectation {
  const ModelEncoding* model = nullptr;
  const Layer* layer = nullptr;
  AttentionOptions options;  // with scale, softcap, slopes
  ScoreTurn turn;
  int64_t seq_len = 0;
  bool rotated = false;  // q and k came turned
  bool normed = false;   // and normed
};

struct ScoreExplanation {
  std::vector<Cause> causes;
  double rms = 0;
};

// Turnings, softcaps, biases and scales that leave the scores within the roundings; the fewest
// causes first. No causes: as the layer has it.
std::vector<ScoreExplanation> explain_values(const ScoreSample& sample, const ScoreData& data,
                                             const ScoreExpectation& expected);

// A scale by the mistake that makes it, likely ones first; the last is the scale as it is. Where
// none was found: all that have a name.
struct NamedScale {
  double scale = 0;
  Cause cause;
};
std::vector<NamedScale> named_scales(std::optional<double> found, const ScoreExpectation& expected);

// Factors of the bias of each head, likewise: none, as it should be, the other sign, slopes of
// other rules, and those found.
struct NamedBias {
  std::vector<double> times;
  std::vector<Cause> causes;  // none: as it should be
};
std::vector<NamedBias> named_biases(const std::vector<double>& found,
                                    const ScoreExpectation& expected, bool has_bias);

// Which keys are hidden: masks that would hide those that the dump hides. `state` of each number:
enum class KeyState : uint8_t { hidden, seen, unknown };
std::vector<Cause> explain_mask(const ScoreSample& sample, const std::vector<KeyState>& state,
                                const ScoreExpectation& expected);

}  // namespace ropewalk
