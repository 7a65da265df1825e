// What happens to cells that are there: shifts, other spectra, evictions. Each verb says first what
// becomes of each cell; what can fail is done before anything changes.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/attention/kv_cache.h"
#include "ropewalk/attention/kv_rows.h"
#include "ropewalk/attention/kv_turn.h"
#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why, ErrorCode code = ErrorCode::invalid_argument) {
  throw Error(code, why);
}

// A page as it will be.
struct Turned {
  KvCells* page;
  std::vector<int64_t> positions;
  KvRows keys;
};

void commit(std::vector<Turned>& all) {
  for (Turned& each : all) {
    each.page->positions.swap(each.positions);
    each.page->turned = std::move(each.keys);
  }
}

int64_t moved(int64_t position, int64_t delta, int64_t axis) {
  int64_t result = 0;
  const bool overflows = __builtin_add_overflow(position, delta, &result);
  if (!overflows && result >= 0 && result < INT64_MAX) return result;
  const std::string found =
      overflows ? fmt::format("{} + {}", position, delta) : fmt::to_string(result);
  fail(fmt::format("position {} by {}: expected 0..2^63-2 on axis {}, found {}", position, delta,
                   axis, found));
}

void move_cell(const KvForms& forms, KvCells& page, int64_t from, int64_t to) {
  for (int64_t axis = 0; axis < forms.axes; ++axis) {
    const int64_t row = axis * forms.k.page_size;
    page.base[static_cast<size_t>(row + to)] = page.base[static_cast<size_t>(row + from)];
    page.positions[static_cast<size_t>(row + to)] = page.positions[static_cast<size_t>(row + from)];
  }
  page.spectrum[static_cast<size_t>(to)] = page.spectrum[static_cast<size_t>(from)];
  move_cell(forms.stored, page.stored, from, to);
  move_cell(forms.k, page.turned, from, to);
  move_cell(forms.v, page.v, from, to);
}

// A list of spectra with one more, which takes the place of one that turned no cell.
size_t add_spectrum(std::vector<Spectrum>& spectra, const std::vector<KvCells>& pages,
                    const Spectrum& spectrum) {
  const auto known = std::find(spectra.begin(), spectra.end(), spectrum);
  if (known != spectra.end()) return static_cast<size_t>(known - spectra.begin());
  std::vector<bool> used(spectra.size());
  for (const KvCells& page : pages) {
    for (int64_t c = 0; c < page.count; ++c) used[page.spectrum[static_cast<size_t>(c)]] = true;
  }
  const auto unused =
      static_cast<size_t>(std::find(used.begin(), used.end(), false) - used.begin());
  if (unused == spectra.size()) {
    spectra.push_back(spectrum);
  } else {
    spectra[unused] = spectrum;
  }
  return unused;
}

}  // namespace

std::vector<KvCache::Fate> KvCache::fates(int64_t sequence, PositionRange range, Fate inside,
                                          Fate after, const char* verb) const {
  const Sequence& cells = at(sequence, verb);
  if (range.first < 0 || range.end < range.first) {
    fail(fmt::format("{}: expected a range 0 <= first <= end, found {}..{}", verb, range.first,
                     range.end));
  }
  if (const int64_t end = length(sequence); range.end > end) {
    fail(fmt::format("{}: expected a range within positions 0..{} of sequence {}, found {}..{}",
                     verb, end, sequence, range.first, range.end),
         ErrorCode::out_of_range);
  }
  std::vector<Fate> result;
  result.reserve(static_cast<size_t>(tokens(sequence)));
  for (const KvCells& page : cells.pages) {
    for (int64_t c = 0; c < page.count; ++c) {
      const int64_t p = page.positions[static_cast<size_t>(c)];
      result.push_back(p < range.first ? Fate::stays : p < range.end ? inside : after);
    }
  }
  return result;
}

void KvCache::apply(Sequence& sequence, const std::vector<Fate>& fates,
                    std::span<const int64_t> deltas) {
  std::vector<Turned> all;
  const Fate* fate = fates.data();
  for (KvCells& page : sequence.pages) {
    const Fate* const of_page = std::exchange(fate, fate + page.count);
    if (std::find(of_page, fate, Fate::moves) == fate) continue;
    std::vector<int64_t> positions = page.positions;
    for (int64_t axis = 0; axis < forms_.axes; ++axis) {
      const int64_t delta = deltas[static_cast<size_t>(axis)];
      for (int64_t c = 0; c < page.count; ++c) {
        int64_t& position = positions[static_cast<size_t>(axis * config_.page_size + c)];
        if (of_page[c] == Fate::moves) position = moved(position, delta, axis);
      }
    }
    KvRows keys =
        turned_keys(config_, forms_, sequence.spectra, sequence.spectrum, positions, page);
    all.push_back({&page, std::move(positions), std::move(keys)});
  }
  commit(all);
  fate = fates.data();
  for (KvCells& page : sequence.pages) {
    int64_t kept = 0;
    for (int64_t c = 0; c < page.count; ++c) {
      if (fate[c] == Fate::goes) continue;
      if (kept < c) move_cell(forms_, page, c, kept);
      ++kept;
    }
    fate += std::exchange(page.count, kept);
  }
  std::erase_if(sequence.pages, [](const KvCells& page) { return page.count == 0; });
}

void KvCache::shift(int64_t sequence, PositionRange range, int64_t delta) {
  within_memory("shift", [&] {
    const std::vector<int64_t> deltas(static_cast<size_t>(forms_.axes), delta);
    shift(sequence, range, deltas);
  });
}

void KvCache::shift(int64_t sequence, PositionRange range, std::span<const int64_t> deltas) {
  within_memory("shift", [&] {
    if (static_cast<int64_t>(deltas.size()) != forms_.axes) {
      fail(fmt::format("shift: expected a delta for each of {} position axes, found {}",
                       forms_.axes, deltas.size()));
    }
    const auto moves = fates(sequence, range, Fate::moves, Fate::stays, "shift");
    apply(at(sequence, "shift"), moves, deltas);
  });
}

void KvCache::rerotate(int64_t sequence, const Spectrum& spectrum) {
  within_memory("rerotate", [&] {
    Sequence& cells = at(sequence, "rerotate");
    if (!config_.spectrum) fail("rerotate: expected a cache with a spectrum, found one without");
    check_spectrum(spectrum);
    const size_t pairs = config_.spectrum->inv_freq.size();
    if (spectrum.inv_freq.size() != pairs || axis_count(spectrum) != forms_.axes) {
      fail(
          fmt::format("rerotate: expected a spectrum of {} pairs on {} position axes, found {} on "
                      "{}",
                      pairs, forms_.axes, spectrum.inv_freq.size(), axis_count(spectrum)));
    }
    std::vector<Spectrum> spectra = cells.spectra;
    size_t to = 0;
    if (config_.raw_k_dtype) {
      spectra = {spectrum};
    } else {
      to = add_spectrum(spectra, cells.pages, spectrum);
    }
    std::vector<Turned> all;
    for (KvCells& page : cells.pages) {
      all.push_back(
          {&page, page.positions, turned_keys(config_, forms_, spectra, to, page.positions, page)});
    }
    commit(all);
    cells.spectra = std::move(spectra);
    cells.spectrum = to;
  });
}

void KvCache::remove(int64_t sequence, PositionRange range) {
  within_memory("remove", [&] {
    const auto go = fates(sequence, range, Fate::goes, Fate::stays, "remove");
    apply(at(sequence, "remove"), go, {});
  });
}

void KvCache::evict(int64_t sequence, PositionRange range) {
  within_memory("evict", [&] {
    const auto go = fates(sequence, range, Fate::goes, Fate::moves, "evict");
    const std::vector<int64_t> deltas(static_cast<size_t>(forms_.axes), range.first - range.end);
    apply(at(sequence, "evict"), go, deltas);
  });
}

void KvCache::keep_ends(int64_t sequence, int64_t sinks, int64_t recent) {
  within_memory("keep_ends", [&] {
    Sequence& cells = at(sequence, "keep_ends");
    if (sinks < 0 || recent < 0) {
      fail(fmt::format("keep_ends: expected counts of 0 or more tokens, found {} and {}", sinks,
                       recent));
    }
    const int64_t count = tokens(sequence);
    if (sinks >= count || recent >= count - sinks) return;
    std::vector<Fate> ends(static_cast<size_t>(count), Fate::goes);
    std::fill_n(ends.begin(), sinks, Fate::stays);
    std::fill_n(ends.rbegin(), recent, Fate::moves);
    int64_t first_gone = 0, first_recent = 0, token = 0;
    for (const KvCells& page : cells.pages) {
      for (int64_t c = 0; c < page.count; ++c, ++token) {
        if (token == sinks) first_gone = page.positions[static_cast<size_t>(c)];
        if (token == count - recent) first_recent = page.positions[static_cast<size_t>(c)];
      }
    }
    const std::vector<int64_t> deltas(static_cast<size_t>(forms_.axes), first_gone - first_recent);
    apply(cells, ends, deltas);
  });
}

}  // namespace ropewalk
