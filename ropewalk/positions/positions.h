#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ropewalk/base/tensor_view.h"
#include "ropewalk/encoding/position_ids.h"

namespace ropewalk {

// Position ids in memory of their own, row-major: [S], [B, S] or [axes, B, S], the shapes of
// PositionIds.
struct PositionArray {
  Dims shape;
  std::vector<int64_t> ids;

  // What positions_of takes.
  ConstTensorView view() const { return make_view(ids.data(), DType::i64, shape); }
  bool operator==(const PositionArray&) const = default;
};

// An attention mask [batch, seq], row-major: 1 is a token, 0 is padding.
struct PaddingMask {
  int64_t batch = 0, seq = 0;
  std::span<const uint8_t> values;
};

// Tokens [batch, seq], row-major.
struct TokenIds {
  int64_t batch = 0, seq = 0;
  std::span<const int64_t> ids;
};

// Each function throws invalid_argument for sizes that do not agree or a value outside its range,
// naming the index, and resource_limit beyond 2^28 tokens.

// [B, S], padding on the left, the right or anywhere: position = tokens up to here - 1, and
// `masked_value` for padding. Mask 0 0 1 1 1: 0 0 0 1 2.
// transformers fills with 0 from version 5 and with 1 before (generation/utils.py); what stands
// there matters to no model that masks its padding.
PositionArray mask_positions(const PaddingMask& mask, int64_t masked_value = 0);

// [B]: the tokens of each row, which is the position of the next one. Mask 0 0 1 1 1: 3.
std::vector<int64_t> mask_lengths(const PaddingMask& mask);

// [B, S]: row b counts from offsets[b], as in a decode step whose rows have caches of different
// lengths. Offsets 3, 7 and seq 2: 3 4, 7 8.
PositionArray offset_positions(std::span<const int64_t> offsets, int64_t seq);

// [T]: sequences packed one after the other, boundaries 0, end of the first, ..., T; each counts
// from 0, or from firsts[i] where given (a later part of a prompt). Boundaries 0 4 8: 0 1 2 3 0 1 2
// 3. The attention must be kept inside the sequences too: positions alone do not part them.
PositionArray packed_positions(std::span<const int64_t> cu_seqlens,
                               std::span<const int64_t> firsts = {});

// [B, S]: rows of a learned or sinusoidal table as fairseq counts them, from padding_idx + 1 on,
// and padding_idx for padding (RoBERTa, XLM-R, M2M100, NLLB, XGLM):
//   (cumsum(id != padding_idx) + cache_length) * (id != padding_idx) + padding_idx
// padding_idx 1, ids 0 5 6 1: 2 3 4 1.
// Source: make_positions of fairseq/utils.py; create_position_ids_from_input_ids of transformers.
PositionArray fairseq_positions(const TokenIds& tokens, int64_t padding_idx,
                                int64_t cache_length = 0);

// [B, S]: rows of OPT's table, which begins with two that are not positions:
//   cumsum(mask) * mask - 1 + 2
// Mask 1 1 1 0: 2 3 4 1. (BART counts from 2 with no mask: offset_positions with offsets 2.)
// Source: OPTLearnedPositionalEmbedding of transformers.
PositionArray opt_positions(const PaddingMask& mask);

// The positions of the last `count` of `length` tokens, as a view: queries are the last of the
// keys. 0 1 2 3, the last two: 2 3. Throws invalid_argument unless 0 <= count <= length and the ids
// have that length.
PositionIds last_positions(const PositionIds& positions, int64_t length, int64_t count);

}  // namespace ropewalk
