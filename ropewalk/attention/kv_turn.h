#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/attention/kv_cache.h"

namespace ropewalk {

// Positions of cells [first, first + count) from a list [axes, page_size].
PositionIds positions_of_cells(const KvForms& forms, const std::vector<int64_t>& positions,
                               int64_t first, int64_t count);

// The keys of a page as spectrum number `to` turns them at `positions` [axes, page_size]; nothing
// where they would be as they are stored.
KvRows turned_keys(const KvCacheConfig& config, const KvForms& forms,
                   const std::vector<Spectrum>& spectra, size_t to,
                   const std::vector<int64_t>& positions, const KvCells& page);

}  // namespace ropewalk
