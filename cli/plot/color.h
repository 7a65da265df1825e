#pragma once

namespace ropewalk::plot {

// Red, green, blue in [0, 1] (sRGB).
struct Color {
  double r = 0, g = 0, b = 0;
  friend bool operator==(const Color&, const Color&) = default;
};

constexpr Color kWhite{1, 1, 1};
constexpr Color kInk{0.13, 0.13, 0.13};   // text and frames
constexpr Color kSoft{0.38, 0.38, 0.38};  // captions, ticks
constexpr Color kGrid{0.88, 0.88, 0.88};
constexpr Color kNanGrey{0.62, 0.62, 0.62};

Color mix(const Color& from, const Color& to, double t);

// The colour of a value in a heat map of [low, high]: white at 0 when low < 0 < high (the farther
// end gets the full colour, so equal distances from 0 look equal), else white at low and dark at
// high. NaN is kNanGrey. value_color(-1, -1, 1) is dark blue, (0, -1, 1) white, (1, -1, 1) dark
// red.
Color value_color(double value, double low, double high);

// The i-th colour of curves: seven that readers with any colour vision can tell apart, then again.
Color series_color(int i);
constexpr int kSeriesColors = 7;

}  // namespace ropewalk::plot
