// What happens to the cells of a ropewalk.KVCache, and what it tells of itself.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/native/attention_values.h"
#include "python/native/kv_cache.h"
#include "python/native/kv_cache_docs.h"
#include "ropewalk/base/error.h"

namespace ropewalk::python {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

void shift(Cache& cache, nb::handle delta, int64_t first, std::optional<int64_t> end,
           int64_t sequence) {
  const bool one = PyLong_Check(delta.ptr()) && !PyBool_Check(delta.ptr());
  const std::vector<int64_t> deltas =
      one ? std::vector{integer_of(delta, "delta")} : integers_of(delta, "delta");
  cache.write([&](KvCache& cells) {
    const PositionRange range{first, end.value_or(cells.length(sequence))};
    if (one) return cells.shift(sequence, range, deltas.front());
    cells.shift(sequence, range, deltas);
  });
}

void rerotate(Cache& cache, const Rope& rope, int64_t sequence) {
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
  cache.write([&](KvCache& cells) { cells.rerotate(sequence, rope.spectrum); });
}

// [1, tokens, ...] without its first axis.
nb::object tokens_of(Tensor tensor, nb::handle like) {
  if (tensor.shape.empty()) return nb::none();
  Dims shape;
  for (int i = 1; i < tensor.shape.size(); ++i) shape.push_back(tensor.shape[i]);
  tensor.shape = shape;
  return array_from(std::move(tensor), like);
}

nb::object gather(const Cache& cache, int64_t sequence, bool as_float32, nb::handle like) {
  KvTensors all = cache.read([&](const KvCache& cells) {
    return as_float32 ? cells.gather_f32(sequence) : cells.gather(sequence);
  });
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
  cache.def("shift", shift, arg("delta"), arg("first") = 0, arg("end").none() = nb::none(),
            nb::kw_only(), arg("sequence") = 0, nb::sig(docs::kShiftSig), docs::kShift);
  cache.def("rerotate", rerotate, arg("rope"), nb::kw_only(), arg("sequence") = 0, docs::kRerotate);
  cache.def(
      "remove",
      [](Cache& self, int64_t first, int64_t end, int64_t sequence) {
        self.write([&](KvCache& cells) { cells.remove(sequence, {first, end}); });
      },
      arg("first"), arg("end"), nb::kw_only(), arg("sequence") = 0, docs::kRemove);
  cache.def(
      "evict",
      [](Cache& self, int64_t first, int64_t end, int64_t sequence) {
        self.write([&](KvCache& cells) { cells.evict(sequence, {first, end}); });
      },
      arg("first"), arg("end"), nb::kw_only(), arg("sequence") = 0, docs::kEvict);
  cache.def(
      "keep_ends",
      [](Cache& self, int64_t sinks, int64_t recent, int64_t sequence) {
        self.write([&](KvCache& cells) { cells.keep_ends(sequence, sinks, recent); });
      },
      arg("sinks"), arg("recent"), nb::kw_only(), arg("sequence") = 0, docs::kKeepEnds);
  cache.def(
      "copy",
      [](Cache& self, int64_t source, int64_t target) {
        self.write([&](KvCache& cells) { cells.copy(source, target); });
      },
      arg("source"), arg("target"), docs::kCopy);
  cache.def(
      "erase",
      [](Cache& self, int64_t sequence) {
        self.write([&](KvCache& cells) { cells.erase(sequence); });
      },
      arg("sequence"), docs::kErase);
}

void bind_kv_facts(nb::class_<Cache>& cache) {
  using nb::arg;
  cache.def("gather", gather, arg("sequence") = 0, nb::kw_only(), arg("as_float32") = false,
            arg("like").none() = nb::none(), nb::sig(docs::kGatherSig), docs::kGather);
  cache.def(
      "tokens",
      [](const Cache& self, int64_t sequence) {
        return self.read([&](const KvCache& cells) { return cells.tokens(sequence); });
      },
      arg("sequence") = 0, docs::kTokens);
  cache.def(
      "length",
      [](const Cache& self, int64_t sequence) {
        return self.read([&](const KvCache& cells) { return cells.length(sequence); });
      },
      arg("sequence") = 0, docs::kLength);
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
