#include "cli/bench/attention_workloads.h"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "cli/bench/buffer.h"
#include "cli/bench/roof.h"
#include "ropewalk/attention/attention.h"
#include "ropewalk/attention/kv_cache_attend.h"
#include "ropewalk/kernels/simd/peaks.h"

namespace ropewalk::cli {
namespace {

constexpr int64_t kHeads = 32, kKvHeads = 8, kChannels = 128;

// Steps of a loop of about a tenth of a millisecond.
constexpr int64_t kSteps = 10000;

// Each thread reads its part.
void read_all(const Buffer& buffer, const Parallel& parallel) {
  constexpr int64_t kPiece = int64_t{1} << 16;
  const int64_t pieces = (buffer.bytes() + kPiece - 1) / kPiece;
  parallel_for(parallel, pieces, [&](int64_t i) {
    read_memory(buffer.data() + i * kPiece, std::min(kPiece, buffer.bytes() - i * kPiece));
  });
}

// A sequence for each of the batch, of eight bits.
KvCache cache_of(const AttentionCase& c) {
  KvCache cache({.kv_heads = kKvHeads,
                 .v_dim = kChannels,
                 .layout = {kChannels, {}},
                 .k_dtype = DType::i8,
                 .v_dtype = DType::i8});
  const Buffer numbers(DType::f32, c.keys * kKvHeads * kChannels * 4);
  const ConstTensorView rows = make_view(static_cast<const void*>(numbers.data()), DType::f32,
                                         {c.keys, kKvHeads, kChannels});
  for (int64_t b = 0; b < c.batch; ++b) cache.append(b, positions_from(0), {rows, rows});
  return cache;
}

template <typename View>
View sequence_of(View view, int64_t b) {
  const int64_t at = b * view.strides[0] * static_cast<int64_t>(size_in_bytes(view.dtype));
  if constexpr (std::is_same_v<View, TensorView>) {
    view.data = static_cast<char*>(view.data) + at;
  } else {
    view.data = static_cast<const char*>(view.data) + at;
  }
  view.shape[0] = 1;
  return view;
}

}  // namespace

std::vector<AttentionCase> attention_cases() {
  return {{"attend_512", 1, 512, 512},
          {"attend_2048", 1, 2048, 2048},
          {"attend_4096", 1, 4096, 4096, true},
          {"attend_8192", 1, 8192, 8192, true},
          {"attend_decode_1024", 1, 1, 1024},
          {"attend_decode_16384", 1, 1, 16384},
          {"attend_decode_65536", 1, 1, 65536, true},
          {"attend_decode_1024x16", 16, 1, 1024},
          {"attend_decode_16384x16", 16, 1, 16384, true}};
}

Measured measure_attention(const AttentionCase& c, DType dtype, int threads, int rounds) {
  const auto size = static_cast<int64_t>(size_in_bytes(dtype));
  const Parallel parallel{threads, {}};
  const int64_t row = kChannels * size;
  // Eight bits are those of a cache, whose rows have a scale each; queries are then bf16.
  const DType q_dtype = dtype == DType::i8 ? DType::bf16 : dtype;
  const int64_t kv_row = dtype == DType::i8 ? row + 4 : row;
  const Buffer q(q_dtype, c.batch * c.queries * kHeads * kChannels *
                              static_cast<int64_t>(size_in_bytes(q_dtype))),
      kv(dtype, 2 * c.batch * c.keys * kKvHeads * kv_row),
      out(DType::f32, c.batch * c.queries * kHeads * kChannels * 4);
  const Dims of_q{c.batch, c.queries, kHeads, kChannels},
      of_k{c.batch, c.keys, kKvHeads, kChannels};
  const auto view = [&](const char* at, const Dims& shape) {
    return make_view(static_cast<const void*>(at), dtype, shape);
  };
  const ConstTensorView of_queries = make_view(static_cast<const void*>(q.data()), q_dtype, of_q);
  const ConstTensorView k = view(kv.data(), of_k), v = view(kv.data() + kv.bytes() / 2, of_k);
  const bool decode = c.queries == 1;
  const TensorView to = make_view(static_cast<void*>(out.data()), DType::f32, of_q);
  const AttentionOptions options{.causal = true, .parallel = parallel};
  const std::optional<KvCache> cache =
      dtype == DType::i8 ? std::optional(cache_of(c)) : std::nullopt;
  const auto call = [&] {
    if (!cache) return attend(of_queries, k, v, to, options);
    for (int64_t b = 0; b < c.batch; ++b) {
      attend(sequence_of(of_queries, b), *cache, b, sequence_of(to, b), options);
    }
  };
  const bool dots = dtype == DType::bf16 && peak_dot_products(0) > 0;
  double peak_flops = 0;
  const auto peak = [&] {
    std::vector<double> flops(static_cast<size_t>(threads));
    parallel_for(parallel, threads, [&](int64_t i) {
      flops[static_cast<size_t>(i)] = dots ? peak_dot_products(kSteps) : peak_multiply_adds(kSteps);
    });
    peak_flops = 0;
    for (double one : flops) peak_flops += one;
  };
  const std::vector<Times> times = race({call, [&] { read_all(kv, parallel); }, peak}, rounds,
                                        threads == 1 ? Clock::thread : Clock::wall);
  const double pairs = decode ? static_cast<double>(c.batch * c.keys)
                              : static_cast<double>(c.batch) * static_cast<double>(c.queries) *
                                    static_cast<double>(c.queries + 1) / 2;
  Measured result{c.name, std::string(name(dtype)), "", threads};
  result.bytes = kv.bytes();
  result.work = times[0];
  result.memory = times[1];
  result.flops = 4 * kChannels * kHeads * pairs;
  result.arithmetic = result.flops * times[2].median / peak_flops;
  double least = result.arithmetic;
  if (decode) least = std::max(least, times[1].median);
  result.of_peak = least / times[0].median;
  return result;
}

}  // namespace ropewalk::cli
