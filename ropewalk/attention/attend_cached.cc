#include "ropewalk/attention/attend_cached.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/attention/kv_cache_attend.h"
#include "ropewalk/attention/within_memory.h"
#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

// [1, tokens, heads, channels] without its first axis, and the first so many channels.
ConstTensorView sequence_of(const Tensor& tensor, int64_t channels) {
  const ConstTensorView all = tensor.view();
  return {all.data,
          all.dtype,
          {all.shape[1], all.shape[2], channels},
          {all.strides[1], all.strides[2], all.strides[3]}};
}

// The positions of all tokens, axis by axis.
std::vector<std::vector<int64_t>> positions_of_cells(const std::vector<KvPage>& pages) {
  std::vector<std::vector<int64_t>> axes;
  for (const KvPage& page : pages) {
    axes.resize(static_cast<size_t>(page.positions.shape[0]));
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      const auto* const from = static_cast<const int64_t*>(page.positions.data) +
                               static_cast<int64_t>(axis) * page.positions.strides[0];
      axes[axis].insert(axes[axis].end(), from, from + page.tokens);
    }
  }
  return axes;
}

// Those of the last `count` tokens, [axes, 1, count].
Tensor last_positions(const std::vector<std::vector<int64_t>>& axes, int64_t count) {
  Tensor last = make_tensor(DType::i64, {std::max<int64_t>(std::ssize(axes), 1), 1, count});
  std::byte* to = last.bytes.data();
  for (const std::vector<int64_t>& axis : axes) {
    std::memcpy(to, axis.data() + axis.size() - count, static_cast<size_t>(count) * 8);
    to += count * 8;
  }
  return last;
}

std::vector<int64_t> list_of(const PositionIds& positions, int64_t count) {
  const PositionReader reader(positions, 1, count, 1);
  std::vector<int64_t> list;
  for (int64_t i = 0; i < count; ++i) list.push_back(reader.at(0, 0, i));
  return list;
}

// Those that options name; none where they do not.
std::vector<int64_t> named_queries(const AttentionOptions& options, int64_t count) {
  std::vector<int64_t> list(options.query_tokens.begin(), options.query_tokens.end());
  for (int64_t i = 0; options.first_query && i < count; ++i) {
    list.push_back(*options.first_query + i);
  }
  return list;
}

bool is_run(const std::vector<int64_t>& tokens) {
  for (size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i] - tokens[0] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// The tokens of queries and keys, by their positions.
struct Tokens {
  std::vector<int64_t> queries, keys;

  // Attention counts tokens up to 2^30, and only chunks and prefixes count them from 0: the others
  // are counted from the first key.
  void place(AttentionOptions& options) {
    const bool from_zero = options.chunk > 0 || !options.prefix.empty();
    const int64_t base = from_zero || keys.empty() ? 0 : keys.front();
    for (std::vector<int64_t>* list : {&queries, &keys}) {
      for (int64_t& token : *list) token -= base;
    }
    // Keys in order need no list, which a call would have to sort.
    if (keys.empty() || keys.front() != 0 || !is_run(keys)) options.key_tokens = keys;
    if (!queries.empty() && is_run(queries)) {
      options.first_query = queries.front();
    } else {
      options.query_tokens = queries;
    }
  }
};

void check_queries(const KvCache& cache, const KvQueries& queries, int64_t keys,
                   const AttentionOptions& options) {
  const ConstTensorView& q = queries.q;
  check_view(q, "q");
  const int64_t head_dim = cache.config().layout.head_dim;
  if (q.shape.size() != 3 || q.shape[2] != head_dim) {
    fail(fmt::format("q: expected [tokens, heads, {}], found {}", head_dim, to_string(q.shape)));
  }
  if (!queries.positions && q.shape[0] > keys) {
    fail(
        fmt::format("q: expected at most the {} tokens of the sequence without positions, found {}",
                    keys, to_string(q.shape)));
  }
  if (options.rotation.q_rows != nullptr || options.rotation.k_rows != nullptr) {
    fail("rotation: expected none on a cache, whose keys are rotated, found rows");
  }
  if (!options.query_starts.empty() || !options.key_starts.empty()) {
    fail("query_starts: expected none on one sequence of a cache, found a list");
  }
}

// Of the cache's rotation, in the type of q; `x` itself where nothing is rotated.
ConstTensorView rotated(const KvCache& cache, int64_t sequence, const KvQueries& queries,
                        const PositionIds& positions, Tensor& memory) {
  const Spectrum* const spectrum = cache.spectrum(sequence);
  if (spectrum == nullptr) {
    if (queries.rows != nullptr)
      fail("rows: expected none in a cache that does not rotate, found rows");
    return queries.q;
  }
  const KvCacheConfig& config = cache.config();
  memory = make_tensor(queries.q.dtype, queries.q.shape);
  const Rotated to{queries.q, memory.view()};
  const RopeOptions options{.output_layout = config.output_layout};
  if (queries.rows != nullptr) {
    if (!may_be_rows_of(*queries.rows, *spectrum, positions, queries.q.shape[0])) {
      fail(
          "rows: expected those of the spectrum of the sequence at the positions of the queries, "
          "found rows of others");
    }
    apply_rope(*queries.rows, config.layout, to, std::nullopt, options);
  } else {
    apply_rope(*spectrum, config.layout, positions, to, std::nullopt, options);
  }
  return std::as_const(memory).view();
}

// The first channels of k in the place of values: of a copy.
void attend_keys(const KvCache& cache, int64_t sequence, const ConstTensorView& q,
                 const TensorView& out, const AttentionOptions& options) {
  const int64_t head_dim = cache.config().layout.head_dim, width = out.shape.back();
  if (width > head_dim) {
    fail(fmt::format("out: expected at most the {} channels of k as values, found {}", head_dim,
                     to_string(out.shape)));
  }
  const Tensor k = cache.gather(sequence).k;
  attend(q, sequence_of(k, head_dim), sequence_of(k, width), out, options);
}

void attend_rotated(const KvCache& cache, int64_t sequence, const KvQueries& queries,
                    const TensorView& out, AttentionOptions options) {
  const auto cells = positions_of_cells(cache.pages(sequence));
  const int64_t count = queries.q.shape[0];
  Tensor last;
  if (!queries.positions) last = last_positions(cells, count);
  const PositionIds positions =
      queries.positions ? *queries.positions : positions_of(std::as_const(last).view());
  Tokens tokens;
  if (cells.size() <= 1 && options.key_tokens.empty()) {
    tokens.queries = named_queries(options, count);
    if (tokens.queries.empty()) tokens.queries = list_of(positions, count);
    if (!cells.empty()) tokens.keys = cells.front();
    tokens.place(options);
  }
  options.tensor_layout = TensorLayout::thd;
  Tensor memory;
  const ConstTensorView q = rotated(cache, sequence, queries, positions, memory);
  if (cache.config().v_dim > 0) return attend(q, cache, sequence, out, options);
  attend_keys(cache, sequence, q, out, options);
}

}  // namespace

void attend_cached(const KvCache& cache, int64_t sequence, const KvQueries& queries,
                   const TensorView& out, const AttentionOptions& options) {
  check_queries(cache, queries, cache.tokens(sequence), options);
  if (out.shape.size() != 3) {
    fail(fmt::format("out: expected [tokens, heads, channels], found {}", to_string(out.shape)));
  }
  within_memory("attend", [&] { attend_rotated(cache, sequence, queries, out, options); });
}

}  // namespace ropewalk
