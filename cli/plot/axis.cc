#include "cli/plot/axis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace ropewalk::plot {
namespace {

// Digits of the integer part in groups of three from five digits on: 4096, 65,536.
std::string grouped(const std::string& digits) {
  const size_t point = std::min(digits.find('.'), digits.size());
  if (point < 5) return digits;
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i < point && (point - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

// Wide enough that neighbouring ticks are different doubles.
void widen_if_flat(double& low, double& high) {
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low > size * 1e-9) return;
  const double half = size > 0 ? size * 0.1 : 0.5;
  low -= half;
  high += half;
}

}  // namespace

double place(const Axis& axis, double value) {
  if (!axis.log) return (value - axis.low) / (axis.high - axis.low);
  if (value <= 0) return std::numeric_limits<double>::quiet_NaN();
  return std::log(value / axis.low) / std::log(axis.high / axis.low);
}

bool drawable(double value) { return std::abs(value) < 1e300; }

double tick_step(double span, int count) {
  const double raw = span / std::max(count, 1);
  const double binary = std::exp2(std::ceil(std::log2(raw)));
  if (binary >= 16 && std::fmod(span, binary) == 0) return binary;
  const double decade = std::pow(10, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0}) {
    if (factor * decade >= raw * (1 - 1e-9)) return factor * decade;
  }
  return 10 * decade;
}

std::string number_label(double value, double step) {
  if (std::abs(value) < step * 1e-6) return "0";
  std::string digits;
  if (std::abs(value) >= 1e7 || step < 1e-4) {
    digits = fmt::format("{:.3g}", std::abs(value));
    // 1e+07 and 1e-06 as people write them: 1e7, 1e−6.
    const size_t e = digits.find('e');
    if (e != std::string::npos) {
      const int exponent = std::stoi(digits.substr(e + 1));
      digits =
          fmt::format("{}e{}{}", digits.substr(0, e), exponent < 0 ? "−" : "", std::abs(exponent));
    }
  } else {
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    digits = grouped(fmt::format("{:.{}f}", std::abs(value), decimals));
  }
  return (value < 0 ? "−" : "") + digits;
}

Axis linear_axis(double low, double high, int count, bool round_out) {
  widen_if_flat(low, high);
  const double step = tick_step(high - low, count);
  double first = std::ceil(low / step - 1e-9);
  double last = std::floor(high / step + 1e-9);
  if (round_out) {
    first = std::floor(low / step + 1e-9);
    last = std::ceil(high / step - 1e-9);
    low = first * step;
    high = last * step;
  }
  Axis axis{low, high, false, {}, {}};
  const int steps = static_cast<int>(last - first);
  for (int i = 0; i <= steps; ++i) {
    const double value = (first + i) * step;
    axis.ticks.push_back({value, number_label(value, step)});
  }
  return axis;
}

Axis log_axis(double low, double high) {
  if (high <= low * (1 + 1e-9)) {
    low /= 2;
    high *= 2;
  }
  Axis axis{low, high, true, {}, {}};
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  const bool few = high / low < 100;
  const int every = 1 + (last - first) / 10;
  for (int exponent = first; exponent <= last; ++exponent) {
    const double decade = std::pow(10.0, exponent);
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * decade;
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      const bool labelled =
          digit == 1 ? (exponent - first) % every == 0 : few && (digit == 2 || digit == 5);
      if (labelled) {
        axis.ticks.push_back({value, number_label(value, decade)});
      } else if (every == 1) {
        axis.minor.push_back(value);
      }
    }
  }
  return axis;
}

Axis cell_axis(int count, const std::vector<std::string>& labels, double cell, double room) {
  Axis axis{0, static_cast<double>(std::max(count, 1)), false, {}, {}};
  // A list of words is thinned only as far as it must be; numbers stand at round ones.
  const int fit = std::max(1, static_cast<int>(count * cell / room));
  int step = static_cast<int>(std::ceil(tick_step(std::max(count, 1), fit)));
  if (cell >= room) step = 1;
  const auto add = [&](int i) {
    axis.ticks.push_back({i + 0.5, labels.empty() ? number_label(i, 1) : labels[i]});
  };
  for (int i = 0; i < count; i += step) add(i);
  const int past = count == 0 ? 0 : (count - 1) % step;
  if (past * cell >= room) add(count - 1);
  return axis;
}

}  // namespace ropewalk::plot
