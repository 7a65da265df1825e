#include "ropewalk/positions/positions.h"

#include <fmt/format.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/positions/check.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorCode::invalid_argument, what); }

// [batch, seq]: value(index, tokens of the row up to here) for a token, masked_value for padding.
template <typename IsToken, typename Value>
PositionArray count_tokens(int64_t batch, int64_t seq, const IsToken& is_token, const Value& value,
                           int64_t masked_value) {
  PositionArray result{{batch, seq}, {}};
  result.ids.reserve(static_cast<size_t>(batch * seq));
  for (int64_t b = 0; b < batch; ++b) {
    int64_t count = 0;
    for (int64_t s = 0; s < seq; ++s) {
      const bool token = is_token(static_cast<size_t>(b * seq + s));
      count += token;
      result.ids.push_back(token ? value(count) : masked_value);
    }
  }
  return result;
}

void check_mask(const PaddingMask& mask) {
  checked_tokens(mask.batch, mask.seq, mask.values.size(), "mask");
  for (size_t i = 0; i < mask.values.size(); ++i) {
    if (mask.values[i] > 1) {
      fail(fmt::format("mask: index {}: expected 0 or 1, found {}", i, mask.values[i]));
    }
  }
}

// first, first + 1, ... for `count` tokens.
void append_run(std::vector<int64_t>& ids, int64_t first, int64_t count, size_t row) {
  if (count > 0 && !checked_add(first, count - 1)) {
    fail(fmt::format("first position {} of row {}: {} tokens go beyond 2^63 - 1", first, row,
                     count));
  }
  for (int64_t i = 0; i < count; ++i) ids.push_back(first + i);
}

}  // namespace

PositionArray mask_positions(const PaddingMask& mask, int64_t masked_value) {
  check_mask(mask);
  return count_tokens(
      mask.batch, mask.seq, [&](size_t i) { return mask.values[i] != 0; },
      [](int64_t count) { return count - 1; }, masked_value);
}

std::vector<int64_t> mask_lengths(const PaddingMask& mask) {
  check_mask(mask);
  std::vector<int64_t> lengths(static_cast<size_t>(mask.batch), 0);
  for (size_t i = 0; i < mask.values.size(); ++i) {
    lengths[i / static_cast<size_t>(mask.seq)] += mask.values[i];
  }
  return lengths;
}

PositionArray offset_positions(std::span<const int64_t> offsets, int64_t seq) {
  const auto batch = static_cast<int64_t>(offsets.size());
  check_tokens(seq, "offset_positions: seq");
  check_tokens(batch, "offset_positions: batch");
  check_tokens(batch * seq, "offset_positions");
  PositionArray result{{batch, seq}, {}};
  result.ids.reserve(static_cast<size_t>(batch * seq));
  for (size_t b = 0; b < offsets.size(); ++b) append_run(result.ids, offsets[b], seq, b);
  return result;
}

PositionArray packed_positions(std::span<const int64_t> cu_seqlens,
                               std::span<const int64_t> firsts) {
  check_cu_seqlens(cu_seqlens);
  const size_t sequences = cu_seqlens.size() - 1;
  if (!firsts.empty() && firsts.size() != sequences) {
    fail(fmt::format("firsts: expected one for each of {} sequences, found {}", sequences,
                     firsts.size()));
  }
  PositionArray result{{cu_seqlens.back()}, {}};
  result.ids.reserve(static_cast<size_t>(cu_seqlens.back()));
  for (size_t i = 0; i < sequences; ++i) {
    append_run(result.ids, firsts.empty() ? 0 : firsts[i], cu_seqlens[i + 1] - cu_seqlens[i], i);
  }
  return result;
}

PositionArray fairseq_positions(const TokenIds& tokens, int64_t padding_idx, int64_t cache_length) {
  checked_tokens(tokens.batch, tokens.seq, tokens.ids.size(), "token ids");
  check_tokens(padding_idx, "padding_idx");
  check_tokens(cache_length, "cache_length");
  return count_tokens(
      tokens.batch, tokens.seq, [&](size_t i) { return tokens.ids[i] != padding_idx; },
      [&](int64_t count) { return count + cache_length + padding_idx; }, padding_idx);
}

PositionArray opt_positions(const PaddingMask& mask) {
  check_mask(mask);
  return count_tokens(
      mask.batch, mask.seq, [&](size_t i) { return mask.values[i] != 0; },
      [](int64_t count) { return count + 1; }, 1);
}

PositionIds last_positions(const PositionIds& positions, int64_t length, int64_t count) {
  if (count < 0 || count > length) {
    fail(fmt::format("last positions: expected 0..{} of {}, found {}", length, length, count));
  }
  if (positions.is_run()) return positions_from(positions.first + (length - count));
  PositionIds last = positions;
  ConstTensorView& ids = last.ids;
  const int axis = ids.shape.size() - 1;
  if (axis < 0 || ids.shape[axis] != length) {
    fail(fmt::format("position_ids: expected {} for each sequence, found {}", length,
                     to_string(ids.shape)));
  }
  ids.data = static_cast<const char*>(ids.data) +
             (length - count) * ids.strides[axis] * static_cast<int64_t>(size_in_bytes(ids.dtype));
  ids.shape[axis] = count;
  return last;
}

}  // namespace ropewalk
