#include "cli/plot/canvas.h"

#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include <cairo-svg.h>
#include <fmt/format.h>

#include "cli/plot/svg.h"
#include "ropewalk/base/error.h"

// Fontconfig keeps what it has loaded until the process ends, which the leak checker would report.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ROPEWALK_PLOT_LEAK_CHECK
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(ROPEWALK_PLOT_LEAK_CHECK)
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }
#endif

namespace ropewalk::plot {
namespace {

// Cairo's simple text calls draw a whole string in one font, without looking for missing characters
// elsewhere. So each character takes the first of these families that has it; a family that is not
// installed is replaced by fontconfig, which does no harm here.
constexpr std::array kFamilies = {"WenQuanYi Micro Hei", "Noto Sans CJK TC", "Noto Sans CJK SC",
                                  "sans-serif", "DejaVu Sans"};
constexpr double kLargestSide = 16000;  // pixels; Cairo's own limit is 32767

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int length) {
  auto& out = *static_cast<std::vector<std::byte>*>(bytes);
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  out.insert(out.end(), begin, begin + length);
  return CAIRO_STATUS_SUCCESS;
}

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  const auto code =
      status == CAIRO_STATUS_NO_MEMORY ? ErrorCode::resource_limit : ErrorCode::internal;
  throw Error(code, fmt::format("drawing the picture: {}", cairo_status_to_string(status)));
}

int pixels(double units) { return static_cast<int>(std::lround(units * kPixelsPerUnit)); }

cairo_surface_t* make_surface(Format format, double width, double height, void* bytes) {
  if (!(std::max(width, height) * kPixelsPerUnit <= kLargestSide)) {
    throw Error(ErrorCode::resource_limit,
                fmt::format("picture of {:.0f} x {:.0f} pixels: at most {:.0f} on a side",
                            width * kPixelsPerUnit, height * kPixelsPerUnit, kLargestSide));
  }
  if (format == Format::png) {
    cairo_surface_t* surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels(width), pixels(height));
    cairo_surface_set_device_scale(surface, kPixelsPerUnit, kPixelsPerUnit);
    return surface;
  }
  cairo_surface_t* surface = cairo_svg_surface_create_for_stream(append, bytes, width, height);
  cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
  return surface;
}

size_t character_length(std::string_view utf8) {
  const auto lead = static_cast<unsigned char>(utf8[0]);
  const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(length, utf8.size());
}

std::vector<std::string> characters(std::string_view utf8) {
  std::vector<std::string> out;
  for (size_t i = 0; i < utf8.size(); i += out.back().size()) {
    out.emplace_back(utf8.substr(i, character_length(utf8.substr(i))));
  }
  return out;
}

// WenQuanYi's ₀ sits on the line, its ₁ below it: these digits come from the last family that has
// them.
bool is_lowered_digit(std::string_view character) { return character >= "₀" && character <= "₉"; }

// What may stand on a line of its own: a word with its space, or one Chinese character (all
// characters from U+3000 on are written without spaces).
std::vector<std::string> pieces(std::string_view utf8) {
  std::vector<std::string> out;
  bool open = false;
  for (const std::string& character : characters(utf8)) {
    const bool wide = static_cast<unsigned char>(character[0]) >= 0xE3;
    if (open && !wide) {
      out.back() += character;
    } else {
      out.push_back(character);
    }
    open = !wide && character != " ";
  }
  return out;
}

}  // namespace

Canvas::Canvas(Format format, double width, double height)
    : format_(format),
      surface_(make_surface(format, width, height, &bytes_), cairo_surface_destroy),
      cairo_(cairo_create(surface_.get()), cairo_destroy) {
  check(cairo_surface_status(surface_.get()));
  // Letters keep their true shapes and widths: the same layout in PNG and SVG, on any desktop
  // setting.
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(cairo_.get(), options);
  cairo_font_options_destroy(options);
  cairo_set_line_join(cairo_.get(), CAIRO_LINE_JOIN_ROUND);
  fill(Rect{0, 0, width, height}, kWhite);
}

void Canvas::select(int family, double size) {
  cairo_select_font_face(cairo_.get(), kFamilies[family], CAIRO_FONT_SLANT_NORMAL,
                         CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo_.get(), size);
}

int Canvas::family_with(std::string_view character) {
  const auto [entry, is_new] = family_of_.try_emplace(std::string(character), 0);
  if (!is_new) return entry->second;
  constexpr int kCount = static_cast<int>(kFamilies.size());
  for (int i = 0; i < kCount; ++i) {
    const int family = is_lowered_digit(character) ? kCount - 1 - i : i;
    select(family, 12);
    cairo_glyph_t* glyphs = nullptr;
    int count = 0;
    check(cairo_scaled_font_text_to_glyphs(cairo_get_scaled_font(cairo_.get()), 0, 0,
                                           character.data(), static_cast<int>(character.size()),
                                           &glyphs, &count, nullptr, nullptr, nullptr));
    const bool found = count > 0 && glyphs[0].index != 0;  // glyph 0 is the box for "missing"
    cairo_glyph_free(glyphs);
    if (found) return entry->second = family;
  }
  return 0;
}

std::vector<Canvas::Run> Canvas::runs(std::string_view utf8) {
  std::vector<Run> out;
  for (const std::string& character : characters(utf8)) {
    const int family = family_with(character);
    if (out.empty() || out.back().family != family) out.push_back({family, ""});
    out.back().text += character;
  }
  return out;
}

double Canvas::text_width(std::string_view utf8, double size) {
  double width = 0;
  for (const Run& run : runs(utf8)) {
    select(run.family, size);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo_.get(), run.text.c_str(), &extents);
    width += extents.x_advance;
  }
  return width;
}

void Canvas::text(Point at, std::string_view utf8, const TextStyle& style) {
  const double part = style.align == Align::start ? 0 : style.align == Align::middle ? 0.5 : 1;
  const double shift = part * text_width(utf8, style.size);
  const double half_capital = 0.36 * style.size;
  cairo_save(cairo_.get());
  set_color(style.color);
  cairo_translate(cairo_.get(), at.x, at.y);
  if (style.upwards) cairo_rotate(cairo_.get(), -std::numbers::pi / 2);
  cairo_move_to(cairo_.get(), -shift, half_capital);
  for (const Run& run : runs(utf8)) {
    select(run.family, style.size);
    cairo_show_text(cairo_.get(), run.text.c_str());
  }
  cairo_restore(cairo_.get());
  cairo_new_path(cairo_.get());
}

std::string Canvas::elided(std::string_view utf8, double size, double width) {
  std::string out(utf8);
  if (text_width(out, size) <= width) return out;
  std::vector<std::string> left = characters(utf8);
  while (!left.empty()) {
    left.pop_back();
    out.clear();
    for (const std::string& character : left) out += character;
    out += "...";
    if (text_width(out, size) <= width) break;
  }
  return out;
}

std::vector<std::string> Canvas::wrapped(std::string_view utf8, double size, double width) {
  std::vector<std::string> lines;
  for (const std::string& piece : pieces(utf8)) {
    if (lines.empty() || text_width(lines.back() + piece, size) > width) lines.emplace_back();
    lines.back() += piece;
  }
  for (std::string& line : lines) line = elided(line, size, width);
  return lines;
}

void Canvas::set_color(const Color& color) {
  cairo_set_source_rgb(cairo_.get(), color.r, color.g, color.b);
}

void Canvas::stroke(const Pen& pen) {
  set_color(pen.color);
  cairo_set_line_width(cairo_.get(), pen.width);
  cairo_set_dash(cairo_.get(), pen.dash.data(), static_cast<int>(pen.dash.size()), 0);
  cairo_stroke(cairo_.get());
}

void Canvas::line(Point from, Point to, const Pen& pen) { polyline({from, to}, pen); }

void Canvas::polyline(const std::vector<Point>& points, const Pen& pen) {
  for (const Point& point : points) cairo_line_to(cairo_.get(), point.x, point.y);
  stroke(pen);
}

void Canvas::frame(const Rect& rect, const Pen& pen) {
  cairo_rectangle(cairo_.get(), rect.x, rect.y, rect.width, rect.height);
  stroke(pen);
}

void Canvas::fill(const Rect& rect, const Color& color) {
  cairo_rectangle(cairo_.get(), rect.x, rect.y, rect.width, rect.height);
  set_color(color);
  cairo_fill(cairo_.get());
}

void Canvas::fill(const std::vector<Point>& polygon, const Color& color) {
  for (const Point& point : polygon) cairo_line_to(cairo_.get(), point.x, point.y);
  set_color(color);
  cairo_fill(cairo_.get());
}

void Canvas::disc(Point center, double radius, const Color& color) {
  cairo_arc(cairo_.get(), center.x, center.y, radius, 0, 2 * std::numbers::pi);
  set_color(color);
  cairo_fill(cairo_.get());
}

void Canvas::arc(Point center, double radius, double from, double to, const Pen& pen) {
  // Cairo's angles grow clockwise on the sheet, because y grows downwards.
  const auto draw = to > from ? cairo_arc_negative : cairo_arc;
  draw(cairo_.get(), center.x, center.y, radius, -from, -to);
  stroke(pen);
}

void Canvas::circle(Point center, double radius, const Pen& pen) {
  arc(center, radius, 0, 2 * std::numbers::pi, pen);
}

void Canvas::image(Point at, const Pixels& picture) {
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> source(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, picture.width, picture.height),
      cairo_surface_destroy);
  check(cairo_surface_status(source.get()));
  unsigned char* data = cairo_image_surface_get_data(source.get());
  const int stride = cairo_image_surface_get_stride(source.get());
  for (int row = 0; row < picture.height; ++row) {
    std::memcpy(data + static_cast<ptrdiff_t>(row) * stride,
                picture.rgb.data() + static_cast<ptrdiff_t>(row) * picture.width,
                static_cast<size_t>(picture.width) * sizeof(uint32_t));
  }
  cairo_surface_mark_dirty(source.get());
  cairo_save(cairo_.get());
  cairo_translate(cairo_.get(), at.x, at.y);
  cairo_scale(cairo_.get(), 1 / kPixelsPerUnit, 1 / kPixelsPerUnit);
  cairo_set_source_surface(cairo_.get(), source.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo_.get()), CAIRO_FILTER_NEAREST);
  cairo_paint(cairo_.get());
  cairo_restore(cairo_.get());
}

std::vector<std::byte> Canvas::finish() {
  check(cairo_status(cairo_.get()));
  if (format_ == Format::png) {
    check(cairo_surface_write_to_png_stream(surface_.get(), append, &bytes_));
  }
  cairo_surface_finish(surface_.get());
  check(cairo_surface_status(surface_.get()));
  if (format_ == Format::svg) renumber_ids(bytes_);
  return std::move(bytes_);
}

}  // namespace ropewalk::plot
