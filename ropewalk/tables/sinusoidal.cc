#include "ropewalk/tables/sinusoidal.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

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
  if (d < 1 || d > 1 << 20) fail(fmt::format("d_model: expected 1..2^20, found {}", d));
  if (!spaced_by_half(config.layout)) return ideal_spectrum(config.base, d, (d + 1) / 2);
  if (d < 4) {
    fail(fmt::format("d_model: expected at least 4, found {}; layout {} divides by d_model/2 - 1",
                     d, name(config.layout)));
  }
  return ideal_spectrum(config.base, 2 * (d / 2 - 1), d / 2);
}

// Where the sines and cosines of all frequencies go in a row: channel = first + step i.
struct Channels {
  int64_t sin, cos, step;
};

Channels channels(const SinusoidalConfig& config) {
  const int64_t d = config.d_model, half = d / 2;
  switch (config.layout) {
    case SinusoidalLayout::interleaved:
      return {0, 1, 2};
    case SinusoidalLayout::sin_cos:
      return {0, d - half, 1};
    case SinusoidalLayout::fairseq:
      return {0, half, 1};
    case SinusoidalLayout::cos_sin:
      return {half, 0, 1};
  }
  fail("unknown sinusoidal layout", ErrorCode::internal);
}

// Rows of d_model numbers at any strides.
class RowWriter {
 public:
  RowWriter(const SinusoidalConfig& config, int64_t rows)
      : config_(config),
        spectrum_(frequencies(config)),
        source_(row_source(spectrum_, 1, false)),
        steps_(row_steps(source_, source_.pairs <= kMostStepped ? rows : 0)),
        at_once_(std::clamp<int64_t>(65536 / source_.pairs, 1, 32)),
        at_(channels(config)) {}

  // The rows of `positions`, row r at out + r row_stride, numbers of a row `stride` apart; T is
  // float or, for bf16 and f16, uint16_t. Runs of consecutive positions are made together, where
  // they belong if they lie there as they are made.
  template <class T>
  void write(std::span<const int64_t> positions, T* out, int64_t row_stride, int64_t stride,
             DType dtype) const {
    const int64_t pairs = source_.pairs;
    const bool direct = std::is_same_v<T, float> && stride == 1 && config_.d_model == 2 * pairs;
    const auto most = direct ? static_cast<int64_t>(positions.size()) : at_once_;
    std::vector<T> rows(direct ? 0 : static_cast<size_t>(at_once_ * 2 * pairs));
    for (size_t begin = 0; begin < positions.size();) {
      const int64_t first = position(positions[begin]);
      int64_t count = 1;
      while (count < most && begin + static_cast<size_t>(count) < positions.size() &&
             positions[begin + static_cast<size_t>(count)] > positions[begin] &&
             positions[begin + static_cast<size_t>(count)] - count == positions[begin]) {
        ++count;
      }
      position(positions[begin] + (count - 1));
      T* const to = out + static_cast<int64_t>(begin) * row_stride;
      if (direct) {
        make_in_place(first, count, row_stride, to);
      } else {
        T *const cos = rows.data(), *const sin = cos + pairs;
        if constexpr (std::is_same_v<T, float>) {
          cos_sin_run(source_, steps_, first, count, 2 * pairs, cos, sin);
        } else {
          cos_sin_half_run(source_, steps_, dtype, first, count, 2 * pairs, cos, sin);
        }
        for (int64_t r = 0; r < count; ++r) {
          place(cos + r * 2 * pairs, sin + r * 2 * pairs, to + r * row_stride, stride);
        }
      }
      const int64_t padding = config_.padding_position;
      if (padding >= 0 && first <= padding && padding <= first + (count - 1)) {
        clear(to + (padding - first) * row_stride, stride);
      }
      begin += static_cast<size_t>(count);
    }
  }

 private:
  // Wider rows would take megabytes for their steps, and gain nothing.
  static constexpr int64_t kMostStepped = 8192;

  int64_t position(int64_t p) const {
    const auto sum = checked_add(p, config_.offset);
    if (!sum) {
      fail(fmt::format("position {} + offset {} passes the end of int64", p, config_.offset));
    }
    return *sum;
  }

  // Rows of adjacent channels, as many sines as cosines.
  template <class T>
  void make_in_place(int64_t first, int64_t count, int64_t row_stride, T* to) const {
    if constexpr (std::is_same_v<T, float>) {
      if (at_.step == 2) return sin_cos_run(source_, steps_, first, count, row_stride, to);
      cos_sin_run(source_, steps_, first, count, row_stride, to + at_.cos, to + at_.sin);
    }
  }

  template <class T>
  void clear(T* out, int64_t stride) const {
    for (int64_t c = 0; c < config_.d_model; ++c) out[c * stride] = 0;
  }

  template <class T>
  void place(const T* cos, const T* sin, T* out, int64_t stride) const {
    const int64_t d = config_.d_model;
    // fairseq pads an odd d_model with a zero channel.
    out[(d - 1) * stride] = 0;
    for (int64_t i = 0; i < source_.pairs; ++i) {
      out[(at_.sin + at_.step * i) * stride] = sin[i];
      // An odd d_model has no room for the last cosine.
      if (at_.step * i + at_.cos < d) out[(at_.cos + at_.step * i) * stride] = cos[i];
    }
  }

  SinusoidalConfig config_;
  Spectrum spectrum_;
  RowSource source_;
  RowSteps steps_;
  int64_t at_once_;  // rows
  Channels at_;
};

}  // namespace

class SinusoidalRows::Writer : public RowWriter {
  using RowWriter::RowWriter;
};

SinusoidalRows::SinusoidalRows(const SinusoidalConfig& config, int64_t rows)
    : d_model_(config.d_model), writer_(std::make_unique<const Writer>(config, rows)) {}

SinusoidalRows::~SinusoidalRows() = default;

void SinusoidalRows::write(int64_t first, int64_t rows, float* out) const {
  std::vector<int64_t> positions(static_cast<size_t>(rows));
  std::iota(positions.begin(), positions.end(), first);
  writer_->write(positions, out, d_model_, 1, DType::f32);
}

void sinusoidal(const SinusoidalConfig& config, std::span<const int64_t> positions,
                const TensorView& out, const Parallel& parallel) {
  const RowWriter writer(config, static_cast<int64_t>(positions.size()));
  check_view(out, "out");
  const Dims want = {static_cast<int64_t>(positions.size()), config.d_model};
  const bool half = out.dtype == DType::bf16 || out.dtype == DType::f16;
  if ((out.dtype != DType::f32 && !half) || !(out.shape == want)) {
    fail(fmt::format("out: expected f32, bf16 or f16 {}, found {} {}", to_string(want),
                     name(out.dtype), to_string(out.shape)));
  }
  if (may_alias_itself(out)) {
    fail(fmt::format("out: strides {} name one address twice", to_string(out.strides)));
  }
  constexpr int64_t kRowsPerTask = 64;
  parallel_for(parallel, (want[0] + kRowsPerTask - 1) / kRowsPerTask, [&](int64_t task) {
    const int64_t begin = task * kRowsPerTask, count = std::min(want[0] - begin, kRowsPerTask);
    const auto part = positions.subspan(static_cast<size_t>(begin), static_cast<size_t>(count));
    const auto write = [&](auto* data) {
      writer.write(part, data + begin * out.strides[0], out.strides[0], out.strides[1], out.dtype);
    };
    half ? write(static_cast<uint16_t*>(out.data)) : write(static_cast<float*>(out.data));
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
  if (length < 1) {
    fail(fmt::format("one-hot vectors: expected at least 1 channel, found {}", length));
  }
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
