#include "ropewalk/attention/attention_decode.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "ropewalk/attention/aligned_floats.h"
#include "ropewalk/base/parallel_for.h"

namespace ropewalk {
namespace {

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
  block.bf16_products = multiplies_bf16(call) && block.head_dim % kDecodePairs == 0 &&
                        block.value_dim % kDecodePairs == 0;
  block.memory = memory;
  return block;
}

// Part number `number` of the keys of some heads of one sequence.
struct Part {
  std::span<const Query> queries;  // of these heads
  int64_t number;
};

// Heads that meet their keys together: those of a key lie side by side. Fewer where there would be
// too little work for the threads, one where each head's keys are rotated first.
int64_t heads_at_once(const AttentionCall& call, int64_t parts, const Parallel& parallel) {
  if (call.options.rotation.k_rows != nullptr) return 1;
  const int64_t threads = thread_count(parallel);
  const int64_t wanted = threads == 1 ? 1 : 4 * threads;
  return std::clamp<int64_t>(parts / wanted, 1, std::min(call.kv_heads, kDecodeHeads));
}

// Queries of one sequence see the same keys. Heads of the same keys one after the other: they lie
// in the same pages.
std::vector<Part> parts_of(std::span<const Query> queries, int64_t heads_at_once) {
  std::vector<Part> parts;
  for (size_t first = 0; first < queries.size();) {
    size_t count = 1;
    while (first + count < queries.size() && count < static_cast<size_t>(heads_at_once) &&
           queries[first + count].task.sequence == queries[first].task.sequence) {
      ++count;
    }
    const std::span<const Query> together = queries.subspan(first, count);
    for (int64_t p = 0; p < together.front().parts; ++p) parts.push_back({together, p});
    first += count;
  }
  std::ranges::stable_sort(parts, {}, [](const Part& part) {
    return std::pair(part.queries.front().task.sequence, part.number);
  });
  return parts;
}

// `memory(query)`: where the state of this part of a query is.
template <typename Memory>
void meet_part(const AttentionCall& call, const Part& part, Memory memory) {
  const Query& one = part.queries.front();
  const AttentionSequence& sequence = call.sequences[static_cast<size_t>(one.task.sequence)];
  AttentionReader reader(call);
  std::array<AttentionBlock, kDecodeHeads> blocks;
  for (size_t h = 0; h < part.queries.size(); ++h) {
    const Query& query = part.queries[h];
    blocks[h] = block_of(call, query, memory(query));
    attention_start(blocks[h], reader.queries(sequence, query.task.kv_head, 0, 1));
  }
  const bool rotated = call.options.rotation.k_rows != nullptr;
  const int64_t at_once = rotated ? kAttentionKeys : kPartKeys;
  const int64_t from = (one.begin / kPartKeys + part.number) * kPartKeys;
  const int64_t end = std::min(one.end, from + kPartKeys);
  for (int64_t at = from; at < end; at += at_once) {
    const int64_t first = std::max(at, one.begin), last = std::min(at + at_once, end);
    if (first >= last) continue;
    attention_meet_one(blocks.data(), std::ssize(part.queries),
                       reader.keys(sequence, one.task.kv_head, first, last - first));
  }
}

}  // namespace

bool is_decode(const AttentionCall& call) {
  return std::ranges::all_of(call.sequences,
                             [](const AttentionSequence& s) { return s.queries <= 1; }) &&
         call.group() <= kDecodeRows && !is_given(call.options.mask) && is_packed(call.k) &&
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
  int64_t all_parts = 0;
  for (const Query& query : queries) all_parts += query.parts;
  const int64_t at_once = heads_at_once(call, all_parts, parallel);
  for (size_t first = 0; first < queries.size();) {
    size_t end = first;
    int64_t used = 0;
    for (; end < queries.size(); ++end) {
      Query& query = queries[end];
      if (used > 0 && (used + query.parts) * floats > kMostFloats) break;
      query.first_part = used;
      used += query.parts;
    }
    memory.reserve(used * floats);
    const auto at = [&](const Query& query, int64_t part) {
      return memory.data() + (query.first_part + part) * floats;
    };
    const std::vector<Part> parts =
        parts_of(std::span(queries).subspan(first, end - first), at_once);
    parallel_for(parallel, std::ssize(parts), [&](int64_t i) {
      const Part& part = parts[static_cast<size_t>(i)];
      meet_part(call, part, [&](const Query& query) { return at(query, part.number); });
    });
    for (; first < end; ++first) {
      const Query& query = queries[first];
      const AttentionBlock all = block_of(call, query, at(query, 0));
      for (int64_t p = 1; p < query.parts; ++p) {
        attention_merge(all, block_of(call, query, at(query, p)));
      }
      finish(all, query.task);
    }
  }
}

}  // namespace ropewalk
