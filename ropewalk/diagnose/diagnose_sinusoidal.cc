#include "ropewalk/diagnose/diagnose_sinusoidal.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/diagnose/dumps/dump_evidence.h"
#include "ropewalk/diagnose/dumps/dump_types.h"

namespace ropewalk {
namespace {

using Order = SinusoidalForm::Order;
constexpr Order kOrders[] = {Order::sin_cos_pairs, Order::sin_cos_halves, Order::cos_sin_halves,
                             Order::cos_sin_pairs};

// The vectors, and what may be off: half a step of their type beside 1.
struct Vectors {
  std::vector<float> numbers;  // [rows, 2 pairs]
  std::vector<int64_t> positions;
  size_t pairs = 0;
  double half_step = 0;

  size_t rows() const { return positions.size(); }
  const float* row(size_t r) const { return numbers.data() + r * 2 * pairs; }
  bool is_zero(size_t r) const {
    return std::all_of(row(r), row(r) + 2 * pairs, [](float x) { return x == 0; });
  }
};

// Channels of sin and cos of pair i.
std::pair<size_t, size_t> channels_of(Order order, size_t i, size_t pairs) {
  switch (order) {
    case Order::sin_cos_pairs:
      return {2 * i, 2 * i + 1};
    case Order::cos_sin_pairs:
      return {2 * i + 1, 2 * i};
    case Order::sin_cos_halves:
      return {i, pairs + i};
    case Order::cos_sin_halves:
      return {pairs + i, i};
  }
  return {};
}

struct Left {
  bool holds() const { return wrong_rows == 0; }
  double rms = 0;
  int64_t wrong_rows = 0;
  std::optional<FirstWrongChannel> first;
};

// What a form leaves; rows of `padding` (after the offset) may be zero.
Left left_by(const Vectors& vectors, const SinusoidalForm& form, int64_t padding) {
  const std::vector<double> f = frequencies(form, vectors.pairs);
  Left left;
  double sum = 0;
  for (size_t r = 0; r < vectors.rows(); ++r) {
    const int64_t p = vectors.positions[r] + form.offset;
    if (p == padding && vectors.is_zero(r)) continue;
    bool wrong = false;
    const auto look = [&](size_t channel, double wanted, double angle) {
      const double found = vectors.row(r)[channel], far = std::abs(found - wanted);
      // Float32 frequencies of several operations, times the position.
      const double bound = 2.5 * vectors.half_step * std::abs(form.scale) * 2 +
                           8 * 0x1p-24 * std::abs(angle * form.scale);
      sum += far * far;
      if (far <= bound) return;
      wrong = true;
      if (left.first) return;
      left.first = FirstWrongChannel{static_cast<int64_t>(r), vectors.positions[r],
                                     static_cast<int64_t>(channel), wanted, found};
    };
    for (size_t i = 0; i < vectors.pairs; ++i) {
      const auto [s, c] = channels_of(form.order, i, vectors.pairs);
      const double angle = static_cast<double>(p) * f[i];
      look(s, form.scale * (form.minus_sin ? -std::sin(angle) : std::sin(angle)), angle);
      look(c, form.scale * std::cos(angle), angle);
    }
    left.wrong_rows += wrong ? 1 : 0;
  }
  const double numbers = static_cast<double>(vectors.rows() * 2 * vectors.pairs);
  left.rms = numbers > 0 ? std::sqrt(sum / numbers) : 0;
  return left;
}

// cos + i sin of a pair in a row.
std::complex<double> turned(const Vectors& vectors, Order order, size_t r, size_t i) {
  const auto [s, c] = channels_of(order, i, vectors.pairs);
  return {vectors.row(r)[c], vectors.row(r)[s]};
}

double scale_of(const Vectors& vectors, const std::vector<size_t>& rows) {
  double sum = 0;
  for (const size_t r : rows) {
    for (size_t c = 0; c < 2 * vectors.pairs; ++c) sum += std::pow(vectors.row(r)[c], 2);
  }
  const double scale =
      std::sqrt(sum / static_cast<double>(std::max<size_t>(1, rows.size() * vectors.pairs)));
  return std::abs(scale - 1) < 4 * vectors.half_step ? 1 : scale;
}

// The speed of each pair between neighbouring positions; 0 where there are none.
std::vector<double> speeds_of(const Vectors& vectors, Order order,
                              const std::vector<size_t>& rows) {
  std::vector<double> speeds(vectors.pairs);
  for (size_t i = 0; i < vectors.pairs; ++i) {
    std::complex<double> sum = 0;
    for (size_t n = 1; n < rows.size(); ++n) {
      if (vectors.positions[rows[n]] - vectors.positions[rows[n - 1]] != 1) continue;
      sum += std::conj(turned(vectors, order, rows[n - 1], i)) * turned(vectors, order, rows[n], i);
    }
    if (sum != 0.0) speeds[i] = std::arg(sum);
  }
  return speeds;
}

// ln f_i = -i ln(base) / spaces, fast pairs are known best.
double base_of(const std::vector<double>& speeds, double spaces) {
  double sum = 0, weight = 0;
  for (size_t i = 1; i < speeds.size(); ++i) {
    const double speed = std::abs(speeds[i]);
    if (speed == 0) continue;
    const double power = static_cast<double>(i) / spaces, certainty = std::pow(speed * power, 2);
    sum -= certainty * std::log(speed) / power;
    weight += certainty;
  }
  return weight > 0 ? std::exp(sum / weight) : 0;
}

double rounded_to(double value, int digits) {
  const double step = std::pow(10, std::floor(std::log10(value)) - digits + 1);
  return std::round(value / step) * step;
}

// Shifts that the phases of the rows say.
std::optional<int64_t> offset_of(const Vectors& vectors, const SinusoidalForm& form,
                                 const std::vector<size_t>& rows) {
  const std::vector<double> f = frequencies(form, vectors.pairs);
  std::vector<MissingAngle> missing;
  for (size_t i = 0; i < vectors.pairs; ++i) {
    std::complex<double> sum = 0;
    for (const size_t r : rows) {
      const double angle = static_cast<double>(vectors.positions[r]) * f[i];
      std::complex<double> z = turned(vectors, form.order, r, i);
      if (form.minus_sin) z = std::conj(z);
      sum += z * std::polar(1.0, -angle);
    }
    if (sum != 0.0) missing.push_back({f[i], std::arg(sum)});
  }
  return common_shift(std::move(missing), 16 * vectors.half_step + 1e-5);
}

// Whether the fast half of the pairs is about as fast as it would be; where speeds are known.
bool may_turn_so(const std::vector<double>& speeds, const std::vector<double>& frequencies) {
  for (size_t i = 0; i < speeds.size() / 2; ++i) {
    const double speed = std::abs(speeds[i]);
    if (speed != 0 && std::abs(speed - frequencies[i]) > 0.05 * frequencies[i] + 1e-4) return false;
  }
  return true;
}

std::vector<Cause> causes_of(const SinusoidalForm& found, const SinusoidalForm& expected) {
  std::vector<Cause> causes;
  const auto add = [&](std::string_view variant, double value, double right,
                       std::string name = {}) {
    causes.push_back({"sinusoidal",
                      variant,
                      {{"found", value}, {"expected", right}, {"number", value - right}},
                      std::move(name)});
  };
  if (found.order != expected.order) add("order", 0, 0, std::string(name(found.order)));
  if (found.half_minus_one != expected.half_minus_one) {
    add(found.half_minus_one ? "half_minus_one" : "half", 0, 0);
  }
  if (found.base != expected.base) add("base", found.base, expected.base);
  if (found.offset != expected.offset) {
    add("offset", static_cast<double>(found.offset), static_cast<double>(expected.offset));
  }
  if (found.minus_sin) add("sign", 0, 0);
  if (found.scale != expected.scale) add("scale", found.scale, expected.scale);
  return causes;
}

// Forms that the rows may have, those as expected first.
std::vector<SinusoidalForm> candidates(const Vectors& vectors, const SinusoidalForm& expected,
                                       const std::vector<size_t>& rows) {
  std::vector<SinusoidalForm> forms;
  const double scale = scale_of(vectors, rows);
  for (const Order order : kOrders) {
    const std::vector<double> speeds = speeds_of(vectors, order, rows);
    double direction = 0;
    for (const double speed : speeds) direction += speed;
    for (const bool minus_one : {expected.half_minus_one, !expected.half_minus_one}) {
      std::vector<double> bases = {expected.base, 10000};
      const double fitted =
          base_of(speeds, static_cast<double>(vectors.pairs) - (minus_one ? 1 : 0));
      if (fitted > 1 && fitted < 1e15) {
        for (const int digits : {1, 2, 3, 4, 8}) bases.push_back(rounded_to(fitted, digits));
      }
      for (const double base : bases) {
        SinusoidalForm form{order, minus_one, base, scale, 0, direction < 0};
        if (!may_turn_so(speeds, frequencies(form, vectors.pairs))) continue;
        std::vector<int64_t> offsets = {expected.offset, 0, 1, 2};
        if (const auto offset = offset_of(vectors, form, rows))
          offsets.insert(offsets.begin() + 1, *offset);
        for (const int64_t offset : offsets) {
          form.offset = offset;
          if (std::find(forms.begin(), forms.end(), form) == forms.end()) forms.push_back(form);
        }
      }
    }
  }
  return forms;
}

Vectors read_vectors(const ConstTensorView& view, const std::vector<int64_t>& positions) {
  const int rank = view.shape.size();
  if ((rank != 2 && !(rank == 3 && view.shape[0] == 1)) || view.shape.back() % 2 != 0 ||
      view.shape.back() < 4) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("sinusoidal vectors: expected [rows, d_model] of an even d_model of 4 "
                            "or more, found {}",
                            to_string(view.shape)));
  }
  Vectors vectors{.positions = positions, .pairs = static_cast<size_t>(view.shape.back() / 2)};
  if (view.shape[rank - 2] != std::ssize(positions)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("sinusoidal vectors: expected {} rows, one for each position, found {}",
                            positions.size(), view.shape[rank - 2]));
  }
  const Tensor wide = converted(view, DType::f32);
  const auto* numbers = reinterpret_cast<const float*>(wide.bytes.data());
  vectors.numbers.assign(numbers, numbers + num_elements(wide.shape));
  for (const float x : vectors.numbers) {
    if (std::isfinite(x)) continue;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("sinusoidal vectors: expected finite numbers, found {}", x));
  }
  return vectors;
}

// The first rows, the last, and some between: neighbours among them.
std::vector<size_t> searched_rows(const Vectors& vectors) {
  constexpr size_t kMost = 64;
  std::vector<size_t> rows;
  for (size_t r = 0; r < vectors.rows(); ++r) {
    const bool chosen = vectors.rows() <= kMost || r < kMost / 2 || r + kMost / 2 >= vectors.rows();
    if (chosen && !vectors.is_zero(r)) rows.push_back(r);
  }
  return rows;
}

}  // namespace

SinusoidalDiagnosis diagnose_sinusoidal(const ConstTensorView& view,
                                        const std::vector<int64_t>& positions,
                                        const SinusoidalConfig& config) {
  Vectors vectors = read_vectors(view, positions);
  const ConstTensorView flat =
      make_view(static_cast<const void*>(vectors.numbers.data()), DType::f32,
                {1, std::ssize(positions), 1, view.shape.back()});
  const DumpRounding rounding = rounding_of({flat, flat}, view.dtype, false);
  vectors.half_step = rounding.half_step;
  const SinusoidalForm expected = form_of(config);
  const Left as_expected = left_by(vectors, expected, config.padding_position);
  SinusoidalDiagnosis result{.causes = {},
                             .found = expected,
                             .residual = as_expected.rms / rounding.ulp,
                             .dtype = rounding.dtype,
                             .rows = std::ssize(positions),
                             .wrong_rows = as_expected.wrong_rows,
                             .first_wrong = as_expected.first};
  if (as_expected.holds()) return result;
  result.verdict = DumpDiagnosis::Verdict::unexplained;
  double least = 1e9;
  for (const SinusoidalForm& form : candidates(vectors, expected, searched_rows(vectors))) {
    std::vector<Cause> causes = causes_of(form, expected);
    // d/2 - 1 spaces and a round base are likelier than d/2 and another.
    const bool odd = form.base != expected.base && form.base != rounded_to(form.base, 2);
    const double cost = static_cast<double>(causes.size()) + (odd ? 0.5 : 0);
    if (causes.empty() || cost >= least) continue;
    const Left left = left_by(vectors, form, config.padding_position);
    if (!left.holds()) continue;
    least = cost;
    result.verdict = DumpDiagnosis::Verdict::fault;
    result.causes = std::move(causes);
    result.found = form;
    result.left = left.rms / rounding.ulp;
  }
  return result;
}

}  // namespace ropewalk
