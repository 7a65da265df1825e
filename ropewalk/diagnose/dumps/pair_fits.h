#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ropewalk/base/tensor_layout.h"
#include "ropewalk/base/tensor_view.h"
#include "ropewalk/diagnose/dumps/turning.h"

namespace ropewalk {

// Rows of two dumps, x before and y after a rotation, [rows, head_dim] each.
struct DumpRows {
  struct Place {
    int64_t b = 0, s = 0, h = 0;
  };
  int64_t head_dim = 0, length = 0, heads = 0;  // of the dumps
  std::vector<Place> places;
  std::vector<float> x, y;
};

// Two dumps of one shape, f32, bf16 or f16, [batch, seq, heads, head_dim] once read by the layout.
struct Dumps {
  ConstTensorView before, after;
};

// The two channels of each pair.
std::vector<std::pair<int64_t, int64_t>> pair_channels(const RotaryLayout& layout);
std::vector<int64_t> channels_outside(const RotaryLayout& layout);

// The rows of some tokens, all heads of them but no more than `most_heads`.
DumpRows rows_of(const Dumps& dumps, const std::vector<DumpRows::Place>& tokens,
                 int64_t most_heads);

// What least squares say of a pair x = (a, b), taken as a + ib, that became y in some rows:
//   ratio = sum conj(x) y / sum |x|^2,  residual = sum |y - ratio x|^2,  weight = sum |x|^2
struct PairFit {
  std::complex<double> ratio;
  double weight = 0, residual = 0;
};

struct PairFits {
  struct Group {
    int64_t b = 0, s = 0;  // the token, or the head, as Multipliers take it
    int64_t rows = 0;
  };
  std::vector<Group> groups;
  size_t pairs = 0;
  std::vector<PairFit> fits;     // [groups, pairs]
  std::vector<PairFit> outside;  // [groups]: of the channels in no pair, with real ratios

  const PairFit& at(size_t group, size_t pair) const { return fits[group * pairs + pair]; }
  // What is left of the rows when each pair has its own ratio, relative: 0 for one row, whatever it
  // holds.
  double unexplained() const;
  // The median of the same of single pairs: the noise, where the places are right.
  double noise() const;
  // sqrt(sum weight |ratio|^2 / sum weight)
  double amplitude() const;
};

// Throws invalid_argument as check_layout, and for heads of another width than the rows.
PairFits fit_pairs(const DumpRows& rows, const TurnedPlaces& places);

}  // namespace ropewalk
