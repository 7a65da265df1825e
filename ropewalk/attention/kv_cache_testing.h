#pragma once

#include <cmath>
#include <cstring>
#include <vector>

#include "ropewalk/apply/rope.h"
#include "ropewalk/attention/kv_cache.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk::testing {

inline constexpr DType kKvTypes[] = {DType::f32, DType::bf16, DType::f16, DType::i8};

// The first `dim` channels turn in pairs of halves.
inline Spectrum spectrum_of(double theta, int64_t dim) {
  return make_spectrum(
      {.rope_theta = theta, .rotary_dim = dim, .layout = {dim, {{0, dim, Pairing::half_split}}}});
}

// 2 heads of 8 channels, of which 6 turn, and values of 4 channels.
inline KvCacheConfig small_config(DType dtype = DType::f32, int64_t page_size = 4) {
  const RotaryLayout layout{8, {{0, 6, Pairing::half_split}}};
  return {.kv_heads = 2,
          .v_dim = 4,
          .layout = layout,
          .spectrum = spectrum_of(100, 6),
          .k_dtype = dtype,
          .v_dtype = dtype,
          .page_size = page_size};
}

// Keys and values of `count` tokens for a cache; of one seed the same however many.
struct RandomTokens {
  Tensor k, v;

  RandomTokens(const KvCacheConfig& config, int64_t count, uint64_t seed = 1,
               DType dtype = DType::f32)
      : k(random_tensor({count, config.kv_heads, config.layout.head_dim}, seed, dtype)),
        v(random_tensor({count, config.kv_heads, config.v_dim}, seed + 1000, dtype)) {}

  // Tokens [first, first + count).
  KvTokens some(int64_t first, int64_t count, const RopeRows* rows = nullptr) const {
    return {part(k, first, count), v.shape[2] > 0 ? part(v, first, count) : ConstTensorView{},
            rows};
  }
  KvTokens all() const { return some(0, k.shape[0]); }

 private:
  static ConstTensorView part(const Tensor& tensor, int64_t first, int64_t count) {
    ConstTensorView view = tensor.view();
    view.data = static_cast<const char*>(view.data) +
                first * view.strides[0] * static_cast<int64_t>(size_in_bytes(view.dtype));
    view.shape[0] = count;
    return view;
  }
};

// Sequence 0 of so many tokens from position 0 on.
inline KvCache filled(const KvCacheConfig& config, const RandomTokens& tokens) {
  KvCache cache(config);
  cache.append(0, positions_from(0), tokens.all());
  return cache;
}

inline PositionIds positions_view(const std::vector<int64_t>& positions, const Dims& shape) {
  const void* const data = positions.data();
  return positions_of(make_view(data, DType::i64, shape));
}

// apply_rope into a new tensor.
inline Tensor rotated(const Spectrum& spectrum, const RotaryLayout& layout,
                      const PositionIds& positions, const Tensor& k) {
  Tensor out = make_tensor(k.dtype, k.shape);
  apply_rope(spectrum, layout, positions, {k.view(), out.view()});
  return out;
}

inline std::vector<int64_t> positions_of_sequence(const KvCache& cache, int64_t sequence = 0) {
  const Tensor positions = cache.gather(sequence).positions;
  std::vector<int64_t> values(positions.bytes.size() / 8);
  if (!values.empty()) std::memcpy(values.data(), positions.bytes.data(), positions.bytes.size());
  return values;
}

// Largest difference of two tensors, relative to the largest number of the second.
inline double worst(const Tensor& ours, const Tensor& expected) {
  const auto a = floats(ours), b = floats(expected);
  double difference = a.size() == b.size() ? 0 : INFINITY, largest = 0;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    difference = std::fmax(difference, std::fabs(static_cast<double>(a[i]) - b[i]));
    largest = std::fmax(largest, std::fabs(b[i]));
  }
  return difference / largest;
}

// Root mean square of the differences, relative to that of the second.
inline double rms(const Tensor& ours, const Tensor& expected) {
  const auto a = floats(ours), b = floats(expected);
  double difference = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += (static_cast<double>(a[i]) - b[i]) * (static_cast<double>(a[i]) - b[i]);
    size += static_cast<double>(b[i]) * b[i];
  }
  return std::sqrt(difference / size);
}

}  // namespace ropewalk::testing
