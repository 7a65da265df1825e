#include "ropewalk/diagnose/dumps/row_misfit.h"

#include <algorithm>
#include <cmath>

namespace ropewalk {
namespace {

struct Numbers {
  double a = 0, b = 0;
};

// What a pair becomes by the multipliers of its two channels, which differ in other_columns alone.
Numbers turned(SinForm form, const Numbers& x, std::complex<double> first,
               std::complex<double> second) {
  const double c = first.real(), s = first.imag();
  switch (form) {
    case SinForm::no_minus:
      return {x.a * c + x.b * s, x.b * c + x.a * s};
    case SinForm::both_minus:
      return {x.a * c - x.b * s, x.b * c - x.a * s};
    case SinForm::not_exchanged:
      return {x.a * (c + s), x.b * (c + s)};
    case SinForm::in_place: {
      const double a = x.a * c - x.b * s;
      return {a, x.b * c + a * s};
    }
    case SinForm::rotation:
    case SinForm::other_columns:
      break;
  }
  return {x.a * c - x.b * s, x.b * second.real() + x.a * second.imag()};
}

class RowJudge {
 public:
  RowJudge(const DumpRows& rows, const Turning& turning, const Multipliers& multipliers,
           const MisfitOptions& options)
      : rows_(rows),
        turning_(turning),
        multipliers_(multipliers),
        options_(options),
        in_(pair_channels(turning.places.in)),
        out_(pair_channels(turning.places.out)),
        left_in_(channels_outside(turning.places.in)),
        left_out_(channels_outside(turning.places.out)) {}

  Misfit run() {
    for (size_t row = 0; row < rows_.places.size(); ++row) {
      const DumpRows::Place& at = rows_.places[row];
      multipliers_.write(at.b, at.s, wanted_, angles_);
      if (!add_row(row)) break;
    }
    result_.rms = weight_ > 0 ? std::sqrt(residual_ / weight_) : 0;
    return result_;
  }

 private:
  // The pairs whose angles a table of the other form gives the two channels of pair i.
  std::pair<size_t, size_t> columns_of(size_t i) const {
    const size_t pairs = wanted_.size();
    if (turning_.form != SinForm::other_columns) return {i, i};
    const bool halves = turning_.places.in.windows[0].pairing == Pairing::half_split;
    if (halves) return {i / 2, (i + pairs) / 2};
    return {2 * i % pairs, (2 * i + 1) % pairs};
  }

  bool add_row(size_t row) {
    const auto dim = static_cast<size_t>(rows_.head_dim);
    const float *x = rows_.x.data() + row * dim, *y = rows_.y.data() + row * dim;
    for (size_t i = 0; i < std::min(in_.size(), wanted_.size()); ++i) {
      const Numbers before{x[in_[i].first], x[in_[i].second]};
      const auto [first, second] = columns_of(i);
      const Numbers after = turned(turning_.form, before, wanted_[first], wanted_[second]);
      const double far = std::hypot(y[out_[i].first] - after.a, y[out_[i].second] - after.b);
      const double angle = std::max(std::abs(angles_[first]), std::abs(angles_[second]));
      const double size = multipliers_.amplitude() * std::hypot(before.a, before.b);
      if (!add(far, std::hypot(after.a, after.b), size, angle, i, row)) return false;
    }
    const double outside = multipliers_.outside_amplitude();
    for (size_t i = 0; i < left_in_.size(); ++i) {
      const double after = outside * x[left_in_[i]];
      if (!add(std::abs(y[left_out_[i]] - after), std::abs(after), std::abs(after), 0, in_.size(),
               row)) {
        return false;
      }
    }
    return true;
  }

  // Whether to go on.
  bool add(double far, double after, double size, double angle, size_t pair, size_t row) {
    // Of two products each; eight half steps of float32 for frequencies of several operations.
    constexpr double kProducts = 1.5, kSlack = 8 * 0x1p-24, kMostSlack = 0.3;
    const double bound =
        kProducts * (options_.tolerance + std::min(kSlack * angle, kMostSlack)) * size;
    residual_ += far * far;
    weight_ += after * after;
    result_.largest_angle = std::max(result_.largest_angle, angle);
    if (bound > 0) result_.worst = std::max(result_.worst, far / bound);
    if (far <= bound) return true;  // not for NaN
    if (result_.holds) {
      result_.holds = false;
      result_.group = row;
      result_.pair = pair;
    }
    return !options_.stop_early;
  }

  const DumpRows& rows_;
  const Turning& turning_;
  const Multipliers& multipliers_;
  const MisfitOptions& options_;
  std::vector<std::pair<int64_t, int64_t>> in_, out_;
  std::vector<int64_t> left_in_, left_out_;
  std::vector<std::complex<double>> wanted_;
  std::vector<double> angles_;
  Misfit result_;
  double residual_ = 0, weight_ = 0;
};

}  // namespace

Misfit row_misfit(const DumpRows& rows, const Turning& turning, const Multipliers& multipliers,
                  const MisfitOptions& options) {
  return RowJudge(rows, turning, multipliers, options).run();
}

}  // namespace ropewalk
