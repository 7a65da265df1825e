#include "ropewalk/diagnose/dumps/pair_fits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/half.h"

namespace ropewalk {
namespace {

float number_at(const char* data, DType dtype, int64_t index) {
  if (dtype == DType::f32) {
    float value;
    __builtin_memcpy(&value, data + index * 4, 4);
    return value;
  }
  uint16_t bits;
  __builtin_memcpy(&bits, data + index * 2, 2);
  return dtype == DType::bf16 ? float_from_bf16(bits) : float_from_f16(bits);
}

void append_row(const ConstTensorView& view, const DumpRows::Place& at, std::vector<float>& out) {
  const int64_t start = at.b * view.strides[0] + at.s * view.strides[1] + at.h * view.strides[2];
  for (int64_t d = 0; d < view.shape[3]; ++d) {
    out.push_back(
        number_at(static_cast<const char*>(view.data), view.dtype, start + d * view.strides[3]));
  }
}

using Channels = std::vector<std::pair<int64_t, int64_t>>;

// Which row of x belongs to a row of y, and by which number both are scaled to the same length.
struct Match {
  const float* x;
  const float* y;
  double scale;
};

double length_of(const float* row, int64_t size) {
  double sum = 0;
  for (int64_t d = 0; d < size; ++d) sum += static_cast<double>(row[d]) * row[d];
  return std::sqrt(sum);
}

// Rows of a token follow one another, heads 0, 1, ... in order.
Match match_of(const DumpRows& rows, const TurnedPlaces& places, size_t row) {
  const DumpRows::Place& at = rows.places[row];
  size_t source = row;
  if (!places.heads.empty()) {
    const int32_t from = places.heads[static_cast<size_t>(at.h)];
    source = static_cast<size_t>(static_cast<int64_t>(row) - at.h + from);
  }
  const auto dim = static_cast<size_t>(rows.head_dim);
  Match match{rows.x.data() + source * dim, rows.y.data() + row * dim, 1};
  if (places.unit_rows) {
    const double before = length_of(match.x, rows.head_dim),
                 after = length_of(match.y, rows.head_dim);
    // Zeros have no length to be brought to.
    if (before > 0 && after > 0) match.scale = before / after;
  }
  return match;
}

std::complex<double> pair_of(const float* row, const std::pair<int64_t, int64_t>& channels) {
  return {row[channels.first], row[channels.second]};
}

std::pair<int64_t, int64_t> group_of(const DumpRows& rows, const DumpRows::Place& at,
                                     RowGrouping grouping) {
  if (grouping == RowGrouping::tokens) return {at.b, at.s};
  if (grouping == RowGrouping::heads) return {at.b, at.h};
  return {at.b, (at.s * rows.heads + at.h) % rows.length};
}

// Two passes over the rows: the ratios, then what they leave.
class Fitting {
 public:
  Fitting(const DumpRows& rows, const TurnedPlaces& places)
      : rows_(rows),
        places_(places),
        in_(pair_channels(places.in)),
        out_(pair_channels(places.out)),
        left_in_(channels_outside(places.in)),
        left_out_(channels_outside(places.out)) {}

  PairFits run() {
    PairFits fits{.pairs = in_.size()};
    std::map<std::pair<int64_t, int64_t>, size_t> numbers;
    for (const DumpRows::Place& at : rows_.places) {
      const auto key = group_of(rows_, at, places_.grouping);
      const auto [group, is_new] = numbers.try_emplace(key, fits.groups.size());
      if (is_new) fits.groups.push_back({key.first, key.second, 0});
      group_.push_back(group->second);
      ++fits.groups[group->second].rows;
    }
    fits.fits.resize(fits.groups.size() * fits.pairs);
    fits.outside.resize(fits.groups.size());
    for (size_t row = 0; row < group_.size(); ++row) add(row, fits);
    const auto divide = [](PairFit& fit) {
      if (fit.weight > 0) fit.ratio /= fit.weight;
    };
    for (PairFit& fit : fits.fits) divide(fit);
    for (PairFit& fit : fits.outside) divide(fit);
    for (size_t row = 0; row < group_.size(); ++row) add_residual(row, fits);
    return fits;
  }

 private:
  void add(size_t row, PairFits& fits) const {
    const Match match = match_of(rows_, places_, row);
    PairFit* fit = fits.fits.data() + group_[row] * fits.pairs;
    for (size_t i = 0; i < in_.size(); ++i, ++fit) {
      const std::complex<double> x = pair_of(match.x, in_[i]);
      fit->ratio += std::conj(x) * pair_of(match.y, out_[i]) * match.scale;
      fit->weight += std::norm(x);
    }
    PairFit& outside = fits.outside[group_[row]];
    for (size_t i = 0; i < left_in_.size(); ++i) {
      const double x = match.x[left_in_[i]];
      outside.ratio += x * match.y[left_out_[i]] * match.scale;
      outside.weight += x * x;
    }
  }

  void add_residual(size_t row, PairFits& fits) const {
    const Match match = match_of(rows_, places_, row);
    PairFit* fit = fits.fits.data() + group_[row] * fits.pairs;
    for (size_t i = 0; i < in_.size(); ++i, ++fit) {
      fit->residual += std::norm(pair_of(match.y, out_[i]) * match.scale -
                                 fit->ratio * pair_of(match.x, in_[i]));
    }
    PairFit& outside = fits.outside[group_[row]];
    for (size_t i = 0; i < left_in_.size(); ++i) {
      const double error =
          match.y[left_out_[i]] * match.scale - outside.ratio.real() * match.x[left_in_[i]];
      outside.residual += error * error;
    }
  }

  const DumpRows& rows_;
  const TurnedPlaces& places_;
  Channels in_, out_;
  std::vector<int64_t> left_in_, left_out_;
  std::vector<size_t> group_;
};

}  // namespace

std::vector<std::pair<int64_t, int64_t>> pair_channels(const RotaryLayout& layout) {
  std::vector<std::pair<int64_t, int64_t>> channels;
  for (const RotaryWindow& window : layout.windows) {
    for (int64_t i = 0; i < window.dim / 2; ++i) {
      const int64_t at = window.offset;
      channels.push_back(window.pairing == Pairing::interleaved
                             ? std::pair{at + 2 * i, at + 2 * i + 1}
                             : std::pair{at + i, at + i + window.dim / 2});
    }
  }
  return channels;
}

std::vector<int64_t> channels_outside(const RotaryLayout& layout) {
  std::vector<bool> inside(static_cast<size_t>(layout.head_dim), false);
  for (const auto& [a, b] : pair_channels(layout)) {
    inside[static_cast<size_t>(a)] = inside[static_cast<size_t>(b)] = true;
  }
  std::vector<int64_t> outside;
  for (int64_t c = 0; c < layout.head_dim; ++c) {
    if (!inside[static_cast<size_t>(c)]) outside.push_back(c);
  }
  return outside;
}

DumpRows rows_of(const Dumps& dumps, const std::vector<DumpRows::Place>& tokens,
                 int64_t most_heads) {
  DumpRows rows{.head_dim = dumps.before.shape[3],
                .length = dumps.before.shape[1],
                .heads = dumps.before.shape[2]};
  const int64_t heads = std::min(most_heads, rows.heads);
  rows.x.reserve(tokens.size() * static_cast<size_t>(heads * rows.head_dim));
  rows.y.reserve(rows.x.capacity());
  for (const DumpRows::Place& token : tokens) {
    for (int64_t h = 0; h < heads; ++h) {
      rows.places.push_back({token.b, token.s, h});
      append_row(dumps.before, rows.places.back(), rows.x);
      append_row(dumps.after, rows.places.back(), rows.y);
    }
  }
  return rows;
}

PairFits fit_pairs(const DumpRows& rows, const TurnedPlaces& places) {
  check_layout(places.in);
  check_layout(places.out);
  if (places.in.head_dim != rows.head_dim || places.out.head_dim != rows.head_dim) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("dump: expected heads of {} channels, found {}", places.in.head_dim,
                            rows.head_dim));
  }
  return Fitting(rows, places).run();
}

double PairFits::unexplained() const {
  double residual = 0, weight = 0;
  const auto add = [&](const PairFit& fit) {
    residual += fit.residual;
    weight += fit.weight * std::norm(fit.ratio) + fit.residual;
  };
  for (const PairFit& fit : fits) add(fit);
  for (const PairFit& fit : outside) add(fit);
  return weight > 0 ? std::sqrt(residual / weight) : 0;
}

double PairFits::noise() const {
  std::vector<double> relative;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].rows < 2) continue;
    const double spread =
        static_cast<double>(groups[g].rows) / static_cast<double>(groups[g].rows - 1);
    for (size_t i = 0; i < pairs; ++i) {
      const PairFit& fit = at(g, i);
      const double whole = fit.weight * std::norm(fit.ratio) + fit.residual;
      if (whole > 0) relative.push_back(fit.residual * spread / whole);
    }
  }
  if (relative.empty()) return 0;
  const auto middle = relative.begin() + static_cast<std::ptrdiff_t>(relative.size() / 2);
  std::nth_element(relative.begin(), middle, relative.end());
  return std::sqrt(*middle);
}

double PairFits::amplitude() const {
  double sum = 0, weight = 0;
  for (const PairFit& fit : fits) {
    sum += fit.weight * std::norm(fit.ratio);
    weight += fit.weight;
  }
  return weight > 0 ? std::sqrt(sum / weight) : 1;
}

}  // namespace ropewalk
