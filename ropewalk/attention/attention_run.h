#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "ropewalk/attention/aligned_floats.h"
#include "ropewalk/attention/attention_rows.h"

namespace ropewalk {

// Queries of one sequence and the heads that share one key head, which meet each key together.
struct AttentionTask {
  int64_t sequence = 0, kv_head = 0, first = 0, queries = 0;
};

// The tasks of a call, those with most keys first where it is causal. How it is cut changes no bit.
std::vector<AttentionTask> attention_tasks(const AttentionCall& call);

// How the scores of a task's heads are made.
AttentionScoring attention_scoring(const AttentionCall& call, const AttentionTask& task);

// What one thread works with; kept from task to task.
class AttentionWorker {
 public:
  // bf16_products: whether bf16 may be multiplied as such.
  explicit AttentionWorker(const AttentionCall& call, bool bf16_products = true);

  // Queries of the task meet the keys; then `finish` is called for each block of them, with the
  // number of its first query.
  using Finish = std::function<void(const AttentionBlock& block, int64_t first)>;
  void run(const AttentionTask& task, const Finish& finish);

  // As run, but `each` gets every block with the packed keys that some of its queries see.
  using Each =
      std::function<void(const AttentionBlock& block, const AttentionKeys& keys, int64_t first)>;
  void run_each(const AttentionTask& task, const Each& each);

 private:
  struct Block {
    AttentionBlock block;
    int64_t first = 0;           // its first query
    int64_t begin = 0, end = 0;  // keys that some of its queries see
  };
  void start(const AttentionTask& task);
  void pack(const AttentionTask& task, int64_t first, int64_t end);

  const AttentionCall& call_;
  AttentionReader reader_;
  AttentionBlock shape_;
  AttentionScoring scoring_;
  int64_t block_floats_ = 0, key_floats_ = 0;
  AlignedFloats memory_;
  std::vector<int64_t> begin_, end_, tokens_, mask_rows_;
  std::vector<Block> blocks_;
  std::vector<AttentionKeys> keys_;
};

// Workers that are kept while a call lasts: as many as run at once.
class AttentionWorkers {
 public:
  explicit AttentionWorkers(const AttentionCall& call) : call_(call) {}

  template <typename Work>
  void with(Work work) {
    std::unique_ptr<AttentionWorker> worker = take();
    work(*worker);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

 private:
  std::unique_ptr<AttentionWorker> take();

  const AttentionCall& call_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<AttentionWorker>> idle_;
};

// Whether q, k and v are bf16 and this machine multiplies pairs of such.
bool multiplies_bf16(const AttentionCall& call);

// Whether a call is too small to wake another thread.
bool is_small(const AttentionCall& call);

}  // namespace ropewalk
