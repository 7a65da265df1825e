#include "ropewalk/table/sinusoidal.h"

#include <algorithm>

#include <fmt/format.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/overlap.h"
#include "ropewalk/kernels/rows/rows.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why, ErrorCode code = ErrorCode::invalid_argument) {
  throw Error(code, why);
}

bool spaced_by_half(SinusoidalLayout layout) {
  return layout == SinusoidalLayout::fairseq || layout == SinusoidalLayout::cos_sin;
}

Spectrum frequencies(const SinusoidalConfig& config) {
  const int64_t d = config.d_model;
  if (d < 1 || d > 1 << 20) fail(fmt::format("d_model is {}, expected 1..2^20", d));
  if (!spaced_by_half(config.layout)) return ideal_spectrum(config.base, d, (d + 1) / 2);
  if (d < 4)
    fail(fmt::format("d_model is {}, but layout {} divides by d_model/2 - 1: expected at least 4",
                     d, name(config.layout)));
  return ideal_spectrum(config.base, 2 * (d / 2 - 1), d / 2);
}

// Channels of the sine and cosine of frequency i; -1 where d_model has no room for it.
struct Channels {
  int64_t sin, cos;
};

Channels channels(const SinusoidalConfig& config, int64_t i) {
  const int64_t d = config.d_model, half = d / 2;
  switch (config.layout) {
    case SinusoidalLayout::interleaved:
      return {2 * i, 2 * i + 1 < d ? 2 * i + 1 : -1};
    case SinusoidalLayout::sin_cos:
      return {i, i < half ? d - half + i : -1};
    case SinusoidalLayout::fairseq:
      return {i, half + i};
    case SinusoidalLayout::cos_sin:
      return {half + i, i};
  }
  fail("unknown sinusoidal layout", ErrorCode::internal);
}

// One row of d_model floats at any stride.
class RowWriter {
 public:
  explicit RowWriter(const SinusoidalConfig& config)
      : config_(config), spectrum_(frequencies(config)), source_(row_source(spectrum_, 1, false)) {}

  void write(int64_t position, float* out, int64_t stride) const {
    const auto p = checked_add(position, config_.offset);
    if (!p)
      fail(
          fmt::format("position {} + offset {} passes the end of int64", position, config_.offset));
    // fairseq pads an odd d_model with a zero channel.
    for (int64_t c = 0; c < config_.d_model; ++c) out[c * stride] = 0;
    if (config_.padding_position >= 0 && *p == config_.padding_position) return;
    std::vector<float> cos(static_cast<size_t>(source_.pairs)), sin(cos.size());
    cos_sin_row(source_, &*p, cos.data(), sin.data());
    for (int64_t i = 0; i < source_.pairs; ++i) {
      const Channels at = channels(config_, i);
      out[at.sin * stride] = sin[static_cast<size_t>(i)];
      if (at.cos >= 0) out[at.cos * stride] = cos[static_cast<size_t>(i)];
    }
  }

 private:
  SinusoidalConfig config_;
  Spectrum spectrum_;
  RowSource source_;
};

}  // namespace

void sinusoidal(const SinusoidalConfig& config, std::span<const int64_t> positions,
                const TensorView& out, const Parallel& parallel) {
  const RowWriter writer(config);
  check_view(out, "out");
  const Dims want = {static_cast<int64_t>(positions.size()), config.d_model};
  if (out.dtype != DType::f32 || !(out.shape == want)) {
    fail(fmt::format("out: expected f32 {}, found {} {}", to_string(want), name(out.dtype),
                     to_string(out.shape)));
  }
  if (may_alias_itself(out))
    fail(fmt::format("out: strides {} name one address twice", to_string(out.strides)));
  constexpr int64_t kRowsPerTask = 64;
  parallel_for(parallel, (want[0] + kRowsPerTask - 1) / kRowsPerTask, [&](int64_t task) {
    for (int64_t i = task * kRowsPerTask; i < std::min(want[0], (task + 1) * kRowsPerTask); ++i) {
      writer.write(positions[static_cast<size_t>(i)],
                   static_cast<float*>(out.data) + i * out.strides[0], out.strides[1]);
    }
  });
}

std::vector<float> sinusoidal(const SinusoidalConfig& config, std::span<const int64_t> positions) {
  const auto rows = static_cast<int64_t>(positions.size());
  std::vector<float> out(
      static_cast<size_t>(num_elements({rows, std::max<int64_t>(config.d_model, 0)})));
  sinusoidal(config, positions,
             make_view(static_cast<void*>(out.data()), DType::f32, {rows, config.d_model}));
  return out;
}

std::vector<float> integer_encoding(std::span<const int64_t> positions) {
  return {positions.begin(), positions.end()};
}

std::vector<float> one_hot_encoding(std::span<const int64_t> positions, int64_t length) {
  if (length < 1) fail(fmt::format("one-hot vectors of {} channels", length));
  std::vector<float> out(
      static_cast<size_t>(num_elements({static_cast<int64_t>(positions.size()), length})));
  for (size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] < 0 || positions[i] >= length) {
      fail(fmt::format("position {} has no place in a one-hot vector of {} channels", positions[i],
                       length),
           ErrorCode::out_of_range);
    }
    out[i * static_cast<size_t>(length) + static_cast<size_t>(positions[i])] = 1;
  }
  return out;
}

}  // namespace ropewalk
