#include "ropewalk/attention/attention.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "ropewalk/attention/attention_call.h"
#include "ropewalk/base/checked.h"

namespace ropewalk {
namespace {

// Products of q and k below which handing work to another thread costs more than it saves.
constexpr double kSmallWork = 1 << 16;

// Where a block of queries lies.
struct Place {
  int64_t sequence = 0, head = 0, first = 0;  // first: its first query
};

using Finish = std::function<void(const Place&, const AttentionBlock&)>;

const int64_t* visible_list(const AttentionCall& call, int64_t sequence) {
  return call.visible.empty() ? nullptr : call.visible[static_cast<size_t>(sequence)].data();
}

// The keys or values that head `place.head` reads, hidden ones left out.
AttentionRows key_rows(const AttentionCall& call, const ConstTensorView& bshd, const Place& place) {
  AttentionRows rows =
      head_rows(bshd, place.sequence, place.head / (call.heads / call.kv_heads), 0);
  rows.index = visible_list(call, place.sequence);
  return rows;
}

BiasOf bias_of(AlibiForm form) {
  if (form == AlibiForm::key_position) return BiasOf::rank;
  return form == AlibiForm::symmetric ? BiasOf::nearness : BiasOf::distance;
}

void run_block(const AttentionCall& call, const Place& place, const Finish& finish) {
  AttentionBlock block;
  block.queries = std::min(kAttentionQueries, call.queries - place.first);
  block.first_query = place.first + (call.keys - call.queries);
  std::array<int64_t, kAttentionQueries> first{}, seen{};
  for (int64_t r = 0; r < block.queries; ++r) {
    const AttentionCall::Seen keys = call.seen(place.sequence, place.first + r);
    first[static_cast<size_t>(r)] = keys.begin;
    seen[static_cast<size_t>(r)] = keys.end;
  }
  block.first = first.data();
  block.seen = seen.data();
  block.scale = call.scale;
  block.softcap = static_cast<float>(call.options.softcap);
  block.slope = call.slopes.empty() ? 0 : call.slopes[static_cast<size_t>(place.head)];
  block.bias_of = bias_of(call.options.alibi_form);
  block.bias_in_bf16 = call.options.alibi_bf16;
  block.bias_scale = static_cast<float>(call.options.alibi_scale);
  if (!call.distance_bias.empty()) {
    const int64_t columns = 2 * call.options.bias_reach + 1;
    block.distance_bias = call.distance_bias.data() + place.head * columns;
    block.bias_reach = call.options.bias_reach;
  }
  block.score_stride = *std::max_element(seen.begin(), seen.end());
  const auto size = checked_mul(block.queries, block.score_stride);
  if (!size) throw std::bad_alloc();
  const auto scores = std::make_unique_for_overwrite<float[]>(static_cast<size_t>(*size));
  block.scores = scores.get();
  attention_scores_of(block, head_rows(call.q.view, place.sequence, place.head, place.first),
                      key_rows(call, call.k.view, place));
  finish(place, block);
}

// Every block of queries of every head, its scores made and handed to `finish`.
void for_each_block(const AttentionCall& call, const Parallel& parallel, const Finish& finish) {
  const int64_t blocks = (call.queries + kAttentionQueries - 1) / kAttentionQueries;
  const int64_t tasks = call.batch * call.heads * blocks;
  const double work = static_cast<double>(call.batch * call.heads * call.queries) *
                      static_cast<double>(call.keys) * static_cast<double>(call.q.view.shape[3]);
  const auto task = [&](int64_t i) {
    const int64_t head = i / blocks;
    run_block(call, {head / call.heads, head % call.heads, i % blocks * kAttentionQueries}, finish);
  };
  parallel_for(work < kSmallWork ? Parallel{.threads = 1} : parallel, tasks, task);
}

// A row of the output, whose memory may have any alignment.
void store(const float* row, int64_t count, char* to, int64_t stride) {
  for (int64_t c = 0; c < count; ++c) {
    std::memcpy(to + c * stride * static_cast<int64_t>(sizeof(float)), row + c, sizeof(float));
  }
}

char* address(const TensorView& view, int64_t a, int64_t b, int64_t c) {
  return static_cast<char*>(view.data) +
         (a * view.strides[0] + b * view.strides[1] + c * view.strides[2]) *
             static_cast<int64_t>(sizeof(float));
}

void attend_all(const ConstTensorView& q, const ConstTensorView& k, const ConstTensorView& v,
                const TensorView& out, const AttentionOptions& options) {
  const AttentionCall call = checked_call(q, k, &v, options);
  Dims expected = q.shape;  // of the same rank and layout
  expected[expected.size() - 1] = v.shape.back();
  check_attention_output(out, "out", expected, q, k, &v, options);
  if (num_elements(out.shape) == 0) return;
  const TensorView to = as_bshd(out, options.tensor_layout, "out");
  const int64_t channels = to.shape[3];
  for_each_block(call, options.parallel, [&](const Place& place, const AttentionBlock& block) {
    std::array<float, kAttentionQueries> totals{};
    const float* sink = call.sinks.empty() ? nullptr : &call.sinks[static_cast<size_t>(place.head)];
    for (int64_t r = 0; r < block.queries; ++r) {
      totals[static_cast<size_t>(r)] = attention_softmax(block.scores + r * block.score_stride,
                                                         block.begin(r), block.seen[r], sink);
    }
    const auto sums =
        std::make_unique_for_overwrite<float[]>(static_cast<size_t>(block.queries * channels));
    attention_weighted_sum(block, key_rows(call, call.v.view, place), sums.get());
    for (int64_t r = 0; r < block.queries; ++r) {
      float* row = sums.get() + r * channels;
      const float total = block.seen[r] == block.begin(r) ? 1 : totals[static_cast<size_t>(r)];
      for (int64_t c = 0; c < channels; ++c) row[c] /= total;
      store(row, channels, address(to, place.sequence, place.first + r, place.head), to.strides[3]);
    }
  });
}

void all_scores(const ConstTensorView& q, const ConstTensorView& k, const TensorView& scores,
                const AttentionOptions& options) {
  const AttentionCall call = checked_call(q, k, nullptr, options);
  const Dims expected = q.shape.size() == 3 ? Dims{call.heads, call.queries, call.keys}
                                            : Dims{call.batch, call.heads, call.queries, call.keys};
  check_attention_output(scores, "scores", expected, q, k, nullptr, options);
  if (num_elements(scores.shape) == 0) return;
  // [B, H, Sq, Sk] is one more tensor of four dimensions.
  const TensorView to = as_bshd(scores, TensorLayout::bshd, "scores");
  for_each_block(call, options.parallel, [&](const Place& place, const AttentionBlock& block) {
    const int64_t* visible = visible_list(call, place.sequence);
    std::vector<float> row(static_cast<size_t>(call.keys));
    for (int64_t r = 0; r < block.queries; ++r) {
      std::fill(row.begin(), row.end(), -std::numeric_limits<float>::infinity());
      const float* from = block.scores + r * block.score_stride;
      for (int64_t n = block.begin(r); n < block.seen[r]; ++n) {
        row[static_cast<size_t>(visible == nullptr ? n : visible[n])] = from[n];
      }
      store(row.data(), call.keys, address(to, place.sequence, place.head, place.first + r),
            to.strides[3]);
    }
  });
}

}  // namespace

void attend(const ConstTensorView& q, const ConstTensorView& k, const ConstTensorView& v,
            const TensorView& out, const AttentionOptions& options) {
  within_memory("attend", [&] { attend_all(q, k, v, out, options); });
}

void attention_scores(const ConstTensorView& q, const ConstTensorView& k, const TensorView& scores,
                      const AttentionOptions& options) {
  within_memory("attention_scores", [&] { all_scores(q, k, scores, options); });
}

}  // namespace ropewalk
