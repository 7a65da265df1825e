#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ropewalk/diagnose/dumps/misfit.h"
#include "ropewalk/diagnose/dumps/pair_fits.h"
#include "ropewalk/diagnose/dumps/turning.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// What two dumps say, for hypotheses to look at.
class DumpEvidence {
 public:
  struct Given {
    DumpRows rows;
    PositionTable positions;
    const ModelEncoding* model = nullptr;  // where one is known
    double rounding = 0;                   // of the numbers of the dumps, relative: half a step
    std::optional<int64_t> first_wrong{};  // the first token that is not as the model has it
  };

  explicit DumpEvidence(Given given) : given_(std::move(given)) {}

  const DumpRows& rows() const { return given_.rows; }
  const PositionTable& positions() const { return given_.positions; }
  const ModelEncoding* model() const { return given_.model; }
  double rounding() const { return given_.rounding; }
  std::optional<int64_t> first_wrong() const { return given_.first_wrong; }

  // Each is made once.
  const PairFits& fits(const TurnedPlaces& places);
  SpectrumCache& spectra() { return spectra_; }

  // What |ratio - multiplier| may be, relative: some roundings, or the noise between the rows.
  double tolerance(const TurnedPlaces& places);
  // Whether some ratios explain the rows: the places may be right.
  bool explains(const TurnedPlaces& places);

  // The same of a turning: what is no rotation of pairs is judged by its rows alone.
  bool may_explain(const Turning& turning);

  Misfit judge(const Turning& turning, bool stop_early);

 private:
  Given given_;
  SpectrumCache spectra_;
  std::vector<std::pair<TurnedPlaces, std::unique_ptr<PairFits>>> fits_;
};

// The speed of a pair, as its ratios say: radians per position.
struct FrequencyEstimate {
  double inv_freq = 0;
  double error = 0;  // about
  bool known = false;
};

// From tokens of neighbouring positions, then from those farther apart, whatever all positions are
// shifted by. A pair is not known where no two tokens are within 3 positions.
std::vector<FrequencyEstimate> estimate_frequencies(const Turning& from, DumpEvidence& evidence);

// The shift c, up to 2^24 either way, that makes the angles (p + c) inv_freq: the slowest pair says
// it up to whole turns, each faster pair says it better; nothing where the pairs do not agree on
// one. Of the sequence `row` of the batch alone, where it is given.
std::optional<int64_t> estimate_offset(const Turning& from, DumpEvidence& evidence,
                                       std::optional<int64_t> row = {});

// A pair, and the angle by which it is turned too far.
struct MissingAngle {
  double speed = 0, angle = 0;
};

// The shift c, up to 2^24 either way, for which angle = c speed of every pair, up to whole turns
// and `tolerance` radians; nothing where they do not tell one number.
std::optional<int64_t> common_shift(std::vector<MissingAngle> pairs, double tolerance);

}  // namespace ropewalk
