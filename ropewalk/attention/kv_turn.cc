#include "ropewalk/attention/kv_turn.h"

#include "ropewalk/apply/rope.h"
#include "ropewalk/attention/kv_rows.h"
#include "ropewalk/tables/rope_rows_between.h"

namespace ropewalk {
namespace {

// Whether a cell reads as it is stored.
bool is_still(const KvForms& forms, size_t to, const std::vector<int64_t>& positions,
              const KvCells& page, int64_t cell) {
  bool still = page.spectrum[static_cast<size_t>(cell)] == to;
  for (int64_t axis = 0; axis < forms.axes; ++axis) {
    const auto at = static_cast<size_t>(axis * forms.stored.page_size + cell);
    still &= positions[at] == page.base[at];
  }
  return still;
}

KvRows turned_raw_keys(const KvCacheConfig& config, const KvForms& forms, const Spectrum& spectrum,
                       const std::vector<int64_t>& positions, const KvCells& page) {
  KvRows turned = make_kv_rows(forms.k);
  const RopeOptions options{.output_layout = config.output_layout};
  Tensor memory;
  store_rotated(forms.k, turned, 0,
                numbers_of(forms.stored, page.stored, 0, page.count, forms.k.dtype, memory),
                [&](const Rotated& k) {
                  const PositionIds at = positions_of_cells(forms, positions, 0, page.count);
                  apply_rope(spectrum, config.layout, at, k, std::nullopt, options);
                });
  return turned;
}

}  // namespace

PositionIds positions_of_cells(const KvForms& forms, const std::vector<int64_t>& positions,
                               int64_t first, int64_t count) {
  return positions_of({positions.data() + first,
                       DType::i64,
                       {forms.axes, 1, count},
                       {forms.stored.page_size, count, 1}});
}

KvRows turned_keys(const KvCacheConfig& config, const KvForms& forms,
                   const std::vector<Spectrum>& spectra, size_t to,
                   const std::vector<int64_t>& positions, const KvCells& page) {
  if (!config.spectrum) return {};
  if (config.raw_k_dtype) return turned_raw_keys(config, forms, spectra[to], positions, page);
  const auto still = [&](int64_t cell) { return is_still(forms, to, positions, page, cell); };
  int64_t first = 0;
  while (first < page.count && still(first)) ++first;
  if (first == page.count) return {};
  KvRows turned = make_kv_rows(forms.k);
  copy_cells(forms.k, page.stored, turned, 0, first);
  const RotaryLayout& layout = config.output_layout ? *config.output_layout : config.layout;
  for (int64_t end = first; first < page.count; first = end) {
    // Cells of one kind: as they are stored, or from one spectrum.
    const bool stay = still(first);
    const size_t from = page.spectrum[static_cast<size_t>(first)];
    while (end < page.count && still(end) == stay &&
           page.spectrum[static_cast<size_t>(end)] == from) {
      ++end;
    }
    if (stay) {
      copy_cells(forms.k, page.stored, turned, first, end - first);
      continue;
    }
    const RopeRows rows = make_rope_rows_between(
        {spectra[from], positions_of_cells(forms, page.base, first, end - first)},
        {spectra[to], positions_of_cells(forms, positions, first, end - first)}, 1, end - first);
    Tensor memory;
    store_rotated(forms.k, turned, first,
                  numbers_of(forms.stored, page.stored, first, end - first, forms.k.dtype, memory),
                  [&](const Rotated& k) { apply_rope(rows, layout, k); });
  }
  return turned;
}

}  // namespace ropewalk
