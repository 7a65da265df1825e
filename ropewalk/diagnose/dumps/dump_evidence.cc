#include "ropewalk/diagnose/dumps/dump_evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ropewalk/diagnose/dumps/row_misfit.h"

namespace ropewalk {

const PairFits& DumpEvidence::fits(const TurnedPlaces& places) {
  for (const auto& [known, fits] : fits_) {
    if (known == places) return *fits;
  }
  fits_.emplace_back(places, std::make_unique<PairFits>(fit_pairs(given_.rows, places)));
  return *fits_.back().second;
}

double DumpEvidence::tolerance(const TurnedPlaces& places) {
  // Products, their sum, cos and sin may each be rounded to the type.
  constexpr double kRoundings = 5, kNoises = 4, kMostNoise = 0.02;
  const double noise = fits(places).noise();
  return std::max(kRoundings * given_.rounding, noise < kMostNoise ? kNoises * noise : 0);
}

bool DumpEvidence::explains(const TurnedPlaces& places) {
  return fits(places).unexplained() <= tolerance(places);
}

bool DumpEvidence::may_explain(const Turning& turning) {
  return turning.form != SinForm::rotation || explains(turning.places);
}

Misfit DumpEvidence::judge(const Turning& turning, bool stop_early) {
  const Multipliers multipliers(turning, given_.positions, spectra_);
  const double flips = turning.table_dtype == DType::bf16  ? 0x1p-8
                       : turning.table_dtype == DType::f16 ? 0x1p-11
                                                           : 0;
  const MisfitOptions options{
      .tolerance = tolerance(turning.places), .flips = flips, .stop_early = stop_early};
  if (turning.form != SinForm::rotation) {
    return row_misfit(given_.rows, turning, multipliers, options);
  }
  return misfit(fits(turning.places), multipliers, options);
}

}  // namespace ropewalk
