#pragma once

#include <string>
#include <vector>

#include "cli/plot/axis.h"
#include "cli/plot/canvas.h"

namespace ropewalk::plot {

// What all figures share: title above, caption below, axes around.

constexpr double kTitleSize = 17;
constexpr double kNarrow = 600;
constexpr double kNarrowTitleSize = 13.5;
constexpr double kLabelSize = 13.5;
constexpr double kTickSize = 12;
constexpr double kCaptionSize = 12;
constexpr double kPadding = 14;  // white around a figure
constexpr double kTickLength = 4;
// Room under a plot for ticks and the label of the x axis; without the label, for ticks.
constexpr double kBelowPlot = 43;
constexpr double kTicksBelow = 24;

// Heights of a title and a caption in a figure of this width, with their distance to the plot. The
// title of a narrow figure, which stands among others, is smaller.
double title_height(Canvas& canvas, const std::string& title, double width);
double caption_height(Canvas& canvas, const std::string& caption, double width);

// Draws at the top (bottom) of `area` and takes the height off it.
void draw_title(Canvas& canvas, Rect& area, const std::string& title);
void draw_caption(Canvas& canvas, Rect& area, const std::string& caption);

// `rect` without `by` on each side.
Rect inset(const Rect& rect, double by);

double widest_label(Canvas& canvas, const Axis& axis);
// Room that an axis with these ticks and this label needs left of the plot.
double left_of_plot(Canvas& canvas, const Axis& y, const std::string& y_label);

// Where a value of each axis lies in the plot.
double x_at(const Rect& plot, const Axis& axis, double value);
double y_at(const Rect& plot, const Axis& axis, double value);

struct Axes {
  Axis x, y;
  std::string x_label, y_label;
};

// Grid lines, to be drawn before the data.
void draw_grid(Canvas& canvas, const Rect& plot, const Axes& axes);
// Frame, ticks, tick labels and axis labels, to be drawn after the data.
void draw_axes(Canvas& canvas, const Rect& plot, const Axes& axes);

// Text drawn in the middle of a plot that has nothing to show.
void draw_no_data(Canvas& canvas, const Rect& plot);

}  // namespace ropewalk::plot
