#include "cli/plot/dial.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "cli/plot/axis.h"
#include "cli/plot/frame.h"

namespace ropewalk::plot {
namespace {

constexpr double kArrowWidth = 1.6;
constexpr double kArrowHead = 9;
constexpr double kArcHead = 7;
constexpr double kArrowLabelSize = 11.5;
constexpr double kArcRadius = 0.42;         // of the circle
constexpr double kShortestArc = 12;         // a shorter one is a blot
constexpr Color kFirst{0.835, 0.369, 0.0};  // vermilion: the vector at the first position
constexpr Color kNear{0.55, 0.75, 0.90};    // then from light blue
constexpr Color kFar{0.0, 0.25, 0.45};      // to dark blue

Color arrow_color(size_t i, size_t count) {
  if (i == 0) return kFirst;
  if (count < 3) return kFar;
  return mix(kNear, kFar, static_cast<double>(i - 1) / static_cast<double>(count - 2));
}

// `direction` has length 1.
void draw_head(Canvas& canvas, Point tip, Point direction, double length, const Color& color) {
  const Point base{tip.x - direction.x * length, tip.y - direction.y * length};
  const Point side{-direction.y * length * 0.36, direction.x * length * 0.36};
  canvas.fill({tip, {base.x + side.x, base.y + side.y}, {base.x - side.x, base.y - side.y}}, color);
}

void draw_arrow(Canvas& canvas, Point from, Point tip, const Color& color) {
  const double length = std::hypot(tip.x - from.x, tip.y - from.y);
  if (length < 1) return canvas.disc(from, 2.5, color);
  const Point direction{(tip.x - from.x) / length, (tip.y - from.y) / length};
  const double head = std::min(kArrowHead, length);
  const Point neck{tip.x - direction.x * head * 0.8, tip.y - direction.y * head * 0.8};
  canvas.line(from, neck, {color, kArrowWidth});
  draw_head(canvas, tip, direction, head, color);
}

struct Label {
  std::string text;
  Rect box;
};

bool is_free(const Rect& box, const std::vector<Label>& labels) {
  return std::none_of(labels.begin(), labels.end(),
                      [&](const Label& label) { return label.box.overlaps(box); });
}

// A label that touches the circle from outside in the direction of the arrow; where the plot ends
// before the label does, it moves beside the tip.
Label label_at(Canvas& canvas, const Dial& dial, const Arrow& arrow, const std::string& text) {
  const double width = canvas.text_width(text, kArrowLabelSize) + 4;
  const double height = kArrowLabelSize * 1.15;
  const double norm = std::hypot(arrow.x, arrow.y);
  const double dx = norm > 0 ? arrow.x / norm : 1, dy = norm > 0 ? -arrow.y / norm : 0;
  const double reach = dial.radius + 4 + std::abs(dx) * width / 2 + std::abs(dy) * height / 2;
  const Point center = dial.center();
  Rect box{center.x + dx * reach - width / 2, center.y + dy * reach - height / 2, width, height};
  const double rightmost = std::max(dial.plot.x + 2, dial.plot.right() - width - 2);
  const double inside = std::clamp(box.x, dial.plot.x + 2, rightmost);
  if (inside != box.x) {
    const double tip = center.y + dy * dial.radius;
    box.x = inside;
    box.y = dy <= 0 ? tip - height - 6 : tip + 6;
  }
  return {text, box};
}

// "m=0" and "m=7" make "m=0–7".
std::string range_label(const std::string& first, const std::string& last) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  size_t same = 0;
  while (same < first.size() && same < last.size() && first[same] == last[same]) ++same;
  while (same > 0 && is_digit(last[same - 1])) --same;
  const bool number = same < last.size() && is_digit(last[same]);
  return first + "–" + (number ? last.substr(same) : last);
}

// Labels that do not lie on each other, the first and the last arrow before the others. When the
// pair has hardly turned, one label names them all.
std::vector<Label> place_labels(Canvas& canvas, const Dial& dial, const RotationPanel& panel) {
  std::vector<const Arrow*> order;
  for (const Arrow& arrow : panel.arrows) {
    if (drawable(arrow) && !arrow.label.empty()) order.push_back(&arrow);
  }
  if (order.size() > 2) std::rotate(order.begin() + 1, order.end() - 1, order.end());
  std::vector<Label> labels;
  for (size_t i = 0; i < order.size(); ++i) {
    const Label label = label_at(canvas, dial, *order[i], order[i]->label);
    if (is_free(label.box, labels)) {
      labels.push_back(label);
    } else if (i == 1) {
      const double step = std::abs(panel.angle_per_step.value_or(0));
      // The last may also have come all the way round to the first, with the others elsewhere.
      if (step * static_cast<double>(panel.arrows.size() - 1) > 1) continue;
      const std::string all = range_label(order[0]->label, order[1]->label);
      return {label_at(canvas, dial, *order[0], all)};
    }
  }
  return labels;
}

// "θ = 1 rad" in a corner that the labels leave free.
void draw_angle_text(Canvas& canvas, const Rect& plot, const std::string& text,
                     const std::vector<Label>& labels) {
  const double width = canvas.text_width(text, kArrowLabelSize) + 8;
  const double height = kArrowLabelSize * 1.4;
  const double left = plot.x + 3, right = plot.right() - width - 3;
  const double top = plot.y + 3, bottom = plot.bottom() - height - 3;
  for (Point corner : {Point{left, bottom}, {right, bottom}, {left, top}, {right, top}}) {
    const Rect box{corner.x, corner.y, width, height};
    if (!is_free(box, labels)) continue;
    canvas.fill(box, kWhite);
    return canvas.text(box.center(), text, {kArrowLabelSize, kInk, Align::middle});
  }
}

// The arc of one step where that can be seen, else of all steps together, else none; and its angle.
void draw_angle(Canvas& canvas, const Dial& dial, const RotationPanel& panel,
                const std::vector<Label>& labels) {
  const double step = panel.angle_per_step.value_or(0);
  const size_t steps = panel.arrows.size() - 1;
  const double arc = dial.radius * kArcRadius;
  const bool single = std::abs(step) * arc >= kShortestArc;
  const double sweep = single ? step : step * static_cast<double>(steps);
  // No arc can tell more than a whole turn.
  if (!(std::abs(sweep) * arc >= kShortestArc && std::abs(sweep) < 2 * std::numbers::pi)) return;
  const Point center = dial.center();
  const double start = std::atan2(panel.arrows[0].y, panel.arrows[0].x);
  const double end = start + sweep, turn = sweep > 0 ? 1 : -1;
  const double half_head = kArcHead / arc / 2;  // as an angle; the head lies along its chord
  const double heading = end - turn * half_head;
  canvas.arc(center, arc, start, heading, {kInk, 1.2});
  draw_head(canvas, {center.x + arc * std::cos(end), center.y - arc * std::sin(end)},
            {-std::sin(heading) * turn, -std::cos(heading) * turn}, kArcHead, kInk);
  const std::string name = single ? "θ" : fmt::format("{}θ", steps);
  const double beside = arc + kArrowLabelSize * 0.8;
  const double gap = 2 * beside * std::sin(std::min(std::abs(sweep), std::numbers::pi) / 2);
  if (single && gap > 1.5 * kArrowLabelSize) {
    const double middle = start + sweep / 2;
    canvas.text({center.x + beside * std::cos(middle), center.y - beside * std::sin(middle)}, name,
                {kArrowLabelSize, kInk, Align::middle});
  }
  const std::string value = fmt::format("{}{:.3g}", sweep < 0 ? "−" : "", std::abs(sweep));
  draw_angle_text(canvas, dial.plot, fmt::format("{} = {} rad", name, value), labels);
}

}  // namespace

bool drawable(const Arrow& arrow) { return drawable(arrow.x) && drawable(arrow.y); }

void draw_dial(Canvas& canvas, const Dial& dial, const RotationPanel& panel) {
  const Point center = dial.center();
  const Rect& plot = dial.plot;
  canvas.line({plot.x, center.y}, {plot.right(), center.y}, {kSoft, 0.75});
  canvas.line({center.x, plot.y}, {center.x, plot.bottom()}, {kSoft, 0.75});
  canvas.circle(center, dial.radius, {mix(kSoft, kWhite, 0.3), 1, {3, 3}});
  if (panel.arrows.empty()) return draw_no_data(canvas, plot);
  const double scale = dial.radius / dial.norm;
  // The first arrow last, so that it stays visible where the pair hardly turns.
  for (size_t i = panel.arrows.size(); i-- > 0;) {
    const Arrow& arrow = panel.arrows[i];
    if (!drawable(arrow)) continue;
    draw_arrow(canvas, center, {center.x + arrow.x * scale, center.y - arrow.y * scale},
               arrow_color(i, panel.arrows.size()));
  }
  const std::vector<Label> labels = place_labels(canvas, dial, panel);
  for (const Label& label : labels) {
    canvas.fill(label.box, kWhite);
    canvas.text(label.box.center(), label.text, {kArrowLabelSize, kInk, Align::middle});
  }
  if (drawable(panel.arrows[0])) draw_angle(canvas, dial, panel, labels);
}

}  // namespace ropewalk::plot
