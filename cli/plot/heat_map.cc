#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "cli/plot/figures.h"
#include "cli/plot/frame.h"
#include "ropewalk/base/error.h"

namespace ropewalk::plot {
namespace {

constexpr double kTallest = 320;     // of the plot
constexpr double kTallestCell = 80;  // so that three rows do not look like flags
constexpr double kShortest = 60;     // the colour bar needs room even beside nothing
constexpr double kEmptyWidth = 300;
constexpr double kNarrowPlot = 450;  // below it, a wider one is taken if it stays under kWidePlot
constexpr double kWidePlot = 850;
constexpr double kBarGap = 20;
constexpr double kBarWidth = 15;
constexpr double kBarTip = 10;  // the pointed end that says "and beyond"
constexpr double kLongestRowLabel = 160;
constexpr double kNanKey = 24;  // height of the key of NaN under the bar

// Cells along one side and the pixels they take. All cells are equally large: with 2 pixels for
// some and 3 for others, the fast sin, cos, sin, cos columns of an encoding would show stripes that
// are not in the data. Where several cells share a pixel, which shows their mean, they are of one
// kind: of 2 kinds, cells 0, 2, 4 and 1, 3, 5 share two pixels. Otherwise an even number shares
// one.
struct Raster {
  int cells = 0;
  int pixels_per_cell = 1;
  int cells_per_pixel = 1;
  int kinds = 1;
  int pixels() const {
    const int block = kinds * cells_per_pixel;  // cells of `kinds` pixels
    return cells / block * kinds * pixels_per_cell + std::min(cells % block, kinds);
  }
  double length() const { return pixels() / kPixelsPerUnit; }
  double cell() const { return length() / std::max(cells, 1); }
};

Raster fit(int cells, int kinds, double length) {
  const int pixels = std::max(1, static_cast<int>(length * kPixelsPerUnit + 1e-6));
  if (cells <= pixels) return {cells, pixels / std::max(cells, 1), 1, 1};
  const int share = (cells + pixels - 1) / pixels;
  return {cells, 1, kinds > 1 ? share : share + share % 2, kinds};
}

// A reader must know when the colours are not the values themselves.
std::string shared(const Raster& raster) {
  if (raster.cells_per_pixel == 1) return "";
  return fmt::format(" (mean of each {}{})", raster.cells_per_pixel,
                     raster.kinds == 1 ? "" : fmt::format(", {} apart", raster.kinds));
}

struct Layout {
  Raster rows, columns;
  Axes axes;
  Axis bar;
  double left = 0, right = 0;  // room beside the plot
  bool has_nan = false, below = false, above = false;
};

double outer_height(Canvas& canvas, const HeatMap& figure, double width) {
  const double inner = width - 2 * kPadding;
  return 2 * kPadding + title_height(canvas, figure.title, inner) +
         caption_height(canvas, figure.caption, inner) +
         (figure.x_label.empty() ? kTicksBelow : kBelowPlot);
}

Layout lay_out(Canvas& canvas, const HeatMap& figure, double width, double height) {
  Layout out;
  for (float value : figure.values) {
    out.has_nan |= std::isnan(value);
    out.below |= value < figure.low;
    out.above |= value > figure.high;
  }
  out.rows = fit(figure.rows, 1, std::min(height, std::max(1, figure.rows) * kTallestCell));
  Axis y = cell_axis(figure.rows, figure.row_labels, out.rows.cell(), kTickSize * 1.5);
  std::swap(y.low, y.high);  // row 0 at the top
  for (Tick& tick : y.ticks) tick.label = canvas.elided(tick.label, kTickSize, kLongestRowLabel);
  out.left = left_of_plot(canvas, y, figure.y_label);
  const int bar_ticks = std::clamp(static_cast<int>(out.rows.length() / 40), 2, 8);
  out.bar = linear_axis(figure.low, figure.high, bar_ticks, false);
  out.right = kBarGap + kBarWidth + left_of_plot(canvas, out.bar, figure.value_label);
  if (out.has_nan) {
    const double key = kBarWidth + 8 + canvas.text_width(figure.nan_label, kTickSize);
    out.right = std::max(out.right, kBarGap + key);
  }
  out.columns =
      fit(figure.columns, figure.column_kinds, width - 2 * kPadding - out.left - out.right);
  double room = figure.column_labels.empty() ? 44 : 0;  // "4096" with some air
  for (const std::string& label : figure.column_labels) {
    room = std::max(room, canvas.text_width(label, kTickSize) + 8);
  }
  room = std::min(room, kLongestRowLabel);
  Axis x = cell_axis(figure.columns, figure.column_labels, out.columns.cell(), room);
  for (Tick& tick : x.ticks) tick.label = canvas.elided(tick.label, kTickSize, room);
  out.axes = {std::move(x), std::move(y), figure.x_label + shared(out.columns),
              figure.y_label + shared(out.rows)};
  return out;
}

uint32_t rgb(const Color& color) {
  const auto byte = [](double part) { return static_cast<uint32_t>(std::lround(part * 255)); };
  return byte(color.r) << 16 | byte(color.g) << 8 | byte(color.b);
}

// The cells under one pixel along one side: begin, begin + step, ... before end.
struct Cells {
  int begin = 0, end = 0, step = 1;
};

Cells cells_under(const Raster& raster, int pixel) {
  const int at = pixel / raster.pixels_per_cell;
  const int block = raster.kinds * raster.cells_per_pixel;
  const int first = at / raster.kinds * block;
  return {first + at % raster.kinds, std::min(first + block, raster.cells), raster.kinds};
}

// Mean of the numbers among the cells under a pixel; NaN when there is none.
double mean(const HeatMap& figure, const Cells& rows, const Cells& columns) {
  double sum = 0;
  int count = 0;
  for (int r = rows.begin; r < rows.end; r += rows.step) {
    for (int c = columns.begin; c < columns.end; c += columns.step) {
      const float value = figure.values[static_cast<size_t>(r) * figure.columns + c];
      if (std::isnan(value)) continue;
      sum += value;
      ++count;
    }
  }
  return count > 0 ? sum / count : std::nan("");
}

Pixels paint(const HeatMap& figure, const Raster& rows, const Raster& columns) {
  Pixels out{columns.pixels(), rows.pixels(), {}};
  out.rgb.reserve(static_cast<size_t>(out.width) * out.height);
  for (int y = 0; y < out.height; ++y) {
    if (y % rows.pixels_per_cell != 0) {  // the same cells as the line above
      const size_t begin = out.rgb.size() - out.width;
      for (int x = 0; x < out.width; ++x) out.rgb.push_back(out.rgb[begin + x]);
      continue;
    }
    for (int x = 0; x < out.width; ++x) {
      const double value = mean(figure, cells_under(rows, y), cells_under(columns, x));
      out.rgb.push_back(rgb(value_color(value, figure.low, figure.high)));
    }
  }
  return out;
}

// The grey key under the bar.
void draw_nan_key(Canvas& canvas, const Rect& bar, const std::string& label) {
  const Rect box{bar.x, bar.bottom() + kNanKey - kBarWidth, kBarWidth, kBarWidth};
  canvas.fill(box, kNanGrey);
  canvas.frame(box, {kInk, 1});
  canvas.text({box.right() + 8, box.center().y}, label, {kTickSize});
}

void draw_bar(Canvas& canvas, Rect bar, const HeatMap& figure, const Layout& layout) {
  if (layout.has_nan) bar.height -= kNanKey;
  const Rect whole = bar;
  if (layout.above) bar.y += kBarTip, bar.height -= kBarTip;
  if (layout.below) bar.height -= kBarTip;
  Pixels ramp{static_cast<int>(kBarWidth * kPixelsPerUnit),
              static_cast<int>(bar.height * kPixelsPerUnit),
              {}};
  for (int y = 0; y < ramp.height; ++y) {
    const double part = (ramp.height - y - 0.5) / ramp.height;
    const double value = figure.low + (figure.high - figure.low) * part;
    ramp.rgb.insert(ramp.rgb.end(), ramp.width, rgb(value_color(value, figure.low, figure.high)));
  }
  canvas.image({bar.x, bar.y}, ramp);
  const Pen pen{kInk, 1};
  std::vector<Point> outline = {{bar.x, bar.y}};
  if (layout.above) {
    const std::vector<Point> tip = {
        {bar.x, bar.y}, {bar.center().x, whole.y}, {bar.right(), bar.y}};
    canvas.fill(tip, value_color(figure.high, figure.low, figure.high));
    outline.push_back(tip[1]);
  }
  outline.insert(outline.end(), {{bar.right(), bar.y}, {bar.right(), bar.bottom()}});
  if (layout.below) {
    const std::vector<Point> tip = {
        {bar.right(), bar.bottom()}, {bar.center().x, whole.bottom()}, {bar.x, bar.bottom()}};
    canvas.fill(tip, value_color(figure.low, figure.low, figure.high));
    outline.push_back(tip[1]);
  }
  outline.insert(outline.end(), {{bar.x, bar.bottom()}, {bar.x, bar.y}});
  canvas.polyline(outline, pen);
  for (const Tick& tick : layout.bar.ticks) {
    const double y = y_at(bar, layout.bar, tick.value);
    canvas.line({bar.right(), y}, {bar.right() + kTickLength, y}, pen);
    canvas.text({bar.right() + kTickLength + 4, y}, tick.label, {kTickSize});
  }
  if (layout.has_nan) draw_nan_key(canvas, whole, figure.nan_label);
  const double x =
      bar.right() + left_of_plot(canvas, layout.bar, figure.value_label) - kLabelSize / 2;
  const std::string label = canvas.elided(figure.value_label, kLabelSize, bar.height + kBelowPlot);
  canvas.text({x, whole.center().y}, label, {kLabelSize, kInk, Align::middle, true});
}

void check_labels(const std::vector<std::string>& labels, int count, const char* what) {
  if (labels.empty() || labels.size() == static_cast<size_t>(count)) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("heat map: {} {} labels for {} of them", labels.size(), what, count));
}

}  // namespace

void check(const HeatMap& figure) {
  const bool fits = figure.rows >= 0 && figure.columns >= 0 &&
                    figure.values.size() ==
                        static_cast<size_t>(figure.rows) * static_cast<size_t>(figure.columns);
  if (!fits) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("heat map: {} values for {} rows x {} columns", figure.values.size(),
                            figure.rows, figure.columns));
  }
  check_labels(figure.row_labels, figure.rows, "row");
  check_labels(figure.column_labels, figure.columns, "column");
  if (!drawable(figure.low) || !drawable(figure.high) || !(figure.low < figure.high)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("heat map: colours from {} to {}: the first must be smaller",
                            figure.low, figure.high));
  }
}

Size natural_size(Canvas& canvas, const HeatMap& figure, double width, bool alone) {
  const double tallest = alone ? kTallest : kTallest * 0.75;
  const Layout layout = lay_out(canvas, figure, width, tallest);
  if (alone) {
    // Whole pixels a cell can waste up to half the room: take one more where that is not too wide.
    const int more = layout.columns.cells_per_pixel > 1 ? 1 : layout.columns.pixels_per_cell + 1;
    const double one_more = layout.columns.cells * more / kPixelsPerUnit;
    if (layout.columns.length() < kNarrowPlot && one_more < kWidePlot) {
      width = std::max(width, one_more + layout.left + layout.right + 2 * kPadding);
    }
  }
  const double plot = std::max(layout.rows.length(), kShortest);
  return {std::ceil(width), std::ceil(outer_height(canvas, figure, width) + plot)};
}

void draw(Canvas& canvas, const Rect& area, const HeatMap& figure) {
  Rect inner = inset(area, kPadding);
  const double room = area.height - outer_height(canvas, figure, area.width);
  const Layout layout = lay_out(canvas, figure, area.width, room);
  draw_title(canvas, inner, figure.title);
  draw_caption(canvas, inner, figure.caption);
  Rect plot{0, inner.y, figure.columns > 0 ? layout.columns.length() : kEmptyWidth,
            figure.rows > 0 ? layout.rows.length() : room};
  // The plot with its labels and bar is centred; on whole units, so that cells fall on pixels.
  plot.x = std::floor(inner.x + (inner.width - layout.left - plot.width - layout.right) / 2 +
                      layout.left);
  plot.y = std::floor(plot.y);
  if (figure.values.empty()) {
    draw_no_data(canvas, plot);
  } else {
    canvas.image({plot.x, plot.y}, paint(figure, layout.rows, layout.columns));
  }
  draw_axes(canvas, plot, layout.axes);
  draw_bar(canvas, {plot.right() + kBarGap, plot.y, kBarWidth, plot.height}, figure, layout);
}

}  // namespace ropewalk::plot
