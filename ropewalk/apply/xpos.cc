#include "ropewalk/apply/xpos.h"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& what, ErrorCode code = ErrorCode::invalid_argument) {
  throw Error(code, "xpos: " + what);
}

void check(const XposConfig& config) {
  if (config.rotary_dim < 2 || config.rotary_dim % 2 != 0 || config.rotary_dim > 65536) {
    fail(fmt::format("expected an even rotary_dim in 2..65536, found {}", config.rotary_dim));
  }
  for (const double number : {config.scale_base, config.gamma}) {
    if (number > 0 && std::isfinite(number)) continue;
    fail(fmt::format("expected scale_base and gamma above 0 and finite, found {} and {}",
                     config.scale_base, config.gamma));
  }
}

// In double, so that the one rounding to float32 is all that is lost.
double scale(const XposConfig& config, int64_t pair, double distance, XposOf of) {
  const double share = 2.0 * static_cast<double>(pair) / static_cast<double>(config.rotary_dim);
  const double zeta = (share + config.gamma) / (1 + config.gamma);
  const double power = distance / config.scale_base;
  return std::pow(zeta, of == XposOf::query ? power : -power);
}

double distance(const XposConfig& config, int64_t position) {
  return static_cast<double>(position) - static_cast<double>(config.center);
}

void check_heads(const XposConfig& config, const RotaryLayout& layout, const TensorView& x) {
  check_layout(layout);
  if (x.dtype != DType::f32) {
    fail(fmt::format("expected heads of f32, found {}", name(x.dtype)), ErrorCode::unsupported);
  }
  if (x.shape.size() != 4 || x.shape[3] != layout.head_dim) {
    fail(fmt::format("expected heads [batch, seq, heads, {}], found {}", layout.head_dim,
                     to_string(x.shape)));
  }
  if (2 * pair_count(layout) != config.rotary_dim) {
    fail(fmt::format("expected a layout of rotary_dim/2 = {} pairs, found {}",
                     config.rotary_dim / 2, pair_count(layout)));
  }
}

// The factor of each channel of a head; 1 where nothing turns.
std::vector<float> channel_factors(const RotaryLayout& layout, const std::vector<float>& scales) {
  std::vector<float> factors(static_cast<size_t>(layout.head_dim), 1);
  size_t pair = 0;
  for (const RotaryWindow& window : layout.windows) {
    for (int64_t i = 0; i < window.dim / 2; ++i, ++pair) {
      const bool neighbours = window.pairing == Pairing::interleaved;
      const int64_t a = window.offset + (neighbours ? 2 * i : i);
      factors[static_cast<size_t>(a)] = scales[pair];
      factors[static_cast<size_t>(neighbours ? a + 1 : a + window.dim / 2)] = scales[pair];
    }
  }
  return factors;
}

}  // namespace

std::vector<float> xpos_scales(const XposConfig& config, int64_t position, XposOf of) {
  check(config);
  std::vector<float> scales;
  for (int64_t i = 0; i < config.rotary_dim / 2; ++i) {
    scales.push_back(static_cast<float>(scale(config, i, distance(config, position), of)));
  }
  return scales;
}

void apply_xpos(const XposConfig& config, const RotaryLayout& layout, const PositionIds& positions,
                const TensorView& x, XposOf of) {
  check(config);
  check_heads(config, layout, x);
  const PositionReader reader(positions, x.shape[0], x.shape[1], 1);
  auto* data = static_cast<float*>(x.data);
  for (int64_t b = 0; b < x.shape[0]; ++b) {
    for (int64_t s = 0; s < x.shape[1]; ++s) {
      const std::vector<float> factors =
          channel_factors(layout, xpos_scales(config, reader.at(0, b, s), of));
      for (int64_t h = 0; h < x.shape[2]; ++h) {
        float* head = data + b * x.strides[0] + s * x.strides[1] + h * x.strides[2];
        for (int64_t c = 0; c < x.shape[3]; ++c) {
          head[c * x.strides[3]] *= factors[static_cast<size_t>(c)];
        }
      }
    }
  }
}

}  // namespace ropewalk
