#include "ropewalk/diagnose/scores/score_fit.h"

#include <algorithm>
#include <cmath>

namespace ropewalk {
namespace {

// In half steps of what a number is made of: rounding each of q, k, their product and the sum
// leaves some 1.5, root mean square.
constexpr double kMostRms = 2.5, kMostOfOne = 10;

// Half a step of all that was rounded on the way to the number.
double unit_of(const ScoreData& data, size_t i, double product, double bias) {
  // The softmax rounds a score less the highest of its row, and what it makes of that.
  const double made_of = std::abs(product) + std::abs(bias) +
                         std::abs(static_cast<double>(data.found[i])) +
                         (data.up_to_a_constant ? 1 : 0);
  return data.half_step * made_of + 1e-30;
}

double unit_of(const ScoreData& data, size_t i, double scale, double product, double bias) {
  const double spread = std::abs(scale) * static_cast<double>(data.spread[i]);
  return unit_of(data, i, product, bias) + (data.half_step + data.angle_error) * spread;
}

double times_of(const ScoreForm& form, size_t head) {
  return form.times.empty() ? 1 : form.times[head];
}

// Calls look(i, weight) for the numbers of a row that are compared.
template <typename Look>
void for_row(const ScoreData& data, size_t row, Look look) {
  const auto keys = static_cast<size_t>(data.keys);
  for (size_t i = row * keys; i < (row + 1) * keys; ++i) {
    if (data.used[i] != 0) look(i);
  }
}

struct Sums {
  double pp = 0, pb = 0, bb = 0, pt = 0, bt = 0;
};

// Adds the products of a row's numbers, less their means where a constant is not known.
struct Row {
  std::vector<double> w, p, b, t;

  void clear() {
    for (auto* list : {&w, &p, &b, &t}) list->clear();
  }
  void add_to(Sums& sums, bool without_means) {
    double all = 0, mp = 0, mb = 0, mt = 0;
    for (size_t n = 0; without_means && n < w.size(); ++n) {
      all += w[n], mp += w[n] * p[n], mb += w[n] * b[n], mt += w[n] * t[n];
    }
    if (all > 0) mp /= all, mb /= all, mt /= all;
    for (size_t n = 0; n < w.size(); ++n) {
      const double x = p[n] - mp, y = b[n] - mb, z = t[n] - mt;
      sums.pp += w[n] * x * x, sums.pb += w[n] * x * y, sums.bb += w[n] * y * y;
      sums.pt += w[n] * x * z, sums.bt += w[n] * y * z;
    }
  }
};

}  // namespace

double softcapped(double score, double softcap) {
  return softcap > 0 ? softcap * std::tanh(score / softcap) : score;
}

ScoreMisfit misfit(const ScoreData& data, std::span<const float> products,
                   std::span<const float> bias, const ScoreForm& form) {
  ScoreMisfit result;
  double squares = 0;
  size_t count = 0;
  std::vector<double> off, unit;
  std::vector<size_t> at;
  for (size_t row = 0; row < data.row_count(); ++row) {
    off.clear(), unit.clear(), at.clear();
    double all = 0, mean = 0;
    for_row(data, row, [&](size_t i) {
      const double product = form.scale * static_cast<double>(products[i]);
      const double added =
          bias.empty() ? 0 : times_of(form, data.head_of(row)) * static_cast<double>(bias[i]);
      at.push_back(i);
      off.push_back(static_cast<double>(data.found[i]) - softcapped(product, form.softcap) - added);
      unit.push_back(unit_of(data, i, form.scale, product, added));
      const double weight = 1 / (unit.back() * unit.back());
      all += weight, mean += weight * off.back();
    });
    mean = data.up_to_a_constant && all > 0 ? mean / all : 0;
    for (size_t n = 0; n < off.size(); ++n) {
      const double each = (off[n] - mean) / unit[n];
      squares += each * each;
      ++count;
      if (std::abs(each) <= kMostOfOne) continue;
      if (result.wrong++ == 0) result.first = at[n];
    }
  }
  result.rms = count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
  result.holds = result.wrong == 0 && result.rms <= kMostRms;
  return result;
}

ScoreForm fitted(const ScoreData& data, std::span<const float> products,
                 std::span<const float> bias, double softcap) {
  const bool free_bias = !bias.empty() && softcap == 0;
  std::vector<Sums> of_heads(static_cast<size_t>(data.heads));
  Row numbers;
  for (size_t row = 0; row < data.row_count(); ++row) {
    numbers.clear();
    for_row(data, row, [&](size_t i) {
      const double p = products[i], b = bias.empty() ? 0 : static_cast<double>(bias[i]);
      double t = data.found[i], slope = 1;
      if (softcap > 0) {
        const double part = (t - b) / softcap;
        if (std::abs(part) > 0.98) return;  // too near the cap to tell what it was
        t = softcap * std::atanh(part);
        slope = 1 / (1 - part * part);
      }
      // The scale is not known yet; of a number its own size says enough.
      const double spread = static_cast<double>(data.spread[i]);
      const double size = std::abs(static_cast<double>(data.found[i])) + std::abs(b) + spread;
      numbers.w.push_back(1 / (slope * slope * size * size + 1e-30));
      numbers.p.push_back(p), numbers.b.push_back(free_bias ? b : 0), numbers.t.push_back(t);
    });
    numbers.add_to(of_heads[data.head_of(row)], data.up_to_a_constant);
  }
  ScoreForm form{.scale = 0, .softcap = softcap, .times = {}};
  double top = 0, bottom = 0;
  for (const Sums& s : of_heads) {
    const double share = s.bb > 0 ? s.pb / s.bb : 0;
    top += s.pt - share * s.bt, bottom += s.pp - share * s.pb;
  }
  if (bottom > 0) form.scale = top / bottom;
  if (!free_bias) return form;
  for (const Sums& s : of_heads) {
    form.times.push_back(s.bb > 0 ? (s.bt - form.scale * s.pb) / s.bb : 1);
  }
  return form;
}

double fitted_softcap(const ScoreData& data, std::span<const float> products,
                      std::span<const float> bias, double scale) {
  constexpr double kLeast = 1, kMost = 1e6;
  double farthest = 0, score = 0, found = 0;
  for (size_t row = 0; row < data.row_count(); ++row) {
    for_row(data, row, [&](size_t i) {
      const double b = bias.empty() ? 0 : static_cast<double>(bias[i]);
      const double x = scale * static_cast<double>(products[i]),
                   s = static_cast<double>(data.found[i]) - b;
      if (x * s <= 0 || std::abs(x) - std::abs(s) <= farthest) return;
      farthest = std::abs(x) - std::abs(s), score = std::abs(x), found = std::abs(s);
    });
  }
  if (farthest <= 0) return 0;
  double low = kLeast, high = kMost;  // softcapped grows with the cap
  for (int step = 0; step < 100; ++step) {
    const double middle = std::sqrt(low * high);
    (softcapped(score, middle) < found ? low : high) = middle;
  }
  const double cap = std::sqrt(low * high);
  return cap < 0.99 * kMost ? cap : 0;
}

}  // namespace ropewalk
