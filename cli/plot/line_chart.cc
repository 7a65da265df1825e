#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "cli/plot/figures.h"
#include "cli/plot/frame.h"
#include "ropewalk/base/error.h"

namespace ropewalk::plot {
namespace {

constexpr double kSample = 26;  // length of the piece of line in the legend
constexpr double kSampleGap = 6;
constexpr double kEntryGap = 22;
constexpr double kLegendLine = 20;
constexpr double kLegendBelow = 6;
constexpr double kLineWidth = 1.6;
constexpr double kThinLine = 0.9;
constexpr double kMarker = 2.6;

Pen series_pen(int i) {
  Pen pen{series_color(i), kLineWidth};
  // The eighth curve has the first colour again, and dashes.
  if (i / kSeriesColors % 3 == 1) pen.dash = {6, 3};
  if (i / kSeriesColors % 3 == 2) pen.dash = {2, 3};
  return pen;
}

bool shown(const LineChart& chart, double x, double y) {
  return drawable(x) && drawable(y) && !(chart.log_x && x <= 0);
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

struct Entry {
  int series = 0;
  std::string name;
  double x = 0;  // from the left of its line
  double right = 0;
};

// The legend stands above the plot, where no curve can run into it: lines of entries.
std::vector<std::vector<Entry>> legend(Canvas& canvas, const LineChart& chart, double width) {
  std::vector<std::vector<Entry>> lines;
  double x = 0;
  for (int i = 0; i < static_cast<int>(chart.series.size()); ++i) {
    if (chart.series[i].name.empty()) continue;
    const double head = kSample + kSampleGap;
    const std::string name = canvas.elided(chart.series[i].name, kTickSize, width - head);
    const double needed = head + canvas.text_width(name, kTickSize);
    if (lines.empty() || x + needed > width) {
      lines.emplace_back();
      x = 0;
    }
    lines.back().push_back({i, name, x, x + needed});
    x += needed + kEntryGap;
  }
  return lines;
}

double legend_height(const std::vector<std::vector<Entry>>& lines) {
  return lines.empty() ? 0 : static_cast<double>(lines.size()) * kLegendLine + kLegendBelow;
}

void draw_legend(Canvas& canvas, Rect& area, const LineChart& chart) {
  const auto lines = legend(canvas, chart, area.width);
  double width = 0;
  for (const std::vector<Entry>& line : lines) width = std::max(width, line.back().right);
  const double left = area.x + (area.width - width) / 2;
  double y = area.y + kLegendLine / 2;
  for (const std::vector<Entry>& line : lines) {
    for (const Entry& entry : line) {
      const double x = left + entry.x;
      Pen pen = series_pen(entry.series);
      pen.width = 2.2;
      canvas.line({x, y}, {x + kSample, y}, pen);
      if (chart.series[entry.series].markers) {
        canvas.disc({x + kSample / 2, y}, kMarker + 0.6, pen.color);
      }
      canvas.text({x + kSample + kSampleGap, y}, entry.name, {kTickSize});
    }
    y += kLegendLine;
  }
  const double height = legend_height(lines);
  area.y += height;
  area.height -= height;
}

Axes axes_of(const LineChart& chart, const Rect& area) {
  Range x, y;
  for (const Series& series : chart.series) {
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!shown(chart, series.x[i], series.y[i])) continue;
      x.add(series.x[i]);
      y.add(series.y[i]);
    }
  }
  if (x.empty()) x = {1, 10}, y = {0, 1};
  Axes axes;
  const int x_ticks = std::max(2, static_cast<int>(area.width / 85));
  const int y_ticks = std::max(2, static_cast<int>(area.height / 50));
  axes.x = chart.log_x ? log_axis(x.low, x.high) : linear_axis(x.low, x.high, x_ticks, false);
  axes.y = linear_axis(y.low, y.high, y_ticks, true);
  axes.x_label = chart.x_label;
  axes.y_label = chart.y_label;
  return axes;
}

// Whether there was anything to draw.
bool draw_series(Canvas& canvas, const Rect& plot, const Axes& axes, const LineChart& chart,
                 int index) {
  const Series& series = chart.series[index];
  Pen pen = series_pen(index);
  // A curve with more points than pixels fills an area; a thin pen leaves what lies under it
  // visible.
  if (static_cast<double>(series.x.size()) > kPixelsPerUnit * plot.width) pen.width = kThinLine;
  bool any = false;
  std::vector<Point> piece;
  const auto end_piece = [&] {
    // A point between two gaps would not be seen as a line.
    if (piece.size() == 1) canvas.disc(piece[0], pen.width, pen.color);
    if (piece.size() > 1) canvas.polyline(piece, pen);
    piece.clear();
  };
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (!shown(chart, series.x[i], series.y[i])) {
      end_piece();
      continue;
    }
    piece.push_back({x_at(plot, axes.x, series.x[i]), y_at(plot, axes.y, series.y[i])});
    if (series.markers) canvas.disc(piece.back(), kMarker, pen.color);
    any = true;
  }
  end_piece();
  return any;
}

}  // namespace

void check(const LineChart& figure) {
  for (const Series& series : figure.series) {
    if (series.x.size() == series.y.size()) continue;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("line chart: series \"{}\" has {} x and {} y", escaped(series.name),
                            series.x.size(), series.y.size()));
  }
}

Size natural_size(Canvas& canvas, const LineChart& figure, double width, bool alone) {
  const double inner = width - 2 * kPadding;
  const double plot = alone ? 320 : 230;
  return {width, std::ceil(2 * kPadding + title_height(canvas, figure.title, inner) +
                           legend_height(legend(canvas, figure, inner)) + plot +
                           (figure.x_label.empty() ? kTicksBelow : kBelowPlot) +
                           caption_height(canvas, figure.caption, inner))};
}

void draw(Canvas& canvas, const Rect& area, const LineChart& figure) {
  Rect inner = inset(area, kPadding);
  draw_title(canvas, inner, figure.title);
  draw_caption(canvas, inner, figure.caption);
  draw_legend(canvas, inner, figure);
  const Axes axes = axes_of(figure, inner);
  const double left = left_of_plot(canvas, axes.y, axes.y_label);
  // The label of the last tick may be centred on the right edge.
  const double right =
      axes.x.ticks.empty() ? 0 : canvas.text_width(axes.x.ticks.back().label, kTickSize) / 2;
  const double below = figure.x_label.empty() ? kTicksBelow : kBelowPlot;
  const Rect plot{std::floor(inner.x + left), std::floor(inner.y + 4),
                  std::floor(inner.width - left - right), std::floor(inner.height - below - 4)};
  draw_grid(canvas, plot, axes);
  if (axes.y.low < 0 && axes.y.high > 0) {
    const double zero = y_at(plot, axes.y, 0);
    canvas.line({plot.x, zero}, {plot.right(), zero}, {kSoft, 1});
  }
  bool any = false;
  for (int i = 0; i < static_cast<int>(figure.series.size()); ++i) {
    any |= draw_series(canvas, plot, axes, figure, i);
  }
  if (!any) draw_no_data(canvas, plot);
  draw_axes(canvas, plot, axes);
}

}  // namespace ropewalk::plot
