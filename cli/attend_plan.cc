#include "cli/attend_plan.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/output.h"
#include "ropewalk/attention/layer_scores.h"
#include "ropewalk/base/random.h"
#include "ropewalk/parallel/ring_cost.h"

namespace ropewalk::cli {
namespace {

// Of a link that nobody measured: 10 Gbit/s.
constexpr double kLink = 1.25;

double positive(const std::string& text, const std::string& option) {
  const double value = parse_number(text, option);
  if (value > 0) return value;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: expected a number above 0, found {}", option, escaped(text)));
}

Tensor random_heads(const Dims& shape, DType dtype, uint64_t seed) {
  Tensor tensor = make_tensor(DType::f32, shape);
  auto* numbers = reinterpret_cast<float*>(tensor.bytes.data());
  for (int64_t i = 0; i < num_elements(shape); ++i) {
    numbers[i] = uniform_at(seed, static_cast<uint64_t>(i)) - 0.5F;
  }
  return dtype == DType::f32 ? tensor : converted(std::as_const(tensor).view(), dtype);
}

// Operations a second of this machine, for heads of this shape: the best of three calls.
double measured_rate(const RingShape& shape) {
  constexpr int64_t kTokens = 1024;
  const Tensor q = random_heads({kTokens, shape.heads, shape.head_dim}, shape.dtype, 1),
               k = random_heads({kTokens, shape.kv_heads, shape.head_dim}, shape.dtype, 2),
               v = random_heads({kTokens, shape.kv_heads, shape.value_dim}, shape.dtype, 3);
  Tensor out = make_tensor(DType::f32, {kTokens, shape.heads, shape.value_dim});
  double best = 1e30;
  for (int round = 0; round < 3; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    attend(q.view(), k.view(), v.view(), out.view(), {.tensor_layout = TensorLayout::thd});
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    best = std::min(best, taken.count());
  }
  return 2.0 * static_cast<double>(shape.head_dim + shape.value_dim) *
         static_cast<double>(shape.heads) * kTokens * kTokens / best;
}

DType dtype_named(const std::string& text) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    if (name(dtype) == text) return dtype;
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("expected f32, bf16 or f16, found \"{}\"", escaped(text)));
}

RingSequences sequences_of(const RankOptions& input) {
  RingSequences sequences;
  sequences.ranks = parse_integer(input.plan, "--plan");
  if (sequences.ranks < 1 || sequences.ranks > 4096) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--plan: expected 1 to 4096 ranks, found {}", sequences.ranks));
  }
  sequences.order = shard_order(input);
  if (input.tokens.empty() == input.cu_seqlens.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "--plan: give either --tokens N or --cu-seqlens, the boundaries of sequences");
  }
  sequences.key_starts = input.tokens.empty()
                             ? load_position_list(input.cu_seqlens)
                             : std::vector<int64_t>{0, parse_integer(input.tokens, "--tokens")};
  sequences.query_starts = sequences.key_starts;
  return sequences;
}

std::string bytes_text(int64_t bytes) {
  return fmt::format("{:.6g}", static_cast<double>(bytes) / 1e6);
}

nlohmann::ordered_json plan_json(const RingPlan& plan, const RingCost& cost,
                                 const RingMachine& machine, bool measured) {
  nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
  for (size_t rank = 0; rank < cost.flops.size(); ++rank) {
    ranks.push_back({{"rank", rank},
                     {"keys", plan.keys[rank]},
                     {"flop", cost.flops[rank]},
                     {"sent_bytes", cost.sent[rank]},
                     {"seconds", cost.finished[rank]}});
  }
  return {{"ranks", plan.ranks},
          {"steps", plan.steps},
          {"flops_per_second", machine.flops_per_second},
          {"flops_measured", measured},
          {"link_bytes_per_second", machine.bytes_per_second},
          {"of_ranks", ranks},
          {"seconds", cost.seconds},
          {"one_rank_seconds", cost.one_rank_seconds},
          {"balance", cost.balance},
          {"efficiency", cost.efficiency}};
}

void print_plan(const RingPlan& plan, const RingCost& cost, const RingMachine& machine,
                const std::string& source) {
  double all = 0;
  for (const double flops : cost.flops) all += flops;
  std::vector<std::vector<std::string>> rows = {
      {"rank", "keys", "Gflop", "of all", "sends MB", "done after s"}};
  for (size_t rank = 0; rank < cost.flops.size(); ++rank) {
    rows.push_back({std::to_string(rank), std::to_string(plan.keys[rank]),
                    fmt::format("{:.6g}", cost.flops[rank] / 1e9),
                    all > 0 ? fmt::format("{:.1f} %", 100 * cost.flops[rank] / all) : "-",
                    bytes_text(cost.sent[rank]), fmt::format("{:.3g}", cost.finished[rank])});
  }
  fmt::print("{}", table(rows, std::vector<bool>(rows[0].size(), true)));
  fmt::print("\n{} steps; {:.4g} GFLOP/s a rank ({}), {:.4g} GB/s from rank to rank\n", plan.steps,
             machine.flops_per_second / 1e9, source, machine.bytes_per_second / 1e9);
  fmt::print(
      "work is {:.1f} % even; predicted: {:.3g} s in place of {:.3g} s on one rank, "
      "{:.2f} times as fast, efficiency {:.1f} %\n",
      100 * cost.balance, cost.seconds, cost.one_rank_seconds,
      cost.seconds > 0 ? cost.one_rank_seconds / cost.seconds : 1, 100 * cost.efficiency);
}

}  // namespace

int print_attend_plan(const RankOptions& input, const Layer& layer) {
  check_computed(layer);
  const RingSequences sequences = sequences_of(input);
  AttentionOptions options;
  options.causal = layer.attention.mask != Mask::full;
  options.window_left = layer.attention.window_left;
  options.window_right = layer.attention.window_right;
  options.chunk = layer.attention.chunk;
  const RingShape shape{
      layer.heads, layer.kv_heads, layer.head_dim, layer.value_dim,
      input.dtype.empty() ? DType::f32 : parse_name(input.dtype, "--dtype", dtype_named)};
  const RingPlan plan = make_ring_plan(sequences, options);
  const bool measured = input.rate.empty();
  const RingMachine machine{measured ? measured_rate(shape) : positive(input.rate, "--rate") * 1e9,
                            (input.link.empty() ? kLink : positive(input.link, "--link")) * 1e9, 0};
  const RingCost cost = ring_cost(plan, shape, machine);
  if (input.json) {
    print_json(plan_json(plan, cost, machine, measured));
  } else {
    print_plan(plan, cost, machine, measured ? "measured here" : "--rate");
  }
  return 0;
}

}  // namespace ropewalk::cli
