#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "ropewalk/attention/kv_cells.h"
#include "ropewalk/base/dtype.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/base/tensor_view.h"
#include "ropewalk/encoding/position_ids.h"
#include "ropewalk/encoding/rotary_layout.h"
#include "ropewalk/encoding/spectrum.h"
#include "ropewalk/tables/rope_rows.h"

namespace ropewalk {

// What the keys and values of one layer are, and how they are kept.
struct KvCacheConfig {
  int64_t kv_heads = 0;
  int64_t v_dim =
      0;  // channels of a value; 0: none are kept (latent attention: they are part of k)
  RotaryLayout layout;                        // of k: its head_dim, and where its pairs are
  std::optional<RotaryLayout> output_layout;  // where they are written; absent: where they were
  std::optional<Spectrum> spectrum;  // with which a sequence begins; absent: k is not rotated
  DType k_dtype = DType::bf16, v_dtype = DType::bf16;  // f32, bf16, f16 or i8
  // f32, bf16 or f16: k is kept as it came, too, in this type. A cell that was moved then has the
  // bits of one that was computed there; absent, it is rounded twice, at half the memory of k.
  std::optional<DType> raw_k_dtype;
  int64_t page_size = 64;  // tokens; no result depends on it

  bool operator==(const KvCacheConfig&) const = default;
};

// The tokens of one append: k [tokens, kv_heads, head_dim], not rotated, and v [tokens, kv_heads,
// v_dim], of f32, bf16 or f16, any strides. `rows`, where they are given, are those of the
// sequence's spectrum at the positions of the call, made once for all layers.
struct KvTokens {
  ConstTensorView k, v{};
  const RopeRows* rows = nullptr;
};

// The tokens at positions first <= p < end, on the first position axis.
struct PositionRange {
  int64_t first = 0, end = 0;
};

// A page as attention reads it; the views are good until the cache changes.
struct KvPage {
  int64_t tokens = 0;
  ConstTensorView k, v;                // [kv_heads, tokens, channels], channels side by side
  ConstTensorView k_scales, v_scales;  // f32 [kv_heads, tokens] for i8: number = scale * i8
  ConstTensorView positions;           // i64 [axes, tokens]
};

// A sequence as attend takes it: k and v [1, tokens, kv_heads, channels], positions [axes, 1,
// tokens]. No shape: there is none.
struct KvTensors {
  Tensor k, v, positions;
};

// Keys and values of any number of sequences of one layer, in pages. A key is rotated when it is
// stored, and read as it lies. A value: copies share nothing, == compares config and contents (not
// how evictions left them spread over pages), const calls may run at once, others alone.
//
// Each cell keeps the key as it was first stored, with that position and spectrum. A shift or a new
// spectrum turns it from there in one step, by the exact difference of the angles
// (make_rope_rows_between): a thousand shifts have the bits of one, and back is where it began.
//   k stored = round(R(p) k);  k read = round(R'(p') R(p)^-1 stored), stored itself where p' = p
//   with raw_k_dtype: k read = round(R'(p') k), the bits of apply_rope on k
// round: once, to nearest, ties to even. i8: a row of a token and head has scale = max |x| / 127
// (at least 2^-126) and x / scale rounded likewise, so that it is off by scale / 2; a row with a
// number that is not finite is NaN.
// Worked number: head_dim 2, inv_freq [1]: k = [1, 0] at position 3, shifted by -1, reads
// [cos 2, sin 2] = [-0.4161468, 0.9092974].
//
// Positions are 0..2^63-2, and two cells may share one; cells keep the order of appending. Errors
// name the numbers, and leave the cache as it was: invalid_argument (also a sequence that is not
// there), out_of_range for a range past the end, unsupported for types, resource_limit for memory.
class KvCache {
 public:
  explicit KvCache(KvCacheConfig config);

  const KvCacheConfig& config() const { return config_; }
  std::vector<int64_t> sequences() const;  // in ascending order
  int64_t tokens(int64_t sequence) const;
  int64_t length(int64_t sequence) const;  // 1 + the largest position on any axis; 0: no tokens
  const Spectrum* spectrum(int64_t sequence) const;  // of what is read; null: k is not rotated
  int64_t size_in_bytes() const;                     // of all pages

  // Adds tokens at the end of a sequence, which may be a new one. Position ids [tokens] or
  // [axes, 1, tokens], or a run.
  void append(int64_t sequence, const PositionIds& positions, const KvTokens& tokens);

  // Adds delta to the positions of the range: the same on all axes (M-RoPE: text), or one for each.
  void shift(int64_t sequence, PositionRange range, int64_t delta);
  void shift(int64_t sequence, PositionRange range, std::span<const int64_t> deltas);

  // Turns all keys to another spectrum, which those of later appends have, too: from LongRoPE's
  // short factors to its long ones, to dynamic NTK's base of a longer sequence.
  void rerotate(int64_t sequence, const Spectrum& spectrum);

  // Drops the range. Positions stay; evict closes the gap: what follows moves by first - end on all
  // axes.
  void remove(int64_t sequence, PositionRange range);
  void evict(int64_t sequence, PositionRange range);

  // StreamingLLM: keeps the first `sinks` tokens and the last `recent`, which move so that the
  // first of them has the position of the first token that was dropped. Source: Xiao et al., ICLR
  // 2024.
  void keep_ends(int64_t sequence, int64_t sinks, int64_t recent);

  void copy(int64_t from, int64_t to);  // `to` is new
  void erase(int64_t sequence);

  std::vector<KvPage> pages(int64_t sequence) const;

  // In f32, or in the cache's own types where those are f32, bf16 or f16.
  KvTensors gather(int64_t sequence) const;
  KvTensors gather_f32(int64_t sequence) const;

  bool operator==(const KvCache& other) const;

 private:
  struct Sequence {
    std::vector<Spectrum> spectra;  // none where k is not rotated
    size_t spectrum = 0;            // of what is read and appended
    std::vector<KvCells> pages;
  };
  enum class Fate : char { stays, moves, goes };

  const Sequence& at(int64_t sequence, const char* verb) const;
  Sequence& at(int64_t sequence, const char* verb);
  std::vector<Fate> fates(int64_t sequence, PositionRange range, Fate inside, Fate after,
                          const char* verb) const;
  void apply(Sequence& sequence, const std::vector<Fate>& fates, std::span<const int64_t> deltas);
  void fill(Sequence& sequence, const PositionIds& positions, const KvTokens& tokens);
  KvTensors gathered(int64_t sequence, bool f32) const;
  bool same_cells(const Sequence& a, const Sequence& b) const;

  KvCacheConfig config_;
  KvForms forms_;
  std::map<int64_t, Sequence> sequences_;
};

}  // namespace ropewalk
