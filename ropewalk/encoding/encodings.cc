#include "ropewalk/encoding/encodings.h"

#include <array>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

// In the order of the enum.
constexpr std::array<std::string_view, 4> kSinusoidalLayouts = {"interleaved", "sin_cos", "fairseq",
                                                                "cos_sin"};

constexpr std::array<std::string_view, 5> kMropeOrders = {
    "contiguous", "interleaved", "height_width_first", "strided", "alternating"};

constexpr std::array<std::string_view, 8> kRelativeForms = {
    "shaw",         "disentangled", "transformer_xl", "distance_table",
    "window_table", "window_mlp",   "decomposed",     "content_bias"};

constexpr std::array<std::string_view, 6> kResamplings = {
    "none", "bilinear", "bilinear_corners", "bilinear_zeros", "bilinear_antialiased", "bicubic"};

constexpr std::array<std::string_view, 4> kFeatureForms = {"fourier", "sine_2d", "sine_boxes",
                                                           "timestamps"};

constexpr std::array<std::string_view, 3> kAlibiForms = {"relative", "key_position", "symmetric"};

}  // namespace

std::string_view name(AlibiForm form) { return kAlibiForms[static_cast<size_t>(form)]; }

std::string_view name(RelativeForm form) { return kRelativeForms[static_cast<size_t>(form)]; }

std::string_view name(FeatureForm form) { return kFeatureForms[static_cast<size_t>(form)]; }

std::string_view name(Resampling resampling) {
  return kResamplings[static_cast<size_t>(resampling)];
}

std::string_view name(MropeOrder order) { return kMropeOrders[static_cast<size_t>(order)]; }

std::string_view name(SinusoidalLayout layout) {
  return kSinusoidalLayouts[static_cast<size_t>(layout)];
}

SinusoidalLayout sinusoidal_layout_from_name(std::string_view text) {
  for (size_t i = 0; i < kSinusoidalLayouts.size(); ++i) {
    if (text == kSinusoidalLayouts[i]) return static_cast<SinusoidalLayout>(i);
  }
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format(
          "expected sinusoidal layout interleaved, sin_cos, fairseq or cos_sin, found \"{}\"",
          escaped(text)));
}

std::string_view name(const PositionEncoding& encoding) {
  constexpr std::array<std::string_view, 9> kNames = {"none",       "rope",        "alibi",
                                                      "sinusoidal", "learned",     "bucket_bias",
                                                      "relative",   "convolution", "features"};
  return kNames[encoding.index()];
}

}  // namespace ropewalk
