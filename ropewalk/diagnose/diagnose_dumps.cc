#include "ropewalk/diagnose/diagnose_dumps.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/dumps/dump_types.h"
#include "ropewalk/diagnose/dumps/sampling.h"
#include "ropewalk/diagnose/dumps/search.h"
#include "ropewalk/diagnose/dumps/telling.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

using Place = DumpRows::Place;

// A dump, checked, and what it should be.
struct Case {
  Dumps dumps;
  PositionTable positions;
  Turning expected;
  const ModelEncoding* model;
  DumpRounding rounding;
  int most_faults;
};

Case case_of(const RotationDump& dump, const ExpectedRotation& expected) {
  Case result{.dumps = checked_dumps(dump.before, dump.after, dump.layout),
              .positions = {},
              .expected = turning_of(expected.rope, expected.seq_len),
              .model = expected.model,
              .rounding = {},
              .most_faults = expected.most_faults};
  const Dims& shape = result.dumps.before.shape;
  if (shape[3] != expected.rope.layout.head_dim) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("dump: expected heads of {} channels, found {}",
                            expected.rope.layout.head_dim, shape[3]));
  }
  const int64_t axes = axis_count(make_spectrum(expected.rope, expected.seq_len));
  result.positions = position_table(dump.positions, shape[0], shape[1], axes);
  if (expected.seq_len == 0 && !result.positions.ids.empty()) {
    result.expected.seq_len = std::max<int64_t>(
        0, *std::max_element(result.positions.ids.begin(), result.positions.ids.end()) + 1);
  }
  if (!expected.rotates) {
    result.expected.times = 0;
    result.expected.scaling_power = 0;
  }
  result.rounding = rounding_of(result.dumps, dump.rounded_to, dump.exact_before);
  result.rounding.half_step = std::max(result.rounding.half_step, dump.uncertainty);
  return result;
}

DumpEvidence evidence_of(const Case& the_case, const std::vector<Place>& tokens,
                         int64_t most_heads) {
  return DumpEvidence({.rows = rows_of(the_case.dumps, tokens, most_heads),
                       .positions = the_case.positions,
                       .model = the_case.model,
                       .rounding = the_case.rounding.half_step});
}

// All tokens beside what was expected of them.
struct Compared {
  std::vector<Place> wrong;
  std::optional<FirstWrong> first;
  double residual = 0;  // root mean square, relative
  double largest_angle = 0;
};

FirstWrong first_wrong_of(const DumpEvidence& evidence, const PairFits& fits,
                          const Multipliers& expected, const Misfit& misfit) {
  const PairFits::Group& group = fits.groups[misfit.group];
  FirstWrong first{.batch = group.b, .token = group.s, .pair = -1};
  for (int64_t axis = 0; axis < evidence.positions().axes; ++axis) {
    first.positions.push_back(evidence.positions().at(axis, group.b, group.s));
  }
  if (misfit.pair >= fits.pairs) return first;
  std::vector<std::complex<double>> wanted;
  std::vector<double> angles;
  expected.write(group.b, group.s, wanted, angles);
  first.pair = static_cast<int64_t>(misfit.pair);
  first.expected_angle = std::remainder(angles[misfit.pair], 2 * std::numbers::pi);
  const PairFit& found = fits.at(misfit.group, misfit.pair);
  first.found_angle = std::arg(found.ratio);
  first.expected_amplitude = expected.amplitude();
  first.found_amplitude = std::abs(found.ratio);
  first.from_zero = found.weight == 0;
  return first;
}

Compared compare_all(const Case& the_case) {
  constexpr size_t kChunk = 64;
  Compared result;
  std::vector<Place> chunk;
  double squares = 0;
  size_t chunks = 0;
  const auto look = [&] {
    if (chunk.empty()) return;
    DumpEvidence evidence = evidence_of(the_case, chunk, the_case.dumps.before.shape[2]);
    const Turning& turning = the_case.expected;
    const Multipliers multipliers(turning, evidence.positions(), evidence.spectra());
    const PairFits& fits = evidence.fits(turning.places);
    const Misfit misfit =
        ropewalk::misfit(fits, multipliers, {.tolerance = evidence.tolerance(turning.places)});
    for (const size_t g : misfit.wrong_groups) {
      result.wrong.push_back({fits.groups[g].b, fits.groups[g].s, 0});
    }
    if (!misfit.holds && !result.first) {
      result.first = first_wrong_of(evidence, fits, multipliers, misfit);
    }
    result.largest_angle = std::max(result.largest_angle, misfit.largest_angle);
    squares += misfit.rms * misfit.rms;
    ++chunks;
    chunk.clear();
  };
  for (int64_t b = 0; b < the_case.positions.batch; ++b) {
    for (int64_t s = 0; s < the_case.positions.length; ++s) {
      chunk.push_back({b, s, 0});
      if (chunk.size() == kChunk) look();
    }
  }
  look();
  result.residual = chunks == 0 ? 0 : std::sqrt(squares / static_cast<double>(chunks));
  return result;
}

// Which float32 angles, if any, leave less than exact ones, and how far off they are.
std::optional<AnglePrecision> precision_of(const Case& the_case, DumpEvidence& evidence,
                                           bool right) {
  constexpr AngleMode kModes[] = {AngleMode::hf_float32, AngleMode::ggml_float32};
  Misfit best = evidence.judge(the_case.expected, false);
  right = right && best.holds;
  std::optional<AnglePrecision> result;
  for (const AngleMode mode : kModes) {
    Turning turning = the_case.expected;
    turning.mode = mode;
    try {
      const Misfit misfit = evidence.judge(turning, false);
      // Of a dump that is right they need not hold to the last digit of a scaled frequency.
      if (!misfit.holds && !right) continue;
      if ((right || result) && misfit.rms > best.rms / 2) continue;
      best = misfit;
      result = AnglePrecision{.mode = mode};
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported && error.code() != ErrorCode::invalid_argument)
        throw;
    }
  }
  if (!result) return result;
  Turning turning = the_case.expected;
  const Multipliers exact(turning, the_case.positions, evidence.spectra());
  turning.mode = result->mode;
  const Multipliers floats(turning, the_case.positions, evidence.spectra());
  std::vector<std::complex<double>> unused;
  std::vector<double> exact_angles, float_angles;
  for (const PairFits::Group& group : evidence.fits(turning.places).groups) {
    exact.write(group.b, group.s, unused, exact_angles);
    floats.write(group.b, group.s, unused, float_angles);
    for (size_t i = 0; i < exact_angles.size(); ++i) {
      const double off = std::abs(exact_angles[i] - float_angles[i]);
      if (off <= result->largest) continue;
      result->largest = off;
      result->position = the_case.positions.at(0, group.b, group.s);
    }
  }
  return result;
}

void search(const Case& the_case, const Compared& compared, const std::vector<Place>& tokens,
            DumpDiagnosis& result) {
  constexpr size_t kMostFindings = 3;
  const int64_t heads = the_case.dumps.before.shape[2];
  const auto look = [&](const std::vector<Place>& places, bool of_wrong) {
    DumpEvidence evidence({.rows = rows_of(the_case.dumps, places, heads),
                           .positions = the_case.positions,
                           .model = the_case.model,
                           .rounding = the_case.rounding.half_step,
                           .first_wrong = compared.first->token});
    const SearchResult found = explain(the_case.expected, evidence, the_case.most_faults);
    for (const Explanation& each : found.found) {
      if (result.findings.size() == kMostFindings) break;
      result.findings.push_back(
          {each.causes, each.rms / the_case.rounding.ulp, each.turning, of_wrong});
    }
    if (!of_wrong && found.places) result.observed = observed_in(*found.places, evidence);
    if (result.findings.size() > 1) {
      const Telling telling =
          telling_positions(result.findings[0].turning, result.findings[1].turning, evidence);
      result.findings_differ = telling.least.has_value();
      result.telling_position = telling.past_the_dump;
    }
  };
  look(tokens, false);
  if (!result.findings.empty()) return;
  std::set<std::pair<int64_t, int64_t>> wrong;
  for (const Place& at : compared.wrong) wrong.insert({at.b, at.s});
  std::vector<Place> only_wrong;
  for (const Place& at : tokens) {
    if (wrong.contains({at.b, at.s})) only_wrong.push_back(at);
  }
  const bool told_apart = only_wrong.size() + 1 < tokens.size();
  if (told_apart && !only_wrong.empty()) look(only_wrong, true);
}

}  // namespace

size_t fault_count(const DumpDiagnosis& diagnosis) {
  if (diagnosis.verdict == DumpDiagnosis::Verdict::consistent) return 0;
  return diagnosis.findings.empty() ? 3 : diagnosis.findings.front().causes.size();
}

DumpDiagnosis diagnose_dump(const RotationDump& dump, const ExpectedRotation& expected) {
  const Case the_case = case_of(dump, expected);
  const Compared compared = compare_all(the_case);
  DumpDiagnosis result{.residual = compared.residual / the_case.rounding.ulp,
                       .dtype = the_case.rounding.dtype,
                       .tokens = the_case.positions.batch * the_case.positions.length,
                       .wrong_tokens = std::ssize(compared.wrong),
                       .first_wrong = compared.first,
                       .largest_angle = compared.largest_angle};
  const int64_t heads = the_case.dumps.before.shape[2];
  const std::vector<Place> tokens = sample_tokens(the_case.positions, compared.wrong, heads);
  DumpEvidence evidence = evidence_of(the_case, tokens, heads);
  const auto precision = precision_of(the_case, evidence, !compared.first);
  if (!compared.first || precision) {
    constexpr double kWorthAWord = 1e-3;
    if (precision && precision->largest > kWorthAWord) result.precision = precision;
    result.first_wrong.reset();
    result.wrong_tokens = 0;
    result.scaling_shows_at = scaling_shows_at(the_case.expected, evidence);
    return result;
  }
  if (the_case.most_faults > 0) search(the_case, compared, tokens, result);
  if (!result.findings.empty()) result.observed.reset();
  result.verdict =
      result.findings.empty() ? DumpDiagnosis::Verdict::unexplained : DumpDiagnosis::Verdict::fault;
  return result;
}

}  // namespace ropewalk
