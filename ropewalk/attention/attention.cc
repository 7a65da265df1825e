#include "ropewalk/attention/attention.h"

#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include "ropewalk/attention/attention_call.h"
#include "ropewalk/attention/attention_decode.h"
#include "ropewalk/attention/attention_run.h"
#include "ropewalk/base/overlap.h"

namespace ropewalk {
namespace {

using Run = std::function<void(AttentionWorker& worker, const AttentionTask& task)>;

// Pairs of a query and a key that is seen.
double pairs_of(const AttentionCall& call, const AttentionTask& task) {
  double pairs = 0;
  for (int64_t i = task.first; i < task.first + task.queries; ++i) {
    const AttentionCall::Seen seen = call.seen(task.sequence, i);
    pairs += static_cast<double>((seen.end - seen.begin) * call.group());
  }
  return pairs;
}

void for_each_task(const AttentionCall& call, const Run& run) {
  const std::vector<AttentionTask> tasks = attention_tasks(call);
  AttentionWorkers workers(call);
  const auto& progress = call.options.progress;
  double all = 0, done = 0;
  for (const AttentionTask& task : tasks) all += progress ? pairs_of(call, task) : 0;
  std::mutex mutex;
  parallel_for(is_small(call) ? Parallel{1, {}} : call.options.parallel, std::ssize(tasks),
               [&](int64_t i) {
                 const AttentionTask& task = tasks[static_cast<size_t>(i)];
                 workers.with([&](AttentionWorker& worker) { run(worker, task); });
                 if (!progress) return;
                 const std::lock_guard lock(mutex);
                 done += pairs_of(call, task);
                 progress(done, all);
               });
}

// Where a task's results go: [batch, seq, heads, ...].
char* address(const TensorView& view, int64_t a, int64_t b, int64_t c) {
  return static_cast<char*>(view.data) +
         (a * view.strides[0] + b * view.strides[1] + c * view.strides[2]) *
             static_cast<int64_t>(sizeof(float));
}

// lse as [batch, heads, queries].
TensorView checked_lse(const AttentionOptions& options, const ConstTensorView& q,
                       const ConstTensorView& k, const ConstTensorView& v, const TensorView& out) {
  TensorView lse = options.lse;
  if (!is_given(lse)) return {};
  const ConstTensorView bshd = as_bshd(q, options.tensor_layout, "q");
  const Dims shape{bshd.shape[0], bshd.shape[2], bshd.shape[1]};
  const bool one = q.shape.size() == 3;
  check_attention_output(lse, "lse", one ? Dims{shape[1], shape[2]} : shape, q, k, &v, options);
  if (may_overlap(lse, out)) {
    throw Error(ErrorCode::invalid_argument, "lse: overlaps out");
  }
  if (one) {
    lse.strides = Dims{0, lse.strides[0], lse.strides[1]};
    lse.shape = shape;
  }
  return lse;
}

void fill(const TensorView& to, float value) {
  for (int64_t b = 0; b < to.shape[0]; ++b) {
    for (int64_t h = 0; h < to.shape[1]; ++h) {
      for (int64_t i = 0; i < to.shape[2]; ++i) {
        char* at = address(to, b, h, i);
        for (int64_t j = 0; j < to.shape[3]; ++j) {
          std::memcpy(at + j * to.strides[3] * int64_t{sizeof(float)}, &value, sizeof(float));
        }
      }
    }
  }
}

void all_scores(const ConstTensorView& q, const ConstTensorView& k, const TensorView& scores,
                const AttentionOptions& options) {
  if (!options.query_starts.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "query_starts: expected none for scores, found a list");
  }
  const AttentionCall call = checked_call(q, k, nullptr, options);
  const Dims expected = q.shape.size() == 3 ? Dims{call.heads, call.queries, call.keys}
                                            : Dims{call.batch, call.heads, call.queries, call.keys};
  check_attention_output(scores, "scores", expected, q, k, nullptr, options);
  if (num_elements(scores.shape) == 0) return;
  // [B, H, Sq, Sk] is one more tensor of four dimensions.
  const TensorView to = as_bshd(scores, TensorLayout::bshd, "scores");
  fill(to, -std::numeric_limits<float>::infinity());
  constexpr int64_t kBytes = sizeof(float);
  for_each_task(call, [&](AttentionWorker& worker, const AttentionTask& task) {
    const AttentionSequence& sequence = call.sequences[static_cast<size_t>(task.sequence)];
    worker.run_each(task,
                    [&](const AttentionBlock& block, const AttentionKeys& keys, int64_t first) {
                      attention_write_scores(
                          block, keys,
                          {.data = address(to, sequence.batch, task.kv_head * call.group(), first),
                           .query_stride = to.strides[2] * kBytes,
                           .head_stride = to.strides[1] * kBytes,
                           .channel_stride = to.strides[3] * kBytes});
                    });
  });
}

}  // namespace

AttentionResults checked_results(const ConstTensorView& q, const ConstTensorView& k,
                                 const ConstTensorView& v, const TensorView& out,
                                 const AttentionOptions& options) {
  Dims expected = q.shape;  // of the same rank and layout
  expected[expected.size() - 1] = v.shape.back();
  check_attention_output(out, "out", expected, q, k, &v, options);
  return {as_bshd(out, options.tensor_layout, "out"), checked_lse(options, q, k, v, out)};
}

void run_attention(const AttentionCall& call, const AttentionResults& results) {
  if (num_elements(results.out.shape) == 0 && num_elements(results.lse.shape) == 0) return;
  constexpr int64_t kBytes = sizeof(float);
  const auto finish = [&](const AttentionBlock& block, const AttentionTask& task, int64_t first) {
    const AttentionSequence& sequence = call.sequences[static_cast<size_t>(task.sequence)];
    const int64_t row = sequence.first_query + first, head = task.kv_head * call.group();
    AttentionOutput result{.data = address(results.out, sequence.batch, row, head),
                           .query_stride = results.out.strides[1] * kBytes,
                           .head_stride = results.out.strides[2] * kBytes,
                           .channel_stride = results.out.strides[3] * kBytes};
    if (is_given(results.lse)) {
      result.lse = address(results.lse, sequence.batch, head, row);
      result.lse_query_stride = results.lse.strides[2] * kBytes;
      result.lse_head_stride = results.lse.strides[1] * kBytes;
    }
    attention_finish(block, result);
  };
  if (is_decode(call)) {
    return decode(call, [&](const AttentionBlock& block, const AttentionTask& task) {
      finish(block, task, 0);
    });
  }
  for_each_task(call, [&](AttentionWorker& worker, const AttentionTask& task) {
    worker.run(task,
               [&](const AttentionBlock& block, int64_t first) { finish(block, task, first); });
  });
}

void attend(const ConstTensorView& q, const ConstTensorView& k, const ConstTensorView& v,
            const TensorView& out, const AttentionOptions& options) {
  within_memory("attend", [&] {
    const AttentionCall call = checked_call(q, k, &v, options);
    run_attention(call, checked_results(q, k, v, out, options));
  });
}

void attention_scores(const ConstTensorView& q, const ConstTensorView& k, const TensorView& scores,
                      const AttentionOptions& options) {
  within_memory("attention_scores", [&] { all_scores(q, k, scores, options); });
}

}  // namespace ropewalk
