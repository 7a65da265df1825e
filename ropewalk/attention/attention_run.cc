#include "ropewalk/attention/attention_run.h"

#include <algorithm>
#include <limits>

#include "ropewalk/base/parallel_for.h"

namespace ropewalk {
namespace {

// Products of q and k below which handing work to another thread costs more than it saves.
constexpr double kSmallWork = 1 << 16;

// Rows of a block of queries: they, their sums and a block of keys fit the second cache.
constexpr int64_t kRows = 264;

// Rows of a task: a key is packed, and rotated, once for so many.
constexpr int64_t kTaskRows = 8 * kRows;

// Blocks of keys that are packed before the queries meet them.
constexpr int64_t kKeyBlocks = 2;

int64_t queries_of_block(const AttentionCall& call) {
  // Wide heads: as many numbers as kRows rows of 128 + 128 channels.
  const int64_t width = call.q.shape[3] + (call.v.shape.empty() ? 0 : call.v.shape[3]);
  const int64_t rows = std::min<int64_t>(kRows, kRows * 256 / std::max<int64_t>(width, 256));
  return std::max<int64_t>(1, rows / std::max<int64_t>(call.group(), 1));
}

BiasOf bias_of(AlibiForm form) {
  if (form == AlibiForm::key_position) return BiasOf::rank;
  return form == AlibiForm::symmetric ? BiasOf::nearness : BiasOf::distance;
}

}  // namespace

AttentionScoring attention_scoring(const AttentionCall& call, const AttentionTask& task) {
  const AttentionOptions& options = call.options;
  AttentionScoring how;
  how.scale = call.scale;
  how.softcap = static_cast<float>(options.softcap);
  how.bias_of = bias_of(options.alibi_form);
  how.bias_in_bf16 = options.alibi_bf16;
  how.bias_scale = static_cast<float>(options.alibi_scale);
  how.bias_reach = options.bias_reach;
  const int64_t head = task.kv_head * call.group();
  const auto from = [&](std::span<const float> list, int64_t each) {
    return list.empty() ? nullptr : list.data() + head * each;
  };
  how.slopes = from(options.alibi_slopes, 1);
  how.sinks = from(options.sinks, 1);
  how.distance_bias = from(options.distance_bias, 2 * options.bias_reach + 1);
  const ConstTensorView& mask = options.mask;
  if (!is_given(mask)) return how;
  const auto bytes = static_cast<int64_t>(size_in_bytes(mask.dtype));
  const int64_t batch = call.sequences[static_cast<size_t>(task.sequence)].batch;
  const auto stride = [&](int axis) {
    return mask.shape[axis] == 1 ? 0 : mask.strides[axis] * bytes;
  };
  how.mask = {.data = static_cast<const char*>(mask.data) + batch * stride(0) + head * stride(1),
              .dtype = mask.dtype,
              .head_stride = stride(1),
              .query_stride = mask.strides[2] * bytes,
              .key_stride = mask.strides[3] * bytes};
  return how;
}

bool multiplies_bf16(const AttentionCall& call) {
  const auto is_bf16 = [](const ConstTensorView& x) { return x.dtype == DType::bf16; };
  return is_bf16(call.q) && is_bf16(call.k) && (call.v.shape.empty() || is_bf16(call.v)) &&
         attention_bf16_products();
}

bool is_small(const AttentionCall& call) {
  const double work = static_cast<double>(call.batch * call.heads * call.queries) *
                      static_cast<double>(call.keys) * static_cast<double>(call.q.shape[3]);
  return work < kSmallWork;
}

std::vector<AttentionTask> attention_tasks(const AttentionCall& call) {
  const int64_t block = queries_of_block(call);
  int64_t blocks = 0;
  for (const AttentionSequence& sequence : call.sequences) {
    blocks += (sequence.queries + block - 1) / block * call.kv_heads;
  }
  // Four tasks a thread at the least, so that none waits long for another.
  const int64_t wanted = 4 * thread_count(call.options.parallel);
  const int64_t each = block * std::clamp<int64_t>(blocks / wanted, 1, kTaskRows / kRows);
  std::vector<AttentionTask> tasks;
  for (int64_t s = 0; s < std::ssize(call.sequences); ++s) {
    const int64_t queries = call.sequences[static_cast<size_t>(s)].queries;
    for (int64_t head = 0; head < call.kv_heads; ++head) {
      for (int64_t first = 0; first < queries; first += each) {
        tasks.push_back({s, head, first, std::min(each, queries - first)});
      }
    }
  }
  std::ranges::stable_sort(tasks, std::ranges::greater(), &AttentionTask::first);
  return tasks;
}

AttentionWorker::AttentionWorker(const AttentionCall& call, bool bf16_products)
    : call_(call), reader_(call), scoring_{} {
  shape_.scoring = &scoring_;
  shape_.group = call.group();
  shape_.head_dim = call.q.shape[3];
  shape_.value_dim = call.v.shape.empty() ? 0 : call.v.shape[3];
  shape_.bf16_products = bf16_products && multiplies_bf16(call);
  shape_.queries = queries_of_block(call);
  block_floats_ = attention_memory(shape_);
  key_floats_ = attention_key_memory(shape_);
}

void AttentionWorker::start(const AttentionTask& task) {
  const AttentionSequence& sequence = call_.sequences[static_cast<size_t>(task.sequence)];
  scoring_ = attention_scoring(call_, task);
  const auto count = static_cast<size_t>(task.queries);
  for (auto* list : {&begin_, &end_, &tokens_, &mask_rows_}) list->resize(count);
  for (int64_t i = 0; i < task.queries; ++i) {
    const auto at = static_cast<size_t>(i);
    const AttentionCall::Seen seen = call_.seen(task.sequence, task.first + i);
    begin_[at] = seen.begin;
    end_[at] = seen.end;
    tokens_[at] = call_.query_token(sequence, task.first + i);
    mask_rows_[at] = task.first + i;
  }
  const int64_t each = shape_.queries, blocks = (task.queries + each - 1) / each;
  const int64_t needed = blocks * block_floats_ + kKeyBlocks * key_floats_;
  memory_.reserve(needed);
  blocks_.clear();
  for (int64_t b = 0; b < blocks; ++b) {
    const int64_t from = b * each;
    Block one{.block = shape_, .first = task.first + from};
    one.block.queries = std::min(each, task.queries - from);
    one.block.begin = begin_.data() + from;
    one.block.end = end_.data() + from;
    one.block.tokens = tokens_.data() + from;
    one.block.mask_rows = mask_rows_.data() + from;
    one.block.memory = memory_.data() + kKeyBlocks * key_floats_ + b * block_floats_;
    one.begin = std::numeric_limits<int64_t>::max();
    for (int64_t i = 0; i < one.block.queries; ++i) {
      if (one.block.begin[i] >= one.block.end[i]) continue;
      one.begin = std::min(one.begin, one.block.begin[i]);
      one.end = std::max(one.end, one.block.end[i]);
    }
    attention_start(one.block,
                    reader_.queries(sequence, task.kv_head, one.first, one.block.queries));
    blocks_.push_back(one);
  }
}

// Those of the next blocks of keys that some query sees.
void AttentionWorker::pack(const AttentionTask& task, int64_t first, int64_t end) {
  const AttentionSequence& sequence = call_.sequences[static_cast<size_t>(task.sequence)];
  keys_.clear();
  const int64_t all = call_.keys_of(sequence);
  for (; first < end && std::ssize(keys_) < kKeyBlocks; first += kAttentionKeys) {
    const bool seen = std::ranges::any_of(
        blocks_, [&](const Block& b) { return b.begin < first + kAttentionKeys && b.end > first; });
    if (!seen) continue;
    AttentionKeys keys =
        reader_.keys(sequence, task.kv_head, first, std::min(kAttentionKeys, all - first));
    keys.memory = memory_.data() + std::ssize(keys_) * key_floats_;
    attention_pack(shape_, keys);
    keys_.push_back(keys);
  }
}

void AttentionWorker::run_each(const AttentionTask& task, const Each& each) {
  start(task);
  int64_t first = std::numeric_limits<int64_t>::max(), end = 0;
  for (const Block& b : blocks_) {
    first = std::min(first, b.begin);
    end = std::max(end, b.end);
  }
  for (first = first / kAttentionKeys * kAttentionKeys; first < end;) {
    pack(task, first, end);
    if (keys_.empty()) break;
    for (const Block& b : blocks_) {
      for (const AttentionKeys& keys : keys_) {
        if (b.begin < keys.first + keys.count && b.end > keys.first) each(b.block, keys, b.first);
      }
    }
    first = keys_.back().first + kAttentionKeys;
  }
}

void AttentionWorker::run(const AttentionTask& task, const Finish& finish) {
  run_each(task, [](const AttentionBlock& block, const AttentionKeys& keys, int64_t) {
    attention_meet(block, keys);
  });
  for (const Block& b : blocks_) finish(b.block, b.first);
}

std::unique_ptr<AttentionWorker> AttentionWorkers::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<AttentionWorker> worker = std::move(idle_.back());
      idle_.pop_back();
      return worker;
    }
  }
  return std::make_unique<AttentionWorker>(call_);
}

}  // namespace ropewalk
