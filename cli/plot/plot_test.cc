#include "cli/plot/plot.h"

#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/plot/canvas.h"
#include "cli/plot/color.h"
#include "cli/plot/plot_testing.h"
#include "ropewalk/base/error.h"

namespace ropewalk::plot {
namespace {

using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

HeatMap heat_map() {
  HeatMap map{.title = "我 愛 你", .x_label = "dimension", .y_label = "position (token)"};
  map.value_label = "value";
  map.rows = 3;
  map.columns = 64;
  for (int i = 0; i < 3 * 64; ++i) map.values.push_back(std::sin(0.1f * static_cast<float>(i)));
  map.row_labels = {"我", "愛", "你"};
  return map;
}

LineChart line_chart() {
  LineChart chart{.title = "decay", .x_label = "distance", .y_label = "q·k"};
  Series series{.name = "llama-2-7b"};
  for (int i = 0; i <= 4096; i += 16) {
    series.x.push_back(i);
    series.y.push_back(std::cos(0.01 * i));
  }
  chart.series = {series, series};
  chart.series[1].markers = true;
  return chart;
}

RotationDiagram rotation_diagram() {
  RotationDiagram diagram{.title = "a pair turns"};
  for (double step : {1.0, 0.1, 0.0001}) {
    RotationPanel panel{.title = "pair", .x_label = "channel 0", .y_label = "channel 64"};
    for (int m = 0; m < 6; ++m) {
      panel.arrows.push_back(
          {"m=" + std::to_string(m), 2 * std::cos(m * step), 2 * std::sin(m * step)});
    }
    panel.angle_per_step = step;
    diagram.panels.push_back(panel);
  }
  return diagram;
}

std::vector<Figure> one_of_each() {
  Grid grid{.title = "他欠我100萬", .columns = 2};
  grid.panels = {heat_map(), line_chart(), rotation_diagram()};
  return {heat_map(), line_chart(), rotation_diagram(), grid};
}

ErrorCode code_of(const Figure& figure) {
  try {
    render(figure, Format::png);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(FormatOf, GoesByTheExtension) {
  EXPECT_EQ(format_of("a.png"), Format::png);
  EXPECT_EQ(format_of("dir.svg/b.PNG"), Format::png);
  EXPECT_EQ(format_of("我.svg"), Format::svg);
  for (const char* name : {"a.pdf", "a", "", "a.png/b", "png", "a.png "}) {
    try {
      format_of(name);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_THAT(error.what(), HasSubstr(".png or .svg"));
    }
  }
}

TEST(Render, PngDecodesWithTwoPixelsAUnit) {
  for (const Figure& figure : one_of_each()) {
    const Image image(render(figure, Format::png));
    ASSERT_TRUE(image.ok());
    EXPECT_EQ(image.width(), std::holds_alternative<Grid>(figure) ? 1760 : 1600);
    EXPECT_GT(image.height(), 600);
    EXPECT_LT(image.height(), 1900);
    EXPECT_EQ(image.rgb(0, 0), 0xFFFFFFu);
  }
}

TEST(Render, SvgIsWellFormedAndNamesItsTitle) {
  for (const Figure& figure : one_of_each()) {
    const std::string svg = svg_of(figure);
    EXPECT_TRUE(well_formed(svg));
    EXPECT_THAT(svg, HasSubstr(std::visit([](const auto& f) { return f.title; }, figure)));
    EXPECT_EQ(svg.find("date"), std::string::npos);
  }
}

TEST(Render, SameFigureGivesTheSameBytes) {
  std::vector<std::vector<std::byte>> first;
  for (int round = 0; round < 2; ++round) {
    size_t i = 0;
    for (const Figure& figure : one_of_each()) {
      for (Format format : {Format::png, Format::svg}) {
        std::vector<std::byte> bytes = render(figure, format);
        if (round == 0) {
          first.push_back(std::move(bytes));
        } else {
          EXPECT_TRUE(bytes == first[i++]);
        }
      }
    }
  }
}

TEST(Render, MarkupAndBrokenTextAreSafe) {
  HeatMap map = heat_map();
  map.title = "</title><script>&\"' \x01 \xFF \xEF\xBF\xBF \xEF\xB7\x90 \xF4\x8F\xBF\xBE";
  map.row_labels[0] = "<b>&amp;";
  const std::string svg = svg_of(map);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_TRUE(Image(render(map, Format::png)).ok());
}

TEST(Render, EveryFieldMayBeEmpty) {
  Grid grid;
  grid.panels = {HeatMap{}, LineChart{}, RotationDiagram{}};
  const RotationDiagram no_arrows{.panels = {RotationPanel{}}};
  const HeatMap no_rows{.rows = 0, .columns = 8};
  for (const Figure& figure : std::vector<Figure>{HeatMap{}, LineChart{}, RotationDiagram{}, Grid{},
                                                  grid, no_arrows, no_rows}) {
    EXPECT_TRUE(Image(render(figure, Format::png)).ok());
    EXPECT_TRUE(well_formed(svg_of(figure)));
  }
}

// How far down the middle of a text's ink lies.
double middle_of(const std::string& text) {
  Canvas canvas(Format::png, 100, 60);
  canvas.text({50, 30}, text, {.size = 30, .align = Align::middle});
  const Image image(canvas.finish());
  double sum = 0, count = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      if (image.rgb(x, y) == 0xFFFFFF) continue;
      sum += y;
      ++count;
    }
  }
  return sum / count;
}

TEST(Canvas, LoweredDigitsStandOnOneLine) {
  EXPECT_NEAR(middle_of("₀"), middle_of("₁"), 3);
  EXPECT_GT(middle_of("₀"), middle_of("0") + 8);
}

TEST(HeatMap, CellsHaveTheColourOfTheirValue) {
  const HeatMap map{.rows = 2, .columns = 2, .values = {-0.73f, 0.31f, kNan, 0.57f}};
  const Image image(render(map, Format::png));
  const Patch a = find(image, -0.73f, -1, 1), b = find(image, 0.31f, -1, 1);
  const Patch c = find(image, kNan, -1, 1), d = find(image, 0.57f, -1, 1);
  for (const Patch& patch : {a, b, c, d}) EXPECT_GT(patch.count, 20000);
  EXPECT_LT(a.x, b.x);
  EXPECT_LT(c.x, d.x);
  EXPECT_LT(a.y, c.y);
  EXPECT_LT(b.y, d.y);
}

TEST(HeatMap, ValuesOutsideTakeTheColourOfTheEnd) {
  EXPECT_EQ(value_color(7, -1, 1), value_color(1, -1, 1));
  EXPECT_EQ(value_color(-kInfinity, -1, 1), value_color(-1, -1, 1));
  EXPECT_EQ(value_color(0, -1, 1), kWhite);
  EXPECT_EQ(value_color(0, -0.2, 1), kWhite);
  EXPECT_EQ(value_color(0, 0, 1), kWhite);
  EXPECT_EQ(value_color(kNan, 0, 1), kNanGrey);
  HeatMap map = heat_map();
  map.values[0] = std::numeric_limits<float>::infinity();
  map.values[1] = -1e30f;
  EXPECT_TRUE(Image(render(map, Format::png)).ok());
}

TEST(HeatMap, ColumnsGetWholePixelsOrTheFigureGrows) {
  for (int columns : {1, 7, 512, 768, 1536, 5000}) {
    HeatMap map{.rows = 100, .columns = columns};
    map.values.assign(static_cast<size_t>(columns) * 100, 0.5f);
    const Image image(render(map, Format::png));
    EXPECT_GE(image.width(), 1600);
    EXPECT_LT(image.width(), 2100);
    EXPECT_GT(find(image, 0.5, -1, 1).count, 850 * 590) << columns;
  }
}

// sin and cos of a pair beside each other: their mean would be white everywhere.
TEST(HeatMap, ColumnsOfDifferentKindsShareNoPixel) {
  for (const int columns : {2000, 4001}) {
    HeatMap map{.rows = 100, .columns = columns, .column_kinds = 2};
    for (int i = 0; i < columns * 100; ++i) {
      map.values.push_back(i % columns % 2 == 0 ? 0.73f : -0.31f);
    }
    const Image image(render(map, Format::png));
    const Patch even = find(image, 0.73f, -1, 1), odd = find(image, -0.31f, -1, 1);
    EXPECT_GT(even.count, 400 * 590) << columns;
    EXPECT_GT(odd.count, 400 * 590) << columns;
  }
}

TEST(HeatMap, SizesMustFit) {
  HeatMap map = heat_map();
  map.values.pop_back();
  EXPECT_EQ(code_of(map), ErrorCode::invalid_argument);
  map = heat_map();
  map.row_labels.pop_back();
  EXPECT_EQ(code_of(map), ErrorCode::invalid_argument);
  map = heat_map();
  map.low = map.high;
  EXPECT_EQ(code_of(map), ErrorCode::invalid_argument);
  map.low = kNan;
  EXPECT_EQ(code_of(map), ErrorCode::invalid_argument);
  map = heat_map();
  map.rows = -3;
  map.columns = -64;
  EXPECT_EQ(code_of(map), ErrorCode::invalid_argument);
}

TEST(LineChart, OddDataIsDrawnOrLeftOut) {
  for (bool log_x : {false, true}) {
    LineChart chart{.log_x = log_x};
    chart.series = {{.name = "gaps", .x = {-1, 0, 1, kNan, 3}, .y = {1, 2, kInfinity, 4, 1e308}},
                    {.name = "flat", .x = {5, 5}, .y = {1e17, 1e17}},
                    {.name = "none"}};
    EXPECT_TRUE(Image(render(chart, Format::png)).ok());
    EXPECT_TRUE(well_formed(svg_of(chart)));
  }
  LineChart chart;
  chart.series = {{.x = {1, 2}, .y = {1}}};
  EXPECT_EQ(code_of(chart), ErrorCode::invalid_argument);
}

TEST(LineChart, ManySeriesAndLongNames) {
  LineChart chart{.title = std::string(300, 'w')};
  for (int i = 0; i < 25; ++i) {
    chart.series.push_back(
        {.name = std::string(10 + i * 10, 'm'), .x = {0, 1}, .y = {0.0, 1.0 * i}});
  }
  EXPECT_TRUE(Image(render(chart, Format::png)).ok());
}

TEST(Grid, MustHaveAColumnAndFitTheSheet) {
  Grid grid{.columns = 0};
  EXPECT_EQ(code_of(grid), ErrorCode::invalid_argument);
  grid = {.columns = 1};
  grid.panels.assign(60, line_chart());
  EXPECT_EQ(code_of(grid), ErrorCode::resource_limit);
}

TEST(RotationDiagram, OddVectorsAreDrawnOrLeftOut) {
  RotationDiagram diagram = rotation_diagram();
  diagram.panels[0].arrows[0] = {"m=0", kNan, 1};
  diagram.panels[1].arrows = {{"zero", 0, 0}};
  diagram.panels[1].angle_per_step = kNan;
  diagram.panels[2].angle_per_step = -2.5;
  diagram.panels.push_back({.arrows = {{"", 1e299, 1e299}, {std::string(300, 'x'), -1, 0}}});
  EXPECT_TRUE(Image(render(diagram, Format::png)).ok());
  EXPECT_TRUE(well_formed(svg_of(diagram)));
}

}  // namespace
}  // namespace ropewalk::plot
