#include "cli/plot/color.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

namespace ropewalk::plot {
namespace {

constexpr Color hex(uint32_t rgb) {
  return {((rgb >> 16) & 255) / 255.0, ((rgb >> 8) & 255) / 255.0, (rgb & 255) / 255.0};
}

// ColorBrewer's RdBu, from blue to red, its middle made white so that 0 is the paper.
// Lightness falls evenly to both sides. Source: C. Brewer, colorbrewer2.org.
constexpr std::array kDiverging = {hex(0x053061), hex(0x2166AC), hex(0x4393C3), hex(0x92C5DE),
                                   hex(0xD1E5F0), hex(0xFFFFFF), hex(0xFDDBC7), hex(0xF4A582),
                                   hex(0xD6604D), hex(0xB2182B), hex(0x67001F)};
// ColorBrewer's Blues.
constexpr std::array kSequential = {hex(0xFFFFFF), hex(0xDEEBF7), hex(0xC6DBEF),
                                    hex(0x9ECAE1), hex(0x6BAED6), hex(0x4292C6),
                                    hex(0x2171B5), hex(0x08519C), hex(0x08306B)};
// Okabe and Ito's palette without its yellow, which is lost on white, and dark ones first.
constexpr std::array<Color, kSeriesColors> kSeries = {hex(0x0072B2), hex(0xD55E00), hex(0x009E73),
                                                      hex(0xCC79A7), hex(0x000000), hex(0x56B4E9),
                                                      hex(0xE69F00)};

Color along(std::span<const Color> stops, double t) {
  const double at = std::clamp(t, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const size_t i = std::min(static_cast<size_t>(at), stops.size() - 2);
  return mix(stops[i], stops[i + 1], at - static_cast<double>(i));
}

}  // namespace

Color mix(const Color& from, const Color& to, double t) {
  return {from.r + (to.r - from.r) * t, from.g + (to.g - from.g) * t, from.b + (to.b - from.b) * t};
}

Color value_color(double value, double low, double high) {
  if (std::isnan(value)) return kNanGrey;
  value = std::clamp(value, low, high);
  if (low < 0 && high > 0) {
    return along(kDiverging, 0.5 + 0.5 * value / std::max(-low, high));
  }
  return along(kSequential, (value - low) / (high - low));
}

Color series_color(int i) { return kSeries[i % kSeriesColors]; }

}  // namespace ropewalk::plot
