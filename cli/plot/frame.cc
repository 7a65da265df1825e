#include "cli/plot/frame.h"

#include <algorithm>

namespace ropewalk::plot {
namespace {

constexpr double kTitleGap = 10;
constexpr double kCaptionGap = 6;
constexpr double kTickGap = 4;   // between a tick and its label
constexpr double kSpill = 50;    // how much longer than its plot the label of an axis may be
constexpr double kLabelGap = 8;  // between tick labels and the label of the axis

void draw_lines(Canvas& canvas, const Rect& area, double top, const std::vector<std::string>& lines,
                double size, const Color& color) {
  double y = top + size * kLineSpacing / 2;
  for (const std::string& line : lines) {
    canvas.text({area.center().x, y}, line, {size, color, Align::middle});
    y += size * kLineSpacing;
  }
}

double title_size(double width) { return width < kNarrow ? kNarrowTitleSize : kTitleSize; }

double lines_height(Canvas& canvas, const std::string& text, double size, double width) {
  return static_cast<double>(canvas.wrapped(text, size, width).size()) * size * kLineSpacing;
}

}  // namespace

double title_height(Canvas& canvas, const std::string& title, double width) {
  const double size = title_size(width);
  return title.empty() ? 0 : lines_height(canvas, title, size, width) + kTitleGap;
}

double caption_height(Canvas& canvas, const std::string& caption, double width) {
  return caption.empty() ? 0 : lines_height(canvas, caption, kCaptionSize, width) + kCaptionGap;
}

void draw_title(Canvas& canvas, Rect& area, const std::string& title) {
  const double size = title_size(area.width);
  draw_lines(canvas, area, area.y, canvas.wrapped(title, size, area.width), size, kInk);
  const double height = title_height(canvas, title, area.width);
  area.y += height;
  area.height -= height;
}

void draw_caption(Canvas& canvas, Rect& area, const std::string& caption) {
  const double height = caption_height(canvas, caption, area.width);
  area.height -= height;
  draw_lines(canvas, area, area.bottom() + kCaptionGap,
             canvas.wrapped(caption, kCaptionSize, area.width), kCaptionSize, kSoft);
}

Rect inset(const Rect& rect, double by) {
  return {rect.x + by, rect.y + by, rect.width - 2 * by, rect.height - 2 * by};
}

double widest_label(Canvas& canvas, const Axis& axis) {
  double width = 0;
  for (const Tick& tick : axis.ticks) {
    width = std::max(width, canvas.text_width(tick.label, kTickSize));
  }
  return width;
}

double left_of_plot(Canvas& canvas, const Axis& y, const std::string& y_label) {
  const double label = y_label.empty() ? 0 : kLabelGap + kLabelSize;
  return label + widest_label(canvas, y) + kTickGap + kTickLength;
}

double x_at(const Rect& plot, const Axis& axis, double value) {
  return plot.x + plot.width * place(axis, value);
}

double y_at(const Rect& plot, const Axis& axis, double value) {
  return plot.bottom() - plot.height * place(axis, value);
}

void draw_grid(Canvas& canvas, const Rect& plot, const Axes& axes) {
  const Pen faint{mix(kGrid, kWhite, 0.5), 0.75};
  const Pen pen{kGrid, 1};
  for (double value : axes.x.minor) {
    const double x = x_at(plot, axes.x, value);
    canvas.line({x, plot.y}, {x, plot.bottom()}, faint);
  }
  for (const Tick& tick : axes.x.ticks) {
    const double x = x_at(plot, axes.x, tick.value);
    canvas.line({x, plot.y}, {x, plot.bottom()}, pen);
  }
  for (const Tick& tick : axes.y.ticks) {
    const double y = y_at(plot, axes.y, tick.value);
    canvas.line({plot.x, y}, {plot.right(), y}, pen);
  }
}

void draw_axes(Canvas& canvas, const Rect& plot, const Axes& axes) {
  const Pen pen{kInk, 1};
  canvas.frame(plot, pen);
  for (const Tick& tick : axes.x.ticks) {
    const double x = x_at(plot, axes.x, tick.value);
    canvas.line({x, plot.bottom()}, {x, plot.bottom() + kTickLength}, pen);
    const double y = plot.bottom() + kTickLength + kTickGap + kTickSize / 2;
    canvas.text({x, y}, tick.label, {kTickSize, kInk, Align::middle});
  }
  for (const Tick& tick : axes.y.ticks) {
    const double y = y_at(plot, axes.y, tick.value);
    canvas.line({plot.x - kTickLength, y}, {plot.x, y}, pen);
    canvas.text({plot.x - kTickLength - kTickGap, y}, tick.label, {kTickSize, kInk, Align::end});
  }
  if (!axes.x_label.empty()) {
    const std::string label = canvas.elided(axes.x_label, kLabelSize, plot.width + kSpill);
    canvas.text({plot.center().x, plot.bottom() + kBelowPlot - kLabelSize / 2}, label,
                {kLabelSize, kInk, Align::middle});
  }
  if (!axes.y_label.empty()) {
    const std::string label = canvas.elided(axes.y_label, kLabelSize, plot.height + kSpill);
    const double x = plot.x - left_of_plot(canvas, axes.y, axes.y_label) + kLabelSize / 2;
    canvas.text({x, plot.center().y}, label, {kLabelSize, kInk, Align::middle, true});
  }
}

void draw_no_data(Canvas& canvas, const Rect& plot) {
  canvas.text(plot.center(), "no data", {kLabelSize, kSoft, Align::middle});
}

}  // namespace ropewalk::plot
