#pragma once

#include "cli/plot/canvas.h"
#include "cli/plot/plot.h"

namespace ropewalk::plot {

struct Size {
  double width = 0, height = 0;
};

constexpr double kFigureWidth = 800;

// Each kind of figure: check() throws invalid_argument where its parts do not fit each other;
// natural_size() is what it wants for itself when offered `width`, and may be wider when it is a
// figure of its own (`alone`); draw() fills `area`. The canvas of natural_size only measures text.
void check(const HeatMap& figure);
void check(const LineChart& figure);
void check(const RotationDiagram& figure);

Size natural_size(Canvas& canvas, const HeatMap& figure, double width, bool alone);
Size natural_size(Canvas& canvas, const LineChart& figure, double width, bool alone);
Size natural_size(Canvas& canvas, const RotationDiagram& figure, double width, bool alone);

void draw(Canvas& canvas, const Rect& area, const HeatMap& figure);
void draw(Canvas& canvas, const Rect& area, const LineChart& figure);
void draw(Canvas& canvas, const Rect& area, const RotationDiagram& figure);

}  // namespace ropewalk::plot
