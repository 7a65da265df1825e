#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ropewalk::plot {

// The pictures of the command-line tool as plain data, and one verb that draws them: the same code
// draws PNG and SVG. All text is UTF-8, in Chinese or Latin letters; control characters in it are
// drawn escaped. An empty text takes no room.

// A matrix as colours: positions x dimensions of an encoding, or queries x keys of attention.
// Row 0 is at the top. NaN is drawn grey; values outside [low, high] take the colour of the nearer
// end and the colour bar says so with a pointed end.
// Colours: blue - white - red with white at 0 when low < 0 < high, else white to dark blue.
struct HeatMap {
  std::string title = {};
  std::string x_label = {};      // of the columns, with the unit: "dimension"
  std::string y_label = {};      // of the rows: "position (token)"
  std::string value_label = {};  // of the colour bar: "value of the encoding"
  int rows = 0;
  int columns = 0;
  std::vector<float> values = {};               // rows x columns, row after row
  std::vector<std::string> row_labels = {};     // empty: 0, 1, 2, ...; else one per row
  std::vector<std::string> column_labels = {};  // empty: 0, 1, 2, ...; else one per column
  // Columns i and i + column_kinds are of one kind: where a pixel stands for several columns, all
  // of them are.
  int column_kinds = 1;
  double low = -1;
  double high = 1;
  std::string caption = {};       // small print under the picture
  std::string nan_label = "NaN";  // of the grey, where there is any: "masked"
};

// One curve. A NaN in x or y interrupts the line, as does x <= 0 on a logarithmic axis.
struct Series {
  std::string name = {};  // in the legend; empty: not listed
  std::vector<double> x = {};
  std::vector<double> y = {};
  bool markers = false;  // a dot at each point
};

struct LineChart {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  std::vector<Series> series = {};
  bool log_x = false;
  std::string caption = {};
};

// One position of a rotating pair: the vector (x_i, x_{i + d/2}) after its rotation.
struct Arrow {
  std::string label = {};  // "m=3"; left out where it would lie on another label
  double x = 0;
  double y = 0;
};

struct RotationPanel {
  std::string title = {};    // "pair 0: 1 rad per position"
  std::string x_label = {};  // "channel 0"
  std::string y_label = {};  // "channel 64"
  std::vector<Arrow> arrows = {};
  // Radians from one arrow to the next, counterclockwise; draws the arc that names the angle.
  std::optional<double> angle_per_step = {};
};

// Pairs that turn at different speeds, side by side.
struct RotationDiagram {
  std::string title = {};
  std::vector<RotationPanel> panels = {};
  std::string caption = {};
};

using Panel = std::variant<HeatMap, LineChart, RotationDiagram>;

// Several figures in one picture, row after row.
struct Grid {
  std::string title = {};
  int columns = 2;
  std::vector<Panel> panels = {};
};

using Figure = std::variant<HeatMap, LineChart, RotationDiagram, Grid>;

enum class Format { png, svg };

// By the extension of a file name, in either case: "a/b.png", "b.SVG".
// Throws invalid_argument for any other.
Format format_of(std::string_view file_name);

// The bytes of the picture file. 800 units wide unless the columns of a heat map need more; a PNG
// has 2 pixels a unit. The same figure gives the same bytes wherever the fonts and Cairo are the
// same. Throws invalid_argument when sizes do not fit each other (values against rows x columns, x
// against y, labels against rows) or low < high does not hold; resource_limit for a picture over
// 16000 pixels.
std::vector<std::byte> render(const Figure& figure, Format format);

}  // namespace ropewalk::plot
