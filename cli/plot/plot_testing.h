#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <cairo.h>

#include "cli/plot/color.h"
#include "cli/plot/plot.h"

namespace ropewalk::plot {

// Pictures read back, for the tests.

// A PNG read back by Cairo.
class Image {
 public:
  explicit Image(const std::vector<std::byte>& png)
      : left_(png),
        surface_(cairo_image_surface_create_from_png_stream(read, &left_), cairo_surface_destroy) {
    cairo_surface_flush(surface_.get());
  }
  bool ok() const { return cairo_surface_status(surface_.get()) == CAIRO_STATUS_SUCCESS; }
  int width() const { return cairo_image_surface_get_width(surface_.get()); }
  int height() const { return cairo_image_surface_get_height(surface_.get()); }
  uint32_t rgb(int x, int y) const {
    uint32_t pixel;
    std::memcpy(&pixel,
                cairo_image_surface_get_data(surface_.get()) +
                    y * cairo_image_surface_get_stride(surface_.get()) + x * 4,
                4);
    return pixel & 0xFFFFFF;
  }

 private:
  static cairo_status_t read(void* from, unsigned char* data, unsigned int length) {
    auto& left = *static_cast<std::vector<std::byte>*>(from);
    if (left.size() < length) return CAIRO_STATUS_READ_ERROR;
    std::memcpy(data, left.data(), length);
    left.erase(left.begin(), left.begin() + length);
    return CAIRO_STATUS_SUCCESS;
  }
  std::vector<std::byte> left_;
  std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface_;
};

// The pixels of one colour: how many, and their middle.
struct Patch {
  int count = 0;
  double x = 0, y = 0;
};

inline Patch find(const Image& image, double value, double low, double high) {
  const Color color = value_color(value, low, high);
  const auto byte = [](double part) { return static_cast<uint32_t>(std::lround(part * 255)); };
  const uint32_t rgb = byte(color.r) << 16 | byte(color.g) << 8 | byte(color.b);
  Patch patch;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      if (image.rgb(x, y) != rgb) continue;
      ++patch.count;
      patch.x += x;
      patch.y += y;
    }
  }
  patch.x /= std::max(patch.count, 1);
  patch.y /= std::max(patch.count, 1);
  return patch;
}

inline std::string svg_of(const Figure& figure) {
  const std::vector<std::byte> bytes = render(figure, Format::svg);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Every tag is closed in order, and no bare & or < stands in the text.
inline bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (size_t i = 0; i < xml.size(); ++i) {
    if (xml[i] == '&') {
      const size_t end = xml.find(';', i);
      if (end == std::string::npos || end - i > 6) return false;
    }
    if (xml[i] != '<') continue;
    const size_t end = xml.find('>', i);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(i + 1, end - i - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag[0] != '?' && tag.back() != '/') {
      open.push_back(name);
    }
    i = end;
  }
  return open.empty();
}

}  // namespace ropewalk::plot
