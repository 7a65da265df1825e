// What bench/peers measures, for ctypes: rotation, rows, and the in-place scale that both stand
// beside, each timed in here, so that a call from Python costs nothing. Times are seconds per call.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>

#include "ropewalk/apply/rope.h"
#include "ropewalk/attention/attention.h"
#include "ropewalk/kernels/rows/rows.h"
#include "ropewalk/spectrum/spectrum.h"

// One call of apply_rope, in place. BenchRope in race.py has the same fields in the same order.
struct BenchRope {
  void *q, *k;
  const int64_t* position_ids;  // [batch, seq]; null: the run first, first + 1, ...
  int64_t first, batch, seq, q_heads, k_heads, head_dim, rotary_dim;
  double rope_theta;
  int32_t dtype;        // 0 f32, 1 bf16, 2 f16
  int32_t interleaved;  // else half_split
  int32_t head_major;   // bhsd, else bshd
  int32_t shared_rows;  // rows made before, as for all layers of a step but the first
  int32_t threads;
};

// One call of attend on q [batch, queries, heads, dim], k and v [batch, keys, kv_heads, dim],
// causal, the queries the last tokens. BenchAttend in race.py has the same fields in the same
// order.
struct BenchAttend {
  const void *q, *k, *v;
  float* out;
  int64_t batch, queries, keys, heads, kv_heads, head_dim;
  int32_t dtype;         // 0 f32, 1 bf16, 2 f16
  int32_t rotated_here;  // whether q and k are raw, and turned by rows made before
  int32_t threads;
};

namespace {

using namespace ropewalk;

// Volatile, or the scale would be found to do nothing.
const volatile float kOne = 1;
const volatile uint32_t kNone = 0;

__attribute__((target_clones("avx512f", "avx2", "default"))) void scale_floats(float* x,
                                                                               int64_t count) {
  const float factor = kOne;
  for (int64_t i = 0; i < count; ++i) x[i] *= factor;
}

__attribute__((target_clones("avx512f", "avx2", "default"))) void flip_words(uint32_t* x,
                                                                             int64_t count) {
  const uint32_t mask = kNone;
  for (int64_t i = 0; i < count; ++i) x[i] ^= mask;
}

template <typename Work>
double seconds_of(int64_t repeats, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < repeats; ++i) work();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / static_cast<double>(repeats);
}

TensorView heads_of(const BenchRope& call, void* data, int64_t heads) {
  const DType dtypes[] = {DType::f32, DType::bf16, DType::f16};
  const DType dtype = dtypes[call.dtype];
  return call.head_major ? make_view(data, dtype, {call.batch, heads, call.seq, call.head_dim})
                         : make_view(data, dtype, {call.batch, call.seq, heads, call.head_dim});
}

PositionIds positions_of(const BenchRope& call) {
  if (call.position_ids == nullptr) return positions_from(call.first);
  const Dims shape{call.batch, call.seq};
  return positions_of(
      ConstTensorView{call.position_ids, DType::i64, shape, contiguous_strides(shape)});
}

double time_rope(const BenchRope& call, int64_t repeats) {
  const Pairing pairing = call.interleaved ? Pairing::interleaved : Pairing::half_split;
  const RotaryLayout layout{call.head_dim, {{0, call.rotary_dim, pairing}}};
  const Spectrum spectrum = make_spectrum(
      {.rope_theta = call.rope_theta, .rotary_dim = call.rotary_dim, .layout = layout});
  const PositionIds positions = positions_of(call);
  const Rotated q = in_place(heads_of(call, call.q, call.q_heads));
  const Rotated k = in_place(heads_of(call, call.k, call.k_heads));
  const RopeOptions options{
      .tensor_layout = call.head_major ? TensorLayout::bhsd : TensorLayout::bshd,
      .parallel = {.threads = call.threads}};
  if (!call.shared_rows) {
    return seconds_of(repeats, [&] { apply_rope(spectrum, layout, positions, q, k, options); });
  }
  const int64_t batch = call.position_ids == nullptr ? 1 : call.batch;
  const RopeRows rows =
      make_rope_rows(spectrum, positions, batch, call.seq, Direction::forward, options.parallel);
  return seconds_of(repeats, [&] { apply_rope(rows, layout, q, k, options); });
}

double time_attend(const BenchAttend& call, int64_t repeats) {
  const DType dtypes[] = {DType::f32, DType::bf16, DType::f16};
  const auto view = [&](const void* data, int64_t tokens, int64_t heads) {
    return make_view(data, dtypes[call.dtype], {call.batch, tokens, heads, call.head_dim});
  };
  const ConstTensorView q = view(call.q, call.queries, call.heads),
                        k = view(call.k, call.keys, call.kv_heads),
                        v = view(call.v, call.keys, call.kv_heads);
  const TensorView out = make_view(static_cast<void*>(call.out), DType::f32, q.shape);
  AttentionOptions options{.causal = true, .parallel = {.threads = call.threads}};
  RopeRows q_rows, k_rows;
  if (call.rotated_here != 0) {
    const RotaryLayout layout{call.head_dim, {{0, call.head_dim, Pairing::half_split}}};
    const Spectrum spectrum =
        make_spectrum({.rope_theta = 500000, .rotary_dim = call.head_dim, .layout = layout});
    q_rows = make_rope_rows(spectrum, positions_from(call.keys - call.queries), 1, call.queries);
    k_rows = make_rope_rows(spectrum, positions_from(0), 1, call.keys);
    options.rotation = {&q_rows, &k_rows, layout};
  }
  return seconds_of(repeats, [&] { attend(q, k, v, out, options); });
}

// An exception must not meet Python: it is named, and the time is -1.
template <typename Work>
double timed(const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_library: %s\n", error.what());
    return -1;
  }
}

}  // namespace

extern "C" {

// f32: x *= 1; 16 bits: x ^= 0, two at a time. `bytes` is a multiple of 4.
double bench_scale(void* data, int64_t bytes, int dtype_bits, int threads, int64_t repeats) {
  const int64_t count = bytes / 4, share = (count + threads - 1) / threads;
  return seconds_of(repeats, [&] {
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int part = 0; part < threads; ++part) {
      const int64_t first = part * share, size = std::clamp<int64_t>(count - first, 0, share);
      if (dtype_bits == 32) {
        scale_floats(static_cast<float*>(data) + first, size);
      } else {
        flip_words(static_cast<uint32_t*>(data) + first, size);
      }
    }
  });
}

double bench_rope(const BenchRope* call, int64_t repeats) {
  return timed([&] { return time_rope(*call, repeats); });
}

double bench_attend(const BenchAttend* call, int64_t repeats) {
  return timed([&] { return time_attend(*call, repeats); });
}

// out [2, rows, pairs]: cos, then sin, of the positions 0, 1, ...; one thread.
double bench_cos_sin_rows(int64_t rows, int64_t pairs, double base, float* out, int64_t repeats) {
  return timed([&] {
    const RotaryLayout layout{2 * pairs, {{0, 2 * pairs}}};
    const Spectrum spectrum =
        make_spectrum({.rope_theta = base, .rotary_dim = 2 * pairs, .layout = layout});
    const RowSource source = row_source(spectrum, 1, false);
    return seconds_of(repeats,
                      [&] { cos_sin_rows(source, 0, rows, pairs, out, out + rows * pairs); });
  });
}

}  // extern "C"
