#include "ropewalk/attention/attention_decode.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ropewalk/attention/aligned_floats.h"
#include "ropewalk/base/parallel_for.h"

namespace ropewalk {
namespace {

// Heads of a group beyond which packed keys are faster than keys read where they lie.
constexpr int64_t kMostHeads = 8;

// Keys that one thread takes in a row.
constexpr int64_t kPartKeys = 1024;

// Floats of the parts that are at work at once: 16 MB.
constexpr int64_t kMostFloats = int64_t{1} << 22;

// One query of the heads that share a key head.
struct Query {
  AttentionTask task;
  AttentionScoring scoring;
  int64_t begin = 0, end = 0, token = 0, mask_row = 0;
  int64_t first_part = 0, parts = 1;  // of those at work
};

bool is_packed(const ConstTensorView& x) { return x.shape[3] <= 1 || x.strides[3] == 1; }

std::vector<Query> queries_of(const AttentionCall& call) {
  std::vector<Query> queries;
  for (int64_t s = 0; s < std::ssize(call.sequences); ++s) {
    const AttentionSequence& sequence = call.sequences[static_cast<size_t>(s)];
    for (int64_t head = 0; sequence.queries > 0 && head < call.kv_heads; ++head) {
      Query query;
      query.task = {s, head, 0, 1};
      query.scoring = attention_scoring(call, query.task);
      const AttentionCall::Seen seen = call.seen(s, 0);
      query.begin = seen.begin;
      query.end = seen.end;
      query.token = call.query_token(sequence, 0);
      const int64_t first = seen.begin / kPartKeys;
      query.parts = std::max<int64_t>(1, (seen.end + kPartKeys - 1) / kPartKeys - first);
      queries.push_back(query);
    }
  }
  return queries;
}

AttentionBlock block_of(const AttentionCall& call, const Query& query, float* memory) {
  AttentionBlock block{.scoring = &query.scoring, .queries = 1, .group = call.group()};
  block.head_dim = call.q.shape[3];
  block.value_dim = call.v.shape[3];
  block.begin = &query.begin;
  block.end = &query.end;
  block.tokens = &query.token;
  block.mask_rows = &query.mask_row;
  block.memory = memory;
  return block;
}

// Part number `part` of a query's keys.
void meet_part(const AttentionCall& call, const Query& query, int64_t part,
               const AttentionBlock& block) {
  const AttentionSequence& sequence = call.sequences[static_cast<size_t>(query.task.sequence)];
  AttentionReader reader(call);
  attention_start(block, reader.queries(sequence, query.task.kv_head, 0, 1));
  const int64_t from = (query.begin / kPartKeys + part) * kPartKeys;
  const int64_t end = std::min(query.end, from + kPartKeys);
  for (int64_t at = from; at < end; at += kAttentionKeys) {
    const int64_t first = std::max(at, query.begin), last = std::min(at + kAttentionKeys, end);
    if (first >= last) continue;
    attention_meet_one(block, reader.keys(sequence, query.task.kv_head, first, last - first));
  }
}

}  // namespace

bool is_decode(const AttentionCall& call) {
  return std::ranges::all_of(call.sequences,
                             [](const AttentionSequence& s) { return s.queries <= 1; }) &&
         call.group() <= kMostHeads && !is_given(call.options.mask) && is_packed(call.k) &&
         is_packed(call.v);
}

void decode(
    const AttentionCall& call,
    const std::function<void(const AttentionBlock& block, const AttentionTask& task)>& finish) {
  std::vector<Query> queries = queries_of(call);
  if (queries.empty()) return;
  const Parallel parallel = is_small(call) ? Parallel{1, {}} : call.options.parallel;
  const int64_t floats = attention_memory(block_of(call, queries.front(), nullptr));
  AlignedFloats memory;
  struct Part {
    const Query* query;
    int64_t number;
  };
  for (size_t first = 0; first < queries.size();) {
    std::vector<Part> parts;
    size_t end = first;
    for (; end < queries.size(); ++end) {
      Query& query = queries[end];
      const auto used = static_cast<int64_t>(parts.size());
      if (used > 0 && (used + query.parts) * floats > kMostFloats) break;
      query.first_part = used;
      for (int64_t p = 0; p < query.parts; ++p) parts.push_back({&query, p});
    }
    memory.reserve(std::ssize(parts) * floats);
    const auto at = [&](int64_t part) { return memory.data() + part * floats; };
    // Heads of the same keys one after the other: they lie in the same pages.
    std::ranges::stable_sort(parts, {}, [](const Part& part) {
      return std::pair(part.query->task.sequence, part.number);
    });
    parallel_for(parallel, std::ssize(parts), [&](int64_t i) {
      const Part& part = parts[static_cast<size_t>(i)];
      const Query& query = *part.query;
      meet_part(call, query, part.number,
                block_of(call, query, at(query.first_part + part.number)));
    });
    for (; first < end; ++first) {
      const Query& query = queries[first];
      const AttentionBlock all = block_of(call, query, at(query.first_part));
      for (int64_t p = 1; p < query.parts; ++p) {
        attention_merge(all, block_of(call, query, at(query.first_part + p)));
      }
      finish(all, query.task);
    }
  }
}

}  // namespace ropewalk
