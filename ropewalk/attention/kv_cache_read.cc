// What a cache holds: counts, pages, tensors, equality.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "ropewalk/attention/kv_cache.h"
#include "ropewalk/attention/kv_rows.h"
#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

const KvRows& keys_of(const KvCells& page) {
  return page.turned.is_empty() ? page.stored : page.turned;
}

// Rows as [heads, tokens, channels]; no shape where there are none.
ConstTensorView rows_view(const KvForm& form, const KvRows& rows, int64_t tokens) {
  if (rows.is_empty()) return {};
  return permuted(cells_of(form, rows, 0, tokens), {1, 0, 2});
}

ConstTensorView scales_view(const KvForm& form, const KvRows& rows, int64_t tokens) {
  if (rows.scales.empty()) return {};
  return {rows.scales.data(), DType::f32, {form.heads, tokens}, {form.page_size, 1}};
}

// Appends the numbers of a page's cells to a tensor.
void gather_rows(const KvForm& form, const KvRows& rows, int64_t tokens, Tensor& to, size_t& end) {
  load(form, rows, 0, tokens, to.dtype, to.bytes.data() + end);
  end += static_cast<size_t>(tokens * form.heads * form.channels) * size_in_bytes(to.dtype);
}

Tensor empty_rows(const KvForm& form, int64_t tokens, bool f32) {
  const bool as_f32 = f32 || form.dtype == DType::i8;
  return make_tensor(as_f32 ? DType::f32 : form.dtype, {1, tokens, form.heads, form.channels});
}

// A cell among the pages of a sequence.
struct Cursor {
  const std::vector<KvCells>& pages;
  size_t page = 0;
  int64_t cell = 0;

  bool is_at_end() const { return page == pages.size(); }
  const KvCells& cells() const { return pages[page]; }
  void next() {
    if (++cell < pages[page].count) return;
    ++page;
    cell = 0;
  }
};

bool same_positions(const KvForms& forms, bool base, const Cursor& a, const Cursor& b) {
  for (int64_t axis = 0; axis < forms.axes; ++axis) {
    const auto i = static_cast<size_t>(axis * forms.k.page_size + a.cell);
    const auto j = static_cast<size_t>(axis * forms.k.page_size + b.cell);
    if (base && a.cells().base[i] != b.cells().base[j]) return false;
    if (a.cells().positions[i] != b.cells().positions[j]) return false;
  }
  return true;
}

size_t memory_of(const KvRows& rows) {
  return rows.memory.size() * sizeof(KvLine) + rows.scales.size() * sizeof(float);
}

}  // namespace

const KvCache::Sequence& KvCache::at(int64_t sequence, const char* verb) const {
  const auto found = sequences_.find(sequence);
  if (found != sequences_.end()) return found->second;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: sequence {} is not among the {} of the cache", verb, sequence,
                          sequences_.size()));
}

KvCache::Sequence& KvCache::at(int64_t sequence, const char* verb) {
  return const_cast<Sequence&>(std::as_const(*this).at(sequence, verb));
}

std::vector<int64_t> KvCache::sequences() const {
  std::vector<int64_t> ids;
  for (const auto& [id, sequence] : sequences_) ids.push_back(id);
  return ids;
}

int64_t KvCache::tokens(int64_t sequence) const {
  int64_t count = 0;
  for (const KvCells& page : at(sequence, "tokens").pages) count += page.count;
  return count;
}

int64_t KvCache::length(int64_t sequence) const {
  int64_t end = 0;
  for (const KvCells& page : at(sequence, "length").pages) {
    for (int64_t axis = 0; axis < forms_.axes; ++axis) {
      const auto* const from = page.positions.data() + axis * config_.page_size;
      end = std::max(end, *std::max_element(from, from + page.count) + 1);
    }
  }
  return end;
}

const Spectrum* KvCache::spectrum(int64_t sequence) const {
  const Sequence& found = at(sequence, "spectrum");
  return found.spectra.empty() ? nullptr : &found.spectra[found.spectrum];
}

int64_t KvCache::size_in_bytes() const {
  size_t bytes = 0;
  for (const auto& [id, sequence] : sequences_) {
    for (const KvCells& page : sequence.pages) {
      bytes += memory_of(page.stored) + memory_of(page.turned) + memory_of(page.v);
      bytes += (page.base.size() + page.positions.size() + page.spectrum.size()) * 8;
    }
  }
  return static_cast<int64_t>(bytes);
}

void KvCache::copy(int64_t from, int64_t to) {
  within_memory("copy", [&] {
    const Sequence& sequence = at(from, "copy");
    if (sequences_.contains(to)) {
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("copy: sequence {} is there already, with {} tokens", to, tokens(to)));
    }
    sequences_.try_emplace(to, sequence);
  });
}

void KvCache::erase(int64_t sequence) {
  at(sequence, "erase");
  sequences_.erase(sequence);
}

std::vector<KvPage> KvCache::pages(int64_t sequence) const {
  return within_memory("pages", [&] {
    std::vector<KvPage> pages;
    for (const KvCells& page : at(sequence, "pages").pages) {
      const KvRows& keys = keys_of(page);
      pages.push_back(
          {page.count,
           rows_view(forms_.k, keys, page.count),
           rows_view(forms_.v, page.v, page.count),
           scales_view(forms_.k, keys, page.count),
           scales_view(forms_.v, page.v, page.count),
           {page.positions.data(), DType::i64, {forms_.axes, page.count}, {config_.page_size, 1}}});
    }
    return pages;
  });
}

KvTensors KvCache::gathered(int64_t sequence, bool f32) const {
  const Sequence& found = at(sequence, "gather");
  const int64_t count = tokens(sequence);
  KvTensors all{
      empty_rows(forms_.k, count, f32), {}, make_tensor(DType::i64, {forms_.axes, 1, count})};
  if (forms_.v.channels > 0) all.v = empty_rows(forms_.v, count, f32);
  size_t k_end = 0, v_end = 0;
  int64_t token = 0;
  for (const KvCells& page : found.pages) {
    gather_rows(forms_.k, keys_of(page), page.count, all.k, k_end);
    if (forms_.v.channels > 0) gather_rows(forms_.v, page.v, page.count, all.v, v_end);
    for (int64_t axis = 0; axis < forms_.axes; ++axis) {
      std::memcpy(all.positions.bytes.data() + (axis * count + token) * 8,
                  page.positions.data() + axis * config_.page_size,
                  static_cast<size_t>(page.count) * 8);
    }
    token += page.count;
  }
  return all;
}

KvTensors KvCache::gather(int64_t sequence) const {
  return within_memory("gather", [&] { return gathered(sequence, false); });
}

KvTensors KvCache::gather_f32(int64_t sequence) const {
  return within_memory("gather", [&] { return gathered(sequence, true); });
}

bool KvCache::same_cells(const Sequence& a, const Sequence& b) const {
  // Where keys are not rotated, or kept raw, it is no matter where they began.
  const bool base = config_.spectrum && !config_.raw_k_dtype;
  Cursor one{a.pages}, other{b.pages};
  for (; !one.is_at_end() && !other.is_at_end(); one.next(), other.next()) {
    const KvCells &x = one.cells(), &y = other.cells();
    if (!same_positions(forms_, base, one, other)) return false;
    if (base && a.spectra[x.spectrum[static_cast<size_t>(one.cell)]] !=
                    b.spectra[y.spectrum[static_cast<size_t>(other.cell)]]) {
      return false;
    }
    if (!same_cell(forms_.stored, x.stored, one.cell, y.stored, other.cell)) return false;
    if (!x.v.is_empty() && !same_cell(forms_.v, x.v, one.cell, y.v, other.cell)) return false;
  }
  return one.is_at_end() && other.is_at_end();
}

bool KvCache::operator==(const KvCache& other) const {
  // What is read follows from what is compared.
  const auto same = [&](const auto& a, const auto& b) {
    const Sequence &one = a.second, &two = b.second;
    if (a.first != b.first || one.spectra.empty() != two.spectra.empty()) return false;
    if (!one.spectra.empty() && one.spectra[one.spectrum] != two.spectra[two.spectrum]) {
      return false;
    }
    return same_cells(one, two);
  };
  return config_ == other.config_ &&
         std::equal(sequences_.begin(), sequences_.end(), other.sequences_.begin(),
                    other.sequences_.end(), same);
}

}  // namespace ropewalk
