// What happens to the cells of a ropewalk.KVCache, and what it tells of itself.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/native/arguments.h"
#include "python/native/attention_values.h"
#include "python/native/kv_cache.h"
#include "python/native/kv_cache_docs.h"
#include "ropewalk/base/error.h"

namespace ropewalk::python {
namespace {

void shift(Cache& cache, nb::handle delta, nb::handle first, nb::handle end, nb::handle sequence) {
  const bool one = PyIndex_Check(delta.ptr()) != 0 &&
                   (PyLong_Check(delta.ptr()) ||
                    nb::cast<int64_t>(nb::getattr(delta, "ndim", nb::int_(1))) == 0);
  const std::vector<int64_t> deltas =
      one ? std::vector{integer(delta, "delta")} : integers_of(delta, "delta");
  const int64_t begin = integer(first, "first"), of = integer(sequence, "sequence");
  const std::optional<int64_t> last = integer_or_none(end, "end");
  cache.write([&](KvCache& cells) {
    const PositionRange range{begin, last.value_or(cells.length(of))};
    if (one) return cells.shift(of, range, deltas.front());
    cells.shift(of, range, deltas);
  });
}

void rerotate(Cache& cache, nb::handle to, nb::handle sequence) {
  if (!nb::isinstance<Rope>(to)) fail("rope: expected a ropewalk.Rope, found " + found(to));
  const Rope& rope = nb::cast<const Rope&>(to);
  const int64_t of = integer(sequence, "sequence");
  if (rope.by_length) {
    fail(
        "rope: expected one with a seq_len, as its frequencies depend on the length of a "
        "sequence, found none");
  }
  if (!(rope.config.layout == cache.cells.config().layout)) {
    fail(fmt::format(
        "rope: expected the channels of the cache's own, {} of {}, found others, {} of "
        "{}",
        2 * pair_count(cache.cells.config().layout), cache.cells.config().layout.head_dim,
        2 * pair_count(rope.config.layout), rope.config.layout.head_dim));
  }
  cache.write([&](KvCache& cells) { cells.rerotate(of, rope.spectrum); });
}

// [1, tokens, ...] without its first axis.
nb::object tokens_of(Tensor tensor, nb::handle like) {
  if (tensor.shape.empty()) return nb::none();
  Dims shape;
  for (int i = 1; i < tensor.shape.size(); ++i) shape.push_back(tensor.shape[i]);
  tensor.shape = shape;
  return array_from(std::move(tensor), like);
}

nb::object gather(const Cache& cache, nb::handle sequence, nb::handle as_float32, nb::handle like) {
  const int64_t of = integer(sequence, "sequence");
  const bool in_float32 = flag(as_float32, "as_float32");
  KvTensors all = cache.read(
      [&](const KvCache& cells) { return in_float32 ? cells.gather_f32(of) : cells.gather(of); });
  const int64_t axes = all.positions.shape[0], count = all.positions.shape[2];
  all.positions.shape = axes == 1 ? Dims{count} : Dims{axes, count};
  return nb::make_tuple(tokens_of(std::move(all.k), like), tokens_of(std::move(all.v), like),
                        array_from(std::move(all.positions), like));
}

std::string words_of(const Cache& cache) {
  const KvCacheConfig& config = cache.cells.config();
  const auto [sequences, tokens, bytes] = cache.read([](const KvCache& cells) {
    int64_t count = 0;
    for (const int64_t sequence : cells.sequences()) count += cells.tokens(sequence);
    return std::tuple(cells.sequences().size(), count, cells.size_in_bytes());
  });
  return fmt::format(
      "<ropewalk.KVCache: {} sequence{}, {} tokens, {} heads of {} and {} channels, k {}, v {}, "
      "pages "
      "of {}, {} bytes>",
      sequences, sequences == 1 ? "" : "s", tokens, config.kv_heads, config.layout.head_dim,
      config.v_dim, array_name(config.k_dtype), array_name(config.v_dtype), config.page_size,
      bytes);
}

}  // namespace

void bind_kv_moves(nb::class_<Cache>& cache) {
  using nb::arg;
  define(cache, docs::kShiftSig, shift, docs::kShift, arg("delta").none(), arg("first").none() = 0,
         arg("end").none() = nb::none(), nb::kw_only(), arg("sequence").none() = 0);
  define(cache, "def rerotate(self, rope: Rope, *, sequence: int = 0) -> None", rerotate,
         docs::kRerotate, arg("rope").none(), nb::kw_only(), arg("sequence").none() = 0);
  define(
      cache, "def remove(self, first: int, end: int, *, sequence: int = 0) -> None",
      [](Cache& self, nb::handle first, nb::handle end, nb::handle sequence) {
        const PositionRange range{integer(first, "first"), integer(end, "end")};
        const int64_t of = integer(sequence, "sequence");
        self.write([&](KvCache& cells) { cells.remove(of, range); });
      },
      docs::kRemove, arg("first").none(), arg("end").none(), nb::kw_only(),
      arg("sequence").none() = 0);
  define(
      cache, "def evict(self, first: int, end: int, *, sequence: int = 0) -> None",
      [](Cache& self, nb::handle first, nb::handle end, nb::handle sequence) {
        const PositionRange range{integer(first, "first"), integer(end, "end")};
        const int64_t of = integer(sequence, "sequence");
        self.write([&](KvCache& cells) { cells.evict(of, range); });
      },
      docs::kEvict, arg("first").none(), arg("end").none(), nb::kw_only(),
      arg("sequence").none() = 0);
  define(
      cache, "def keep_ends(self, sinks: int, recent: int, *, sequence: int = 0) -> None",
      [](Cache& self, nb::handle sinks, nb::handle recent, nb::handle sequence) {
        const int64_t first = integer(sinks, "sinks"), last = integer(recent, "recent");
        const int64_t of = integer(sequence, "sequence");
        self.write([&](KvCache& cells) { cells.keep_ends(of, first, last); });
      },
      docs::kKeepEnds, arg("sinks").none(), arg("recent").none(), nb::kw_only(),
      arg("sequence").none() = 0);
  define(
      cache, "def copy(self, source: int, target: int) -> None",
      [](Cache& self, nb::handle source, nb::handle target) {
        const int64_t from = integer(source, "source"), to = integer(target, "target");
        self.write([&](KvCache& cells) { cells.copy(from, to); });
      },
      docs::kCopy, arg("source").none(), arg("target").none());
  define(
      cache, "def erase(self, sequence: int) -> None",
      [](Cache& self, nb::handle sequence) {
        const int64_t of = integer(sequence, "sequence");
        self.write([&](KvCache& cells) { cells.erase(of); });
      },
      docs::kErase, arg("sequence").none());
}

void bind_kv_facts(nb::class_<Cache>& cache) {
  using nb::arg;
  define(cache, docs::kGatherSig, gather, docs::kGather, arg("sequence").none() = 0, nb::kw_only(),
         arg("as_float32").none() = false, arg("like").none() = nb::none());
  define(
      cache, "def tokens(self, sequence: int = 0) -> int",
      [](const Cache& self, nb::handle sequence) {
        const int64_t of = integer(sequence, "sequence");
        return self.read([&](const KvCache& cells) { return cells.tokens(of); });
      },
      docs::kTokens, arg("sequence").none() = 0);
  define(
      cache, "def length(self, sequence: int = 0) -> int",
      [](const Cache& self, nb::handle sequence) {
        const int64_t of = integer(sequence, "sequence");
        return self.read([&](const KvCache& cells) { return cells.length(of); });
      },
      docs::kLength, arg("sequence").none() = 0);
  cache
      .def_prop_ro(
          "sequences",
          [](const Cache& self) {
            return self.read([](const KvCache& cells) { return cells.sequences(); });
          },
          docs::kSequences)
      .def_prop_ro(
          "size_in_bytes",
          [](const Cache& self) {
            return self.read([](const KvCache& cells) { return cells.size_in_bytes(); });
          },
          docs::kSizeInBytes)
      .def_prop_ro(
          "kv_heads", [](const Cache& c) { return c.cells.config().kv_heads; }, "Heads of k and v.")
      .def_prop_ro(
          "head_dim", [](const Cache& c) { return c.cells.config().layout.head_dim; },
          "Channels of a key.")
      .def_prop_ro(
          "v_dim", [](const Cache& c) { return c.cells.config().v_dim; }, docs::kVDim)
      .def_prop_ro(
          "k_dtype", [](const Cache& c) { return array_name(c.cells.config().k_dtype); },
          "\"float32\", \"bfloat16\", \"float16\" or \"int8\".")
      .def_prop_ro(
          "v_dtype", [](const Cache& c) { return array_name(c.cells.config().v_dtype); },
          "As k_dtype, of values.")
      .def_prop_ro(
          "raw_k_dtype",
          [](const Cache& c) {
            const std::optional<DType> raw = c.cells.config().raw_k_dtype;
            return raw ? std::optional<std::string>(array_name(*raw)) : std::nullopt;
          },
          docs::kRawKDtype)
      .def_prop_ro(
          "page_size", [](const Cache& c) { return c.cells.config().page_size; },
          "Tokens of a page; no result depends on it.");
  cache.def("__repr__", words_of);
  cache.def(
      "__eq__",
      [](const Cache& a, const Cache& b) {
        if (&a == &b) return true;
        const KvCache other = Cache(b).cells;
        return a.read([&](const KvCache& cells) { return cells == other; });
      },
      nb::is_operator(), nb::sig("def __eq__(self, arg: object, /) -> bool"));
  cache.attr("__hash__") = nb::none();
  cache.def("__copy__", [](const Cache& self) { return Cache(self); });
  cache.def("__deepcopy__", [](const Cache& self, nb::handle) { return Cache(self); });
}

}  // namespace ropewalk::python
