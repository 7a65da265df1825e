#pragma once

#include "cli/plot/canvas.h"
#include "cli/plot/plot.h"

namespace ropewalk::plot {

// The circle in the middle of a square plot on which the arrows of a rotating pair point.
struct Dial {
  Rect plot;
  double norm = 1;    // of the longest vector: the radius of the circle in the vectors' own unit,
  double radius = 0;  // and on the sheet
  Point center() const { return plot.center(); }
};

bool drawable(const Arrow& arrow);

// Circle, arrows from light to dark with the first one in a colour of its own, their labels as far
// as they do not lie on each other, and the arc of the angle.
void draw_dial(Canvas& canvas, const Dial& dial, const RotationPanel& panel);

}  // namespace ropewalk::plot
