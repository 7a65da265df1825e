#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ropewalk::plot {

struct Tick {
  double value = 0;
  std::string label;
};

// What runs along one side of a plot. `low` is at the left or the bottom; high < low turns it
// round.
struct Axis {
  double low = 0;
  double high = 1;
  bool log = false;
  std::vector<Tick> ticks;
  std::vector<double> minor;  // fainter lines without labels
};

// Where a value lies: 0 at low, 1 at high. NaN for x <= 0 on a logarithmic axis.
double place(const Axis& axis, double value);

// Whether a number can be drawn at all: finite, and small enough that sums and differences are,
// too.
bool drawable(double value);

// A round distance between ticks, for about `count` of them in [0, span]: 1, 2 or 5 times a power
// of ten; or a power of two >= 16 where it divides span, as it does for dimensions and context
// lengths. tick_step(100, 8) = 20, tick_step(512, 8) = 64, tick_step(2, 4) = 0.5.
double tick_step(double span, int count);

// "−0.5", "100", "65,536", "1e−6": as many decimals as multiples of `step` need.
std::string number_label(double value, double step);

// From exactly low to high, or to the ticks just outside (`round_out`).
Axis linear_axis(double low, double high, int count, bool round_out);

// 0 < low; ticks at 1, 10, 100, ...; at 1, 2, 5, 10, ... when there are less than two decades.
Axis log_axis(double low, double high);

// An axis of numbered cells, cell i covering [i, i + 1): a tick in the middle of every so many, and
// of the last where there is room. `cell` is the length of a cell and `room` what a label needs.
Axis cell_axis(int count, const std::vector<std::string>& labels, double cell, double room);

}  // namespace ropewalk::plot
