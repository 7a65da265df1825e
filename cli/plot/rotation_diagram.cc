#include <algorithm>
#include <cmath>

#include "cli/plot/dial.h"
#include "cli/plot/figures.h"
#include "cli/plot/frame.h"

namespace ropewalk::plot {
namespace {

constexpr double kPanelGap = 12;
constexpr double kLargestPlot = 300;
constexpr double kNarrowestPanel = 215;
constexpr double kMargin = 1.5;  // half side of the plot in norms: room for labels round the circle

int columns_of(const RotationDiagram& figure, double width) {
  const int panels = std::max(1, static_cast<int>(figure.panels.size()));
  const int fit = std::clamp(static_cast<int>(width / kNarrowestPanel), 1, 3);
  return panels == 4 ? std::min(fit, 2) : std::min(fit, panels);
}

int rows_of(const RotationDiagram& figure, double width) {
  const int columns = columns_of(figure, width);
  return (std::max(1, static_cast<int>(figure.panels.size())) + columns - 1) / columns;
}

double largest_norm(const RotationPanel& panel) {
  double norm = 0;
  for (const Arrow& arrow : panel.arrows) {
    if (drawable(arrow)) norm = std::max(norm, std::hypot(arrow.x, arrow.y));
  }
  return norm > 0 && drawable(norm * kMargin) ? norm : 1;
}

void draw_panel(Canvas& canvas, const Rect& area, const RotationPanel& panel, double title_room) {
  const double norm = largest_norm(panel);
  const Axis axis = linear_axis(-norm * kMargin, norm * kMargin, 4, false);
  const Axes axes{axis, axis, panel.x_label, panel.y_label};
  const double left = left_of_plot(canvas, axis, panel.y_label);
  const double height = area.height - title_room - kBelowPlot;
  const double side = std::floor(std::min({area.width - left, height, kLargestPlot}));
  const Rect plot{std::floor(area.x + (area.width - left - side) / 2 + left),
                  std::floor(area.y + title_room), side, side};
  // The title stands over the plot where it fits there, else over the whole panel.
  const bool fits = canvas.text_width(panel.title, kNarrowTitleSize) < side;
  Rect title = fits ? Rect{plot.x, area.y, side, title_room} : area;
  draw_title(canvas, title, panel.title);
  draw_grid(canvas, plot, axes);
  draw_dial(canvas, {plot, norm, plot.width / 2 / kMargin}, panel);
  draw_axes(canvas, plot, axes);
}

// Titles of panels in one row start their plots at the same height.
double panel_title_room(Canvas& canvas, const RotationDiagram& figure, double width) {
  double room = 0;
  for (const RotationPanel& panel : figure.panels) {
    room = std::max(room, title_height(canvas, panel.title, width));
  }
  return room;
}

// Never so wide that a panel's title would be set like a figure's.
double panel_width(const RotationDiagram& figure, double width) {
  const int columns = columns_of(figure, width);
  return std::min((width - 2 * kPadding - (columns - 1) * kPanelGap) / columns, kNarrow - 1);
}

}  // namespace

void check(const RotationDiagram&) {}

Size natural_size(Canvas& canvas, const RotationDiagram& figure, double width, bool) {
  const double panel = panel_width(figure, width);
  const double plot = std::min(panel - 50, kLargestPlot);
  const double row = panel_title_room(canvas, figure, panel) + plot + kBelowPlot;
  const double inner = width - 2 * kPadding;
  return {width, std::ceil(2 * kPadding + title_height(canvas, figure.title, inner) +
                           rows_of(figure, width) * (row + kPanelGap) - kPanelGap +
                           caption_height(canvas, figure.caption, inner))};
}

void draw(Canvas& canvas, const Rect& area, const RotationDiagram& figure) {
  Rect inner = inset(area, kPadding);
  draw_title(canvas, inner, figure.title);
  draw_caption(canvas, inner, figure.caption);
  if (figure.panels.empty()) return draw_no_data(canvas, inner);
  const int columns = columns_of(figure, area.width), rows = rows_of(figure, area.width);
  const double width = panel_width(figure, area.width);
  const double height = (inner.height - (rows - 1) * kPanelGap) / rows;
  const double title_room = panel_title_room(canvas, figure, width);
  const double left = inner.center().x - (columns * (width + kPanelGap) - kPanelGap) / 2;
  for (int i = 0; i < static_cast<int>(figure.panels.size()); ++i) {
    const Rect cell{left + (i % columns) * (width + kPanelGap),
                    inner.y + (i / columns) * (height + kPanelGap), width, height};
    draw_panel(canvas, cell, figure.panels[i], title_room);
  }
}

}  // namespace ropewalk::plot
