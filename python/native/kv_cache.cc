// ropewalk.KVCache: made, filled, attended.
#include "python/native/kv_cache.h"

#include <algorithm>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>

#include "python/native/arguments.h"
#include "python/native/attention_call.h"
#include "python/native/kv_cache_docs.h"
#include "python/native/rotate.h"
#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/attention/attend_cached.h"

namespace ropewalk::python {
namespace {

// float32, float16, bfloat16 or int8, of NumPy or torch too.
DType cell_dtype(nb::handle object, const char* what) {
  const std::string text =
      utf8(nb::hasattr(object, "__name__") ? object.attr("__name__") : nb::borrow(object));
  for (const DType known : {DType::f32, DType::f16, DType::bf16, DType::i8}) {
    const std::string name = array_name(known);
    if (text == name || text == "torch." + name) return known;
  }
  fail(fmt::format("{}: expected float32, float16, bfloat16 or int8, found {}", what,
                   escaped(text)));
}

// What a cache is made of, as Python gives it.
struct Made {
  nb::handle rope, dtype, k_dtype, v_dtype, raw_k_dtype;
  std::optional<int64_t> kv_heads, head_dim, v_dim;
  int64_t page_size;
};

void take_rope(KvCacheConfig& config, const Made& made) {
  if (!nb::isinstance<Rope>(made.rope)) {
    fail(fmt::format("rope: expected a ropewalk.Rope, or None where keys are not rotated, found {}",
                     nb::type_name(made.rope.type()).c_str()));
  }
  const Rope& rope = nb::cast<const Rope&>(made.rope);
  if (rope.by_length) {
    fail(
        "rope: expected one with a seq_len, as its frequencies depend on the length of a "
        "sequence, found none; rerotate a sequence that grows past it");
  }
  const int64_t head_dim = rope.config.layout.head_dim;
  if (made.head_dim.value_or(head_dim) != head_dim) {
    fail(fmt::format("head_dim: expected the {} of rope, found {}", head_dim, *made.head_dim));
  }
  config.layout = rope.config.layout;
  config.output_layout = rope.config.output_layout;
  config.spectrum = rope.spectrum;
}

KvCacheConfig config_of(const Made& made) {
  KvCacheConfig config;
  if (!made.rope.is_none()) {
    take_rope(config, made);
  } else if (made.head_dim) {
    config.layout.head_dim = *made.head_dim;
  } else {
    fail("head_dim: expected the channels of a key, as there is no rope, found none");
  }
  const int64_t known = made.rope.is_none() ? 0 : nb::cast<const Rope&>(made.rope).heads.kv_heads;
  if (!made.kv_heads && known == 0) {
    fail("kv_heads: expected how many heads k has, found none; rope does not know it");
  }
  config.kv_heads = made.kv_heads.value_or(known);
  config.v_dim = made.v_dim.value_or(config.layout.head_dim);
  const DType both = cell_dtype(made.dtype, "dtype");
  config.k_dtype = made.k_dtype.is_none() ? both : cell_dtype(made.k_dtype, "k_dtype");
  config.v_dtype = made.v_dtype.is_none() ? both : cell_dtype(made.v_dtype, "v_dtype");
  if (!made.raw_k_dtype.is_none()) config.raw_k_dtype = cell_dtype(made.raw_k_dtype, "raw_k_dtype");
  config.page_size = made.page_size;
  return config;
}

const RopeRows* rows_of(nb::handle object) {
  if (object.is_none()) return nullptr;
  if (!nb::isinstance<Rows>(object)) {
    fail(fmt::format("rows: expected a ropewalk.Rows of Rope.rows(position_ids), found {}",
                     nb::type_name(object.type()).c_str()));
  }
  return &nb::cast<const Rows&>(object).rows;
}

// The position after the last of a sequence; 0 of one that is not there yet.
int64_t next_position(const KvCache& cells, int64_t sequence) {
  const std::vector<int64_t> known = cells.sequences();
  return std::ranges::binary_search(known, sequence) ? cells.length(sequence) : 0;
}

// Without planes of axes that turn no pair.
PositionIds ids_in(const Cache& cache, const Positions& positions) {
  if (!cache.rope) return positions.ids();
  return planes_in_use(positions.ids(), cache.rope->config, cache.rope->spectrum);
}

void append(Cache& cache, nb::handle k_array, nb::handle v_array, nb::handle position_ids,
            nb::handle number, nb::handle rows) {
  const int64_t sequence = integer(number, "sequence");
  const Array k(k_array, "k");
  std::optional<Array> v;
  if (!v_array.is_none()) v.emplace(v_array, "v");
  std::optional<Positions> positions;
  if (!position_ids.is_none()) positions.emplace(position_ids);
  KvTokens tokens{k.in(), v ? v->in() : ConstTensorView{}, rows_of(rows)};
  try {
    cache.write([&](KvCache& cells) {
      cells.append(
          sequence,
          positions ? ids_in(cache, *positions) : positions_from(next_position(cells, sequence)),
          tokens);
    });
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}; k is {}{}", error.what(), in_words(k.in()),
                                          v ? ", v " + in_words(v->in()) : ""));
  }
}

struct Queries {
  nb::handle q, position_ids, rows;
  int64_t sequence;
  std::optional<int64_t> v_dim;
};

nb::object attend(const Cache& cache, const Queries& given, const nb::kwargs& keywords) {
  AttentionKeywords how({"attend", kResult}, keywords, {.causal = true});
  const Array q(given.q, "q");
  std::optional<Positions> positions;
  if (!given.position_ids.is_none()) positions.emplace(given.position_ids);
  KvQueries queries{q.in(), std::nullopt, rows_of(given.rows)};
  if (positions) queries.positions = ids_in(cache, *positions);
  const KvCacheConfig& config = cache.cells.config();
  Dims shape = q.in().shape;
  if (shape.size() != 3) {
    fail(fmt::format("q: expected [tokens, heads, {}], found {}", config.layout.head_dim,
                     in_words(q.in())));
  }
  const Heads checked(given.q, nb::none(), TensorLayout::thd,
                      cache.rope ? cache.rope->heads : Layer{});
  const int64_t width = config.v_dim > 0 ? config.v_dim : config.layout.head_dim;
  if (config.v_dim > 0 && given.v_dim.value_or(width) != width) {
    fail(fmt::format("v_dim: expected the {} channels of the values of the cache, found {}", width,
                     *given.v_dim));
  }
  const int64_t keys =
      cache.read([&](const KvCache& cells) { return cells.tokens(given.sequence); });
  how.broadcast_mask({1, shape[1], shape[0], keys});
  Tensor lse;
  if (how.return_lse) {
    lse = make_tensor(DType::f32, {shape[1], shape[0]});
    how.options.lse = lse.view();
  }
  shape[2] = given.v_dim.value_or(width);
  Result out(how.out, "out", shape);
  const TensorView to = out.view();
  try {
    cache.read([&](const KvCache& cells) {
      attend_cached(cells, given.sequence, queries, to, how.options);
    });
  } catch (const Error& error) {
    throw Error(error.code(), in_keywords(error.what()) + "; q is " + in_words(q.in()));
  }
  nb::object result = out.array(given.q);
  return how.return_lse ? nb::make_tuple(result, array_from(std::move(lse), given.q)) : result;
}

void bind_constructor(nb::class_<Cache>& cache) {
  using nb::arg;
  cache.def(
      "__init__",
      [](Cache* self, nb::handle rope, nb::handle kv_heads, nb::handle head_dim, nb::handle v_dim,
         nb::handle dtype, nb::handle k_dtype, nb::handle v_dtype, nb::handle raw_k_dtype,
         nb::handle page_size) {
        std::optional<Rope> of_keys;
        if (nb::isinstance<Rope>(rope)) of_keys = nb::cast<const Rope&>(rope);
        new (self) Cache(
            config_of({rope, dtype, k_dtype, v_dtype, raw_k_dtype,
                       integer_or_none(kv_heads, "kv_heads"), integer_or_none(head_dim, "head_dim"),
                       integer_or_none(v_dim, "v_dim"), integer(page_size, "page_size")}),
            std::move(of_keys));
      },
      arg("rope").none() = nb::none(), nb::kw_only(), arg("kv_heads").none() = nb::none(),
      arg("head_dim").none() = nb::none(), arg("v_dim").none() = nb::none(),
      arg("dtype").none() = "bfloat16", arg("k_dtype").none() = nb::none(),
      arg("v_dtype").none() = nb::none(), arg("raw_k_dtype").none() = nb::none(),
      arg("page_size").none() = 64, nb::sig(docs::kCacheInitSig));
  // As define does for other functions.
  cache.def(
      "__init__",
      [](nb::handle, const nb::args& given, const nb::kwargs& keywords) {
        refuse_call(docs::kCacheInitSig, "KVCache", given.size(), keywords);
      },
      nb::sig("def __init__(...)"));
}

}  // namespace

void bind_kv_cache(nb::module_& m) {
  using nb::arg;
  nb::class_<Cache> cache(m, "KVCache", docs::kCache);
  bind_constructor(cache);
  define(cache, docs::kAppendSig, append, docs::kAppend, arg("k").none(),
         arg("v").none() = nb::none(), arg("position_ids").none() = nb::none(), nb::kw_only(),
         arg("sequence").none() = 0, arg("rows").none() = nb::none());
  define(
      cache, docs::kCacheAttendSig,
      [](const Cache& self, nb::handle q, nb::handle ids, nb::handle sequence, nb::handle rows,
         nb::handle v_dim, const nb::kwargs& keywords) {
        return attend(
            self, {q, ids, rows, integer(sequence, "sequence"), integer_or_none(v_dim, "v_dim")},
            keywords);
      },
      docs::kCacheAttend, arg("q").none(), arg("position_ids").none() = nb::none(), nb::kw_only(),
      arg("sequence").none() = 0, arg("rows").none() = nb::none(), arg("v_dim").none() = nb::none(),
      arg("keywords"));
  bind_kv_moves(cache);
  bind_kv_facts(cache);
}

}  // namespace ropewalk::python
