#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <cairo.h>

#include "cli/plot/color.h"
#include "cli/plot/plot.h"

namespace ropewalk::plot {

// Lengths are in units: 1/2 pixel of a PNG, 1 px of an SVG. x grows to the right, y downwards.
struct Point {
  double x = 0, y = 0;
};

struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
  Point center() const { return {x + width / 2, y + height / 2}; }
  bool overlaps(const Rect& other) const {
    return x < other.right() && other.x < right() && y < other.bottom() && other.y < bottom();
  }
};

constexpr double kPixelsPerUnit = 2;
constexpr double kLineSpacing = 1.35;  // of the size of the letters

enum class Align { start, middle, end };

struct TextStyle {
  double size = 12;
  Color color = kInk;
  Align align = Align::start;
  bool upwards = false;  // read from bottom to top
};

struct Pen {
  Color color = kInk;
  double width = 1;
  std::vector<double> dash = {};
};

// Pixels 0x00RRGGBB, row after row.
struct Pixels {
  int width = 0, height = 0;
  std::vector<uint32_t> rgb;
};

// A sheet of paper: the only code that knows Cairo.
class Canvas {
 public:
  Canvas(Format format, double width, double height);
  // Canvas is a stream's other end: Cairo holds its address.
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  // One line of text; `at` is its start, middle or end, half way up a capital letter.
  void text(Point at, std::string_view utf8, const TextStyle& style);
  double text_width(std::string_view utf8, double size);
  // The text, or as much of its beginning as fits, with "...".
  std::string elided(std::string_view utf8, double size, double width);
  // Cut at spaces and between Chinese characters into lines that fit.
  std::vector<std::string> wrapped(std::string_view utf8, double size, double width);

  void line(Point from, Point to, const Pen& pen);
  void polyline(const std::vector<Point>& points, const Pen& pen);
  void frame(const Rect& rect, const Pen& pen);
  void fill(const Rect& rect, const Color& color);
  void fill(const std::vector<Point>& polygon, const Color& color);
  void disc(Point center, double radius, const Color& color);
  // Angles in radians, counterclockwise from the x axis; `to` may be smaller than `from`.
  void arc(Point center, double radius, double from, double to, const Pen& pen);
  void circle(Point center, double radius, const Pen& pen);
  // One pixel of the image on one pixel of the PNG; `at` must lie on a whole pixel.
  void image(Point at, const Pixels& picture);

  // Closes the sheet; the bytes of the file. Once, as the last call.
  std::vector<std::byte> finish();

 private:
  struct Run {
    int family;
    std::string text;
  };
  int family_with(std::string_view character);
  std::vector<Run> runs(std::string_view utf8);
  void select(int family, double size);
  void set_color(const Color& color);
  void stroke(const Pen& pen);

  Format format_;
  std::vector<std::byte> bytes_;
  std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface_;
  std::unique_ptr<cairo_t, decltype(&cairo_destroy)> cairo_;
  std::unordered_map<std::string, int> family_of_;  // of each character seen so far
};

}  // namespace ropewalk::plot
