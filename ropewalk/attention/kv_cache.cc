// A cache, its sequences, and what is appended to them; kv_cache_move.cc has the rest.
#include "ropewalk/attention/kv_cache.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/attention/kv_rows.h"
#include "ropewalk/attention/kv_turn.h"
#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

// So that the length of a sequence is an int64, too.
constexpr int64_t kLastPosition = std::numeric_limits<int64_t>::max() - 1;

[[noreturn]] void fail(const std::string& why, ErrorCode code = ErrorCode::invalid_argument) {
  throw Error(code, why);
}

void check_positive(int64_t number, const char* name) {
  if (number < 1) fail(fmt::format("KvCacheConfig: expected {} >= 1, found {}", name, number));
}

bool is_number(DType dtype) {
  return dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16;
}

void check_dtype(DType dtype, bool i8, const char* name) {
  if (is_number(dtype) || (i8 && dtype == DType::i8)) return;
  fail(fmt::format("KvCacheConfig: expected {} f32, bf16{}, found {}", name,
                   i8 ? ", f16 or i8" : " or f16", ropewalk::name(dtype)),
       ErrorCode::unsupported);
}

void check_pairs(const KvCacheConfig& config) {
  check_layout(config.layout);
  if (config.output_layout) check_layout(*config.output_layout);
  const int64_t pairs = pair_count(config.layout);
  if (!config.spectrum) {
    if (pairs > 0 || config.output_layout || config.raw_k_dtype) {
      fail(
          "KvCacheConfig: windows of the layout, output_layout or raw_k_dtype, but no spectrum: "
          "nothing would be rotated");
    }
    return;
  }
  check_spectrum(*config.spectrum);
  const auto found = static_cast<int64_t>(config.spectrum->inv_freq.size());
  if (found != pairs) {
    fail(fmt::format("KvCacheConfig: expected a spectrum of {} pairs as the layout, found {}",
                     pairs, found));
  }
}

// A page takes less than 2^40 bytes.
void check_page(const KvCacheConfig& config) {
  const auto channels = checked_add(config.layout.head_dim, config.v_dim);
  const auto row = channels ? checked_mul<int64_t>(*channels, 16) : channels;
  const auto cell = row ? checked_mul(*row, config.kv_heads) : row;
  const auto page = cell ? checked_mul(*cell, config.page_size) : cell;
  if (page && *page <= int64_t{1} << 40) return;
  fail(fmt::format("KvCacheConfig: pages of {} tokens of {} heads of {} + {} channels are too "
                   "large",
                   config.page_size, config.kv_heads, config.layout.head_dim, config.v_dim),
       ErrorCode::resource_limit);
}

KvForms forms_of(const KvCacheConfig& config) {
  check_positive(config.kv_heads, "kv_heads");
  check_positive(config.page_size, "page_size");
  if (config.v_dim < 0) {
    fail(fmt::format("KvCacheConfig: expected v_dim >= 0, found {}", config.v_dim));
  }
  check_dtype(config.k_dtype, true, "k_dtype");
  check_dtype(config.v_dtype, true, "v_dtype");
  if (config.raw_k_dtype) check_dtype(*config.raw_k_dtype, false, "raw_k_dtype");
  check_pairs(config);
  check_page(config);
  const int64_t head_dim = config.layout.head_dim;
  const KvForm k{config.k_dtype, config.kv_heads, config.page_size, head_dim};
  KvForms forms{k, k, {config.v_dtype, config.kv_heads, config.page_size, config.v_dim}, 1};
  if (config.raw_k_dtype) forms.stored.dtype = *config.raw_k_dtype;
  if (config.spectrum) forms.axes = axis_count(*config.spectrum);
  return forms;
}

void check_rows(const ConstTensorView& rows, const KvForm& form, const char* what) {
  if (!is_number(rows.dtype)) {
    fail(fmt::format("append: expected {} of f32, bf16 or f16, found {}", what, name(rows.dtype)),
         ErrorCode::unsupported);
  }
  if (rows.shape.size() != 3 || rows.shape[1] != form.heads || rows.shape[2] != form.channels) {
    fail(fmt::format("append: expected {} [tokens, {}, {}], found {}", what, form.heads,
                     form.channels, to_string(rows.shape)));
  }
  check_view(rows, what);
}

void check_positions(const PositionReader& positions, int64_t count, int64_t axes) {
  for (int64_t axis = 0; axis < axes; ++axis) {
    for (int64_t t = 0; t < count; ++t) {
      const int64_t p = positions.at(axis, 0, t);
      if (p >= 0 && p <= kLastPosition) continue;
      fail(fmt::format("append: expected positions in 0..2^63-2, found {} of token {} on axis {}",
                       p, t, axis));
    }
  }
}

void check_tokens(const KvTokens& tokens, const KvForms& forms) {
  check_rows(tokens.k, forms.k, "k");
  if (forms.v.channels == 0) {
    if (tokens.v.shape.empty()) return;
    fail(fmt::format("append: expected no v in a cache of v_dim 0, found {}",
                     to_string(tokens.v.shape)));
  }
  check_rows(tokens.v, forms.v, "v");
  if (tokens.v.shape[0] != tokens.k.shape[0]) {
    fail(fmt::format("append: expected v of {} tokens as k, found {}", tokens.k.shape[0],
                     tokens.v.shape[0]));
  }
}

void check_made_rows(const KvTokens& tokens, const Spectrum* spectrum,
                     const PositionIds& positions) {
  if (tokens.rows == nullptr) return;
  const RopeRows& rows = *tokens.rows;
  const int64_t count = tokens.k.shape[0];
  const auto pairs = spectrum == nullptr ? 0 : static_cast<int64_t>(spectrum->inv_freq.size());
  if (rows.batch == 1 && rows.length == count && rows.pairs == pairs &&
      rows.direction == Direction::forward &&
      rows.rows.size() == static_cast<size_t>(count * 2 * pairs)) {
    if (spectrum == nullptr || may_be_rows_of(rows, *spectrum, positions, count)) return;
    fail(
        "append: expected rows of the spectrum of the sequence at the positions of the tokens, "
        "found rows of others");
  }
  fail(
      fmt::format("append: expected rows of 1 sequence, {} tokens, {} pairs, forward, found {}, "
                  "{}, {}, {} numbers",
                  count, pairs, rows.batch, rows.length, rows.pairs, rows.rows.size()));
}

ConstTensorView tokens_of(ConstTensorView view, int axis, int64_t first, int64_t count) {
  view.data = static_cast<const char*>(view.data) +
              first * view.strides[axis] * static_cast<int64_t>(size_in_bytes(view.dtype));
  view.shape[axis] = count;
  return view;
}

KvCells make_page(const KvForms& forms, bool raw) {
  const auto cells = static_cast<size_t>(forms.k.page_size);
  KvCells page;
  page.base.resize(cells * static_cast<size_t>(forms.axes));
  page.positions.resize(page.base.size());
  page.spectrum.resize(cells);
  page.stored = make_kv_rows(forms.stored);
  if (raw) page.turned = make_kv_rows(forms.k);
  if (forms.v.channels > 0) page.v = make_kv_rows(forms.v);
  return page;
}

// Tokens [first, first + count) of an append.
struct Piece {
  const PositionIds& positions;
  const KvTokens& tokens;
  const PositionReader& reader;
  int64_t first, count;

  ConstTensorView k() const { return tokens_of(tokens.k, 0, first, count); }
};

void rotate(const KvCacheConfig& config, const Spectrum& spectrum, const Piece& piece,
            const Rotated& k) {
  const RopeOptions options{.output_layout = config.output_layout};
  if (piece.tokens.rows == nullptr) {
    PositionIds positions = piece.positions;
    if (positions.is_run()) {
      positions.first += piece.first;
    } else {
      const int last = positions.ids.shape.size() - 1;
      positions.ids = tokens_of(positions.ids, last, piece.first, piece.count);
    }
    return apply_rope(spectrum, config.layout, positions, k, std::nullopt, options);
  }
  const RopeRows& rows = *piece.tokens.rows;
  if (piece.count == rows.length) {
    return apply_rope(rows, config.layout, k, std::nullopt, options);
  }
  const float* const from = rows.rows.data() + piece.first * 2 * rows.pairs;
  const RopeRows some{
      1, piece.count, rows.pairs, rows.direction, {from, from + piece.count * 2 * rows.pairs}};
  apply_rope(some, config.layout, k, std::nullopt, options);
}

// Writes behind the cells of a page, which does not count them yet.
void write(const KvCacheConfig& config, const KvForms& forms, const Spectrum* spectrum,
           const Piece& piece, KvCells& page) {
  const int64_t first = page.count;
  for (int64_t axis = 0; axis < forms.axes; ++axis) {
    for (int64_t t = 0; t < piece.count; ++t) {
      const auto at = static_cast<size_t>(axis * forms.k.page_size + first + t);
      page.base[at] = page.positions[at] = piece.reader.at(axis, 0, piece.first + t);
    }
  }
  if (forms.v.channels > 0) {
    store(forms.v, page.v, first, tokens_of(piece.tokens.v, 0, piece.first, piece.count));
  }
  if (spectrum == nullptr) return store(forms.stored, page.stored, first, piece.k());
  const auto turn = [&](const Rotated& k) { rotate(config, *spectrum, piece, k); };
  if (!config.raw_k_dtype) {
    store_rotated(forms.stored, page.stored, first, piece.k(), turn);
    if (!page.turned.is_empty()) copy_cells(forms.k, page.stored, page.turned, first, piece.count);
    return;
  }
  store(forms.stored, page.stored, first, piece.k());
  Tensor memory;
  store_rotated(forms.k, page.turned, first,
                numbers_of(forms.stored, std::as_const(page.stored), first, piece.count,
                           forms.k.dtype, memory),
                turn);
}

}  // namespace

KvCache::KvCache(KvCacheConfig config) : config_(std::move(config)), forms_(forms_of(config_)) {}

void KvCache::fill(Sequence& sequence, const PositionIds& positions, const KvTokens& tokens) {
  const int64_t count = tokens.k.shape[0], page_size = config_.page_size;
  const PositionReader reader(positions, 1, count, forms_.axes);
  const size_t pages = sequence.pages.size();
  const size_t begin = pages - (pages > 0 && sequence.pages.back().count < page_size ? 1 : 0);
  const Spectrum* const spectrum =
      sequence.spectra.empty() ? nullptr : &sequence.spectra[sequence.spectrum];
  const auto fill_pages = [&] {
    size_t page = begin;
    for (int64_t first = 0; first < count; ++page) {
      if (page == sequence.pages.size()) {
        sequence.pages.push_back(make_page(forms_, config_.raw_k_dtype.has_value()));
      }
      KvCells& cells = sequence.pages[page];
      const int64_t some = std::min(count - first, page_size - cells.count);
      std::fill_n(cells.spectrum.begin() + cells.count, some, sequence.spectrum);
      write(config_, forms_, spectrum, {positions, tokens, reader, first, some}, cells);
      first += some;
    }
  };
  try {
    fill_pages();
  } catch (...) {
    sequence.pages.resize(pages);
    throw;
  }
  // All is there: now it counts.
  int64_t left = count;
  for (size_t page = begin; left > 0; ++page) {
    KvCells& cells = sequence.pages[page];
    const int64_t some = std::min(left, page_size - cells.count);
    cells.count += some;
    left -= some;
  }
}

void KvCache::append(int64_t sequence, const PositionIds& positions, const KvTokens& tokens) {
  check_tokens(tokens, forms_);
  const int64_t count = tokens.k.shape[0];
  check_positions(PositionReader(positions, 1, count, forms_.axes), count, forms_.axes);
  within_memory("append", [&] {
    const auto [place, is_new] = sequences_.try_emplace(sequence);
    try {
      if (is_new && config_.spectrum) place->second.spectra = {*config_.spectrum};
      check_made_rows(tokens, spectrum(sequence), positions);
      fill(place->second, positions, tokens);
    } catch (...) {
      if (is_new) sequences_.erase(place);
      throw;
    }
  });
}

}  // namespace ropewalk
