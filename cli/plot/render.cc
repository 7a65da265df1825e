#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "cli/plot/figures.h"
#include "cli/plot/frame.h"
#include "cli/plot/svg.h"
#include "ropewalk/base/error.h"

namespace ropewalk::plot {
namespace {

constexpr double kNarrowestColumn = 440;  // of a grid
constexpr size_t kLongestText = 400;      // bytes

// Text may come from a file or a prompt. Cairo wants valid UTF-8 without the code points that
// Unicode keeps out of text, U+FDD0 to U+FDEF and the last two of each plane; they become U+FFFD.
void clean(std::string& text) {
  text = escaped(text, kLongestText);
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  for (size_t i = 2; i < text.size(); ++i) {
    const bool last_two = at(i) >= 0xBE && at(i - 1) == 0xBF;
    const bool arabic_gap =
        at(i - 2) == 0xEF && at(i - 1) == 0xB7 && at(i) >= 0x90 && at(i) <= 0xAF;
    if (arabic_gap || (last_two && at(i - 2) == 0xEF)) {
      text.replace(i - 2, 3, "\uFFFD");
    } else if (last_two && i >= 3 && at(i - 3) >= 0xF0 && (at(i - 2) & 0x0F) == 0x0F) {
      text.replace(i - 3, 4, "\uFFFD");
    }
  }
}

void clean(std::vector<std::string>& texts) {
  for (std::string& text : texts) clean(text);
}

void clean(HeatMap& figure) {
  for (std::string* text : {&figure.title, &figure.x_label, &figure.y_label, &figure.value_label,
                            &figure.nan_label, &figure.caption}) {
    clean(*text);
  }
  clean(figure.row_labels);
  clean(figure.column_labels);
}

void clean(LineChart& figure) {
  for (std::string* text : {&figure.title, &figure.x_label, &figure.y_label, &figure.caption}) {
    clean(*text);
  }
  for (Series& series : figure.series) clean(series.name);
}

void clean(RotationDiagram& figure) {
  clean(figure.title);
  clean(figure.caption);
  for (RotationPanel& panel : figure.panels) {
    for (std::string* text : {&panel.title, &panel.x_label, &panel.y_label}) clean(*text);
    for (Arrow& arrow : panel.arrows) clean(arrow.label);
  }
}

void clean(Grid& grid) {
  clean(grid.title);
  for (Panel& panel : grid.panels) std::visit([](auto& figure) { clean(figure); }, panel);
}

Size natural_size(Canvas& canvas, const Panel& panel, double width) {
  return std::visit([&](const auto& figure) { return natural_size(canvas, figure, width, false); },
                    panel);
}

// Each row is as high as its highest panel.
std::vector<double> row_heights(Canvas& canvas, const Grid& grid, double width) {
  std::vector<double> heights((grid.panels.size() + grid.columns - 1) / grid.columns, 0);
  for (size_t i = 0; i < grid.panels.size(); ++i) {
    double& height = heights[i / grid.columns];
    height = std::max(height, natural_size(canvas, grid.panels[i], width).height);
  }
  return heights;
}

void check(const Grid& grid) {
  if (grid.columns < 1) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("grid of figures: expected at least 1 column, found {}", grid.columns));
  }
  for (const Panel& panel : grid.panels) {
    std::visit([](const auto& figure) { check(figure); }, panel);
  }
}

Size natural_size(Canvas& canvas, const Grid& grid, double width, bool) {
  const int used = std::clamp(static_cast<int>(grid.panels.size()), 1, grid.columns);
  width = std::max(width, used * kNarrowestColumn);
  double height = kPadding + title_height(canvas, grid.title, width - 2 * kPadding);
  for (double row : row_heights(canvas, grid, width / used)) height += row;
  return {width, std::ceil(height)};
}

void draw(Canvas& canvas, const Rect& area, const Grid& grid) {
  Rect inner{area.x + kPadding, area.y + kPadding, area.width - 2 * kPadding,
             area.height - kPadding};
  draw_title(canvas, inner, grid.title);
  const int used = std::clamp(static_cast<int>(grid.panels.size()), 1, grid.columns);
  const double width = area.width / used;
  const std::vector<double> heights = row_heights(canvas, grid, width);
  double y = inner.y;
  for (size_t i = 0; i < grid.panels.size(); ++i) {
    const size_t row = i / grid.columns, column = i % grid.columns;
    const Rect cell{area.x + static_cast<double>(column) * width, y, width, heights[row]};
    std::visit([&](const auto& figure) { draw(canvas, cell, figure); }, grid.panels[i]);
    if (static_cast<int>(column) == grid.columns - 1) y += heights[row];
  }
}

}  // namespace

Format format_of(std::string_view file_name) {
  const size_t slash = file_name.rfind('/');
  const std::string_view name =
      slash == std::string_view::npos ? file_name : file_name.substr(slash + 1);
  const size_t dot = name.rfind('.');
  std::string extension(dot == std::string_view::npos ? "" : name.substr(dot));
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension == ".png") return Format::png;
  if (extension == ".svg") return Format::svg;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("picture \"{}\": the name must end in .png or .svg", escaped(file_name)));
}

std::vector<std::byte> render(const Figure& figure, Format format) {
  return std::visit(
      [format](auto copy) {
        check(copy);
        clean(copy);
        Canvas ruler(Format::png, 1, 1);
        const Size size = natural_size(ruler, copy, kFigureWidth, true);
        Canvas canvas(format, size.width, size.height);
        draw(canvas, {0, 0, size.width, size.height}, copy);
        std::vector<std::byte> bytes = canvas.finish();
        if (format == Format::svg) insert_title(bytes, copy.title);
        return bytes;
      },
      figure);
}

}  // namespace ropewalk::plot
