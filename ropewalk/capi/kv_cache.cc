#include "ropewalk/capi/kv_cache.h"

#include <algorithm>
#include <memory>
#include <span>

#include <fmt/format.h>

#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/attention/attend_cached.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/capi/attention_options.h"
#include "ropewalk/capi/handles.h"
#include "ropewalk/capi/options.h"
#include "ropewalk/capi/status.h"
#include "ropewalk/capi/tensors.h"

struct ropewalk_kv_cache {
  ropewalk::KvCache cells;
  ropewalk::RopeConfig rope;  // of none: no axes
};

namespace ropewalk::capi {
namespace {

constexpr ropewalk_kv_cache_options kCacheOptions = ROPEWALK_KV_CACHE_OPTIONS;
constexpr ropewalk_kv_tokens kTokens = ROPEWALK_KV_TOKENS;
constexpr ropewalk_kv_queries kQueries = ROPEWALK_KV_QUERIES;

KvCache& cells_of(ropewalk_kv_cache* cache) { return not_null(cache, "cache", "a cache").cells; }
const KvCache& cells_of(const ropewalk_kv_cache* cache) {
  return not_null(cache, "cache", "a cache").cells;
}

DType cell_dtype(int32_t number, const char* name) {
  switch (number) {
    case ROPEWALK_F32:
      return DType::f32;
    case ROPEWALK_BF16:
      return DType::bf16;
    case ROPEWALK_F16:
      return DType::f16;
    case ROPEWALK_I8:
      return DType::i8;
    default:
      refuse(
          fmt::format("{}: expected ROPEWALK_F32, ROPEWALK_BF16, ROPEWALK_F16 or ROPEWALK_I8, "
                      "found {:#x}",
                      name, number));
  }
}

void check_length_is_known(const ropewalk_rope& rope) {
  if (!rope.by_length) return;
  refuse(
      "rope: expected one with a seq_len, as its frequencies depend on the length of a sequence, "
      "found seq_len 0");
}

KvCacheConfig config_of(const ropewalk_rope* rope, const ropewalk_kv_cache_options& how) {
  KvCacheConfig config{.kv_heads = how.kv_heads,
                       .v_dim = how.v_dim,
                       .k_dtype = cell_dtype(how.k_dtype, "k_dtype"),
                       .v_dtype = cell_dtype(how.v_dtype, "v_dtype"),
                       .page_size = how.page_size};
  if (how.raw_k_dtype != 0) config.raw_k_dtype = cell_dtype(how.raw_k_dtype, "raw_k_dtype");
  config.layout.head_dim = how.head_dim;
  if (rope == nullptr) return config;
  check_length_is_known(*rope);
  const int64_t head_dim = rope->config.layout.head_dim;
  if (how.head_dim != 0 && how.head_dim != head_dim) {
    refuse(fmt::format("head_dim: expected 0, or the {} of the rope, found {}", head_dim,
                       how.head_dim));
  }
  config.layout = rope->config.layout;
  config.output_layout = rope->config.output_layout;
  config.spectrum = rope->spectrum;
  return config;
}

bool has(const KvCache& cells, int64_t sequence) {
  const std::vector<int64_t> known = cells.sequences();
  return std::ranges::binary_search(known, sequence);
}

PositionIds positions_in(const ropewalk_kv_cache& cache, const ropewalk_positions* positions,
                         int64_t count) {
  const PositionIds ids = positions_of(positions, count);
  const std::optional<Spectrum>& spectrum = cache.cells.config().spectrum;
  return spectrum ? planes_in_use(ids, cache.rope, *spectrum) : ids;
}

const RopeRows* rows_of(const ropewalk_rows* rows) {
  return rows == nullptr ? nullptr : &rows->rows;
}

int64_t first_dim(const ConstTensorView& view) { return view.shape.empty() ? 0 : view.shape[0]; }

// A tensor of a gathered sequence without an axis of 1, and where the caller wants it.
struct Gathered {
  ConstTensorView from;
  TensorView to;
  const char* name;
};

void add_gathered(std::vector<Gathered>& all, const Tensor& from, int axis,
                  const ropewalk_tensor* to, const char* name) {
  if (to == nullptr) return;
  const ConstTensorView view = from.view();
  if (view.shape.empty()) {
    refuse(fmt::format("{}: expected NULL of a cache that keeps none, found a tensor", name));
  }
  Dims shape;
  for (int i = 0; i < view.shape.size(); ++i) {
    if (i != axis) shape.push_back(view.shape[i]);
  }
  all.push_back({make_view(view.data, view.dtype, shape), view_of(to, name), name});
}

}  // namespace
}  // namespace ropewalk::capi

using namespace ropewalk::capi;

ropewalk_status ropewalk_make_kv_cache(const ropewalk_rope* rope,
                                       const ropewalk_kv_cache_options* options,
                                       ropewalk_kv_cache** cache) {
  return guarded([&] {
    ropewalk_kv_cache*& handle = out_handle(cache, "cache");
    const ropewalk_kv_cache_options how = required_options(options, kCacheOptions, "options");
    handle = std::make_unique<ropewalk_kv_cache>(
                 ropewalk_kv_cache{ropewalk::KvCache(config_of(rope, how)),
                                   rope == nullptr ? ropewalk::RopeConfig{} : rope->config})
                 .release();
  });
}

ropewalk_status ropewalk_copy_kv_cache(const ropewalk_kv_cache* cache, ropewalk_kv_cache** copy) {
  return guarded([&] {
    ropewalk_kv_cache*& handle = out_handle(copy, "copy");
    handle = std::make_unique<ropewalk_kv_cache>(not_null(cache, "cache", "a cache")).release();
  });
}

void ropewalk_free_kv_cache(ropewalk_kv_cache* cache) { delete cache; }

ropewalk_status ropewalk_kv_append(ropewalk_kv_cache* cache, int64_t sequence,
                                   const ropewalk_kv_tokens* tokens) {
  return guarded([&] {
    ropewalk::KvCache& cells = cells_of(cache);
    const ropewalk_kv_tokens given = required_options(tokens, kTokens, "tokens");
    ropewalk::KvTokens all{view_of(given.k, "k"), {}, rows_of(given.rows)};
    if (given.v != nullptr) all.v = view_of(given.v, "v");
    const int64_t next = has(cells, sequence) ? cells.length(sequence) : 0;
    cells.append(sequence,
                 given.positions == nullptr
                     ? ropewalk::positions_from(next)
                     : positions_in(*cache, given.positions, first_dim(all.k)),
                 all);
  });
}

ropewalk_status ropewalk_kv_attend(const ropewalk_kv_cache* cache, int64_t sequence,
                                   const ropewalk_kv_queries* queries, const ropewalk_tensor* out,
                                   const ropewalk_attention_options* options) {
  return guarded([&] {
    const ropewalk::KvCache& cells = cells_of(cache);
    const ropewalk_kv_queries given = required_options(queries, kQueries, "queries");
    ropewalk::KvQueries call{view_of(given.q, "q"), std::nullopt, rows_of(given.rows)};
    const int64_t count = first_dim(call.q);
    if (given.positions != nullptr) call.positions = positions_in(*cache, given.positions, count);
    const Attention how(options, count, cells.tokens(sequence), ROPEWALK_THD);
    ropewalk::attend_cached(cells, sequence, call, view_of(out, "out"), how.options);
  });
}

ropewalk_status ropewalk_kv_shift(ropewalk_kv_cache* cache, int64_t sequence,
                                  ropewalk_position_range range, const int64_t* deltas,
                                  int64_t count) {
  return guarded([&] {
    ropewalk::KvCache& cells = cells_of(cache);
    not_null(deltas, "deltas", "one number, or one for each axis");
    if (count < 1) refuse(fmt::format("count: expected at least 1, found {}", count));
    const ropewalk::PositionRange where{range.first, range.end};
    if (count == 1) return cells.shift(sequence, where, *deltas);
    cells.shift(sequence, where, std::span(deltas, static_cast<size_t>(count)));
  });
}

ropewalk_status ropewalk_kv_remove(ropewalk_kv_cache* cache, int64_t sequence,
                                   ropewalk_position_range range) {
  return guarded([&] { cells_of(cache).remove(sequence, {range.first, range.end}); });
}

ropewalk_status ropewalk_kv_evict(ropewalk_kv_cache* cache, int64_t sequence,
                                  ropewalk_position_range range) {
  return guarded([&] { cells_of(cache).evict(sequence, {range.first, range.end}); });
}

ropewalk_status ropewalk_kv_keep_ends(ropewalk_kv_cache* cache, int64_t sequence, int64_t sinks,
                                      int64_t recent) {
  return guarded([&] { cells_of(cache).keep_ends(sequence, sinks, recent); });
}

ropewalk_status ropewalk_kv_rerotate(ropewalk_kv_cache* cache, int64_t sequence,
                                     const ropewalk_rope* rope) {
  return guarded([&] {
    ropewalk::KvCache& cells = cells_of(cache);
    const ropewalk_rope& other = not_null(rope, "rope", "a rope");
    check_length_is_known(other);
    if (!(other.config.layout == cells.config().layout)) {
      refuse(
          fmt::format("rope: expected one that turns the channels of the cache's own, {} of {}, "
                      "found others, {} of {}",
                      2 * pair_count(cells.config().layout), cells.config().layout.head_dim,
                      2 * pair_count(other.config.layout), other.config.layout.head_dim));
    }
    cells.rerotate(sequence, other.spectrum);
  });
}

ropewalk_status ropewalk_kv_fork(ropewalk_kv_cache* cache, int64_t from, int64_t to) {
  return guarded([&] { cells_of(cache).copy(from, to); });
}

ropewalk_status ropewalk_kv_erase(ropewalk_kv_cache* cache, int64_t sequence) {
  return guarded([&] { cells_of(cache).erase(sequence); });
}

ropewalk_status ropewalk_kv_describe(const ropewalk_kv_cache* cache, int64_t sequence,
                                     ropewalk_kv_facts* facts) {
  return guarded([&] {
    const ropewalk::KvCache& cells = cells_of(cache);
    const bool is_there = has(cells, sequence);
    write_facts({.struct_size = 0,
                 .sequences = std::ssize(cells.sequences()),
                 .size_in_bytes = cells.size_in_bytes(),
                 .tokens = is_there ? cells.tokens(sequence) : 0,
                 .length = is_there ? cells.length(sequence) : 0},
                facts, "facts");
  });
}

ropewalk_status ropewalk_kv_gather(const ropewalk_kv_cache* cache, int64_t sequence,
                                   const ropewalk_tensor* k, const ropewalk_tensor* v,
                                   const ropewalk_tensor* positions) {
  return guarded([&] {
    const ropewalk::KvCache& cells = cells_of(cache);
    const auto wants_f32 = [](const ropewalk_tensor* to, const char* name) {
      return to == nullptr || view_of(to, name).dtype == ropewalk::DType::f32;
    };
    const bool f32 = wants_f32(k, "k") && wants_f32(v, "v");
    const ropewalk::KvTensors all = f32 ? cells.gather_f32(sequence) : cells.gather(sequence);
    std::vector<Gathered> wanted;
    add_gathered(wanted, all.k, 0, k, "k");
    add_gathered(wanted, all.v, 0, v, "v");
    add_gathered(wanted, all.positions, 1, positions, "positions");
    for (const auto& [from, to, name] : wanted) check_out(to, from.dtype, from.shape, name);
    for (const auto& [from, to, name] : wanted) write(from, to, name);
  });
}
