#pragma once

#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "python/native/rope.h"
#include "ropewalk/attention/kv_cache.h"

namespace ropewalk::python {

// ropewalk.KVCache. Calls that change it wait for those that read it, without the GIL: the library
// leaves that to its caller.
struct Cache {
  KvCache cells;
  std::optional<Rope> rope;  // whose rotation keys get
  mutable std::shared_mutex mutex;

  Cache(KvCacheConfig config, std::optional<Rope> of_keys)
      : cells(std::move(config)), rope(std::move(of_keys)) {}
  Cache(const Cache& other) : cells(other.snapshot()), rope(other.rope) {}
  Cache& operator=(const Cache&) = delete;

  // Runs `call` on the cells, alone or beside other readers.
  template <typename Call>
  auto write(const Call& call) {
    const nb::gil_scoped_release released;
    const std::unique_lock lock(mutex);
    return call(cells);
  }
  template <typename Call>
  auto read(const Call& call) const {
    const nb::gil_scoped_release released;
    const std::shared_lock lock(mutex);
    return call(cells);
  }

 private:
  KvCache snapshot() const {
    return read([](const KvCache& own) { return own; });
  }
};

void bind_kv_cache(nb::module_& m);
void bind_kv_moves(nb::class_<Cache>& cache);
void bind_kv_facts(nb::class_<Cache>& cache);

}  // namespace ropewalk::python
