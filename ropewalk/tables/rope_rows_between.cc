#include "ropewalk/tables/rope_rows_between.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

__extension__ using Wide = unsigned __int128;

// A fraction of a turn in 2^-192, modulo one turn.
struct Phase {
  uint64_t lo = 0, mid = 0, hi = 0;
};

Phase operator-(const Phase& a, const Phase& b) {
  Phase result;
  uint64_t borrow = __builtin_sub_overflow(a.lo, b.lo, &result.lo);
  const uint64_t mid_borrow = __builtin_sub_overflow(a.mid, b.mid, &result.mid);
  const uint64_t borrowed = __builtin_sub_overflow(result.mid, borrow, &result.mid);
  result.hi = a.hi - b.hi - (mid_borrow | borrowed);
  return result;
}

// position * frequency of pair i.
Phase phase_of(const Turns& turns, size_t i, int64_t position) {
  const uint64_t magnitude =
      position < 0 ? 0 - static_cast<uint64_t>(position) : static_cast<uint64_t>(position);
  const Wide lo = Wide{turns.lo[i]} * magnitude;
  const Wide mid = Wide{turns.mid[i]} * magnitude + static_cast<uint64_t>(lo >> 64);
  const uint64_t hi = turns.hi[i] * magnitude + static_cast<uint64_t>(mid >> 64);
  const Phase phase{static_cast<uint64_t>(lo), static_cast<uint64_t>(mid), hi};
  return position < 0 ? Phase{} - phase : phase;
}

// Both rotations, checked, and where they differ.
struct Pass {
  const Spectrum& from;
  const Spectrum& to;
  PositionReader from_positions, to_positions;
  int64_t batch, length, pairs;
  double scaling;
};

// How many floats they are.
int64_t checked_numbers(int64_t batch, int64_t length, int64_t pairs) {
  if (batch < 0 || length < 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("rows of {} sequences of {} tokens", batch, length));
  }
  const auto tokens = checked_mul(batch, length);
  const auto numbers = tokens ? checked_mul(*tokens, std::max<int64_t>(2 * pairs, 1)) : tokens;
  if (!numbers || *numbers > int64_t{1} << 38) {
    throw Error(ErrorCode::resource_limit,
                fmt::format("rows of {} sequences of {} tokens with {} pairs would take more than "
                            "2^40 bytes",
                            batch, length, pairs));
  }
  return *tokens * 2 * pairs;
}

Pass checked(const SpectrumAt& from, const SpectrumAt& to, int64_t batch, int64_t length) {
  check_spectrum(from.spectrum);
  check_spectrum(to.spectrum);
  const size_t pairs = to.spectrum.inv_freq.size();
  if (from.spectrum.inv_freq.size() != pairs) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("rows between two spectra: expected {} pairs in both, found {}",
                            from.spectrum.inv_freq.size(), pairs));
  }
  return {from.spectrum,
          to.spectrum,
          {from.positions, batch, length, axis_count(from.spectrum)},
          {to.positions, batch, length, axis_count(to.spectrum)},
          batch,
          length,
          static_cast<int64_t>(pairs),
          to.spectrum.attention_scaling / from.spectrum.attention_scaling};
}

// Of one spectrum: the rows of the differences of the positions, where those are int64.
std::optional<RopeRows> rows_of_one_spectrum(const Pass& pass) {
  if (pass.from.turns != pass.to.turns || pass.from.axis != pass.to.axis) return std::nullopt;
  const int64_t axes = axis_count(pass.to);
  std::vector<int64_t> deltas;
  deltas.reserve(static_cast<size_t>(axes * pass.batch * pass.length));
  for (int64_t axis = 0; axis < axes; ++axis) {
    for (int64_t b = 0; b < pass.batch; ++b) {
      for (int64_t s = 0; s < pass.length; ++s) {
        int64_t delta = 0;
        if (__builtin_sub_overflow(pass.to_positions.at(axis, b, s),
                                   pass.from_positions.at(axis, b, s), &delta)) {
          return std::nullopt;
        }
        deltas.push_back(delta);
      }
    }
  }
  Spectrum spectrum = pass.to;
  spectrum.attention_scaling = pass.scaling;
  const Dims shape{axes, pass.batch, pass.length};
  const void* const data = deltas.data();
  return make_rope_rows(spectrum, positions_of(make_view(data, DType::i64, shape)), pass.batch,
                        pass.length);
}

// Rows of tokens [begin, end), made as one long row: every token's phases are frequencies, and the
// position is 1.
void fill_rows(const Pass& pass, int64_t begin, int64_t end, float* rows) {
  Spectrum phases;
  const auto count = static_cast<size_t>((end - begin) * pass.pairs);
  phases.inv_freq.resize(count);
  phases.axis.resize(count);
  phases.attention_scaling = pass.scaling;
  for (int64_t t = begin; t < end; ++t) {
    const int64_t b = t / pass.length, s = t % pass.length;
    for (size_t i = 0; i < static_cast<size_t>(pass.pairs); ++i) {
      const int64_t base = pass.from_positions.at(pass.from.axis[i], b, s);
      const int64_t position = pass.to_positions.at(pass.to.axis[i], b, s);
      const Phase phase = phase_of(pass.to.turns, i, position) - phase_of(pass.from.turns, i, base);
      phases.turns.hi.push_back(phase.hi);
      phases.turns.mid.push_back(phase.mid);
      phases.turns.lo.push_back(phase.lo);
    }
  }
  const RopeRows made = make_rope_rows(phases, positions_from(1), 1, 1);
  const float* cos = made.rows.data();
  const float* sin = cos + count;
  for (int64_t t = begin; t < end; ++t) {
    float* const row = rows + t * 2 * pass.pairs;
    std::copy_n(cos + (t - begin) * pass.pairs, pass.pairs, row);
    std::copy_n(sin + (t - begin) * pass.pairs, pass.pairs, row + pass.pairs);
  }
}

}  // namespace

RopeRows make_rope_rows_between(const SpectrumAt& from, const SpectrumAt& to, int64_t batch,
                                int64_t length) {
  const Pass pass = checked(from, to, batch, length);
  const int64_t numbers = checked_numbers(batch, length, pass.pairs);
  if (auto rows = rows_of_one_spectrum(pass)) return *std::move(rows);
  RopeRows result{batch, length, pass.pairs, Direction::forward, {}};
  result.rows.resize(static_cast<size_t>(numbers));
  const int64_t tokens = batch * length;
  constexpr int64_t kTokens = 64;
  for (int64_t t = 0; t < tokens && pass.pairs > 0; t += kTokens) {
    fill_rows(pass, t, std::min(tokens, t + kTokens), result.rows.data());
  }
  return result;
}

}  // namespace ropewalk
