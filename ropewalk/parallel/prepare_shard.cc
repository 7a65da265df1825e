#include "ropewalk/parallel/prepare_shard.h"

#include <algorithm>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/tensor_layout.h"
#include "ropewalk/positions/positions.h"

namespace ropewalk {
namespace {

TensorView as_batch(const TensorView& heads) {
  if (heads.shape.empty()) return heads;
  return as_bshd(heads, TensorLayout::thd, "heads");
}

TensorView tokens_of(TensorView heads, int64_t begin, int64_t end) {
  if (begin < end) {
    heads.data = static_cast<char*>(heads.data) +
                 begin * heads.strides[1] * static_cast<int64_t>(size_in_bytes(heads.dtype));
  }
  heads.shape[1] = end - begin;
  return heads;
}

// Of a stream of keys, its axes and sequences.
class Stream {
 public:
  Stream(const RingSequences& sequences, const StreamPositions& positions)
      : sequences_(sequences),
        positions_(positions),
        axes_(positions.ids.ids.shape.size() == 3 ? positions.ids.ids.shape[0] : 1),
        reader_(positions.ids, 1, sequences.key_starts.back(), axes_) {}

  int64_t at(int64_t axis, size_t sequence, int64_t token) const {
    if (positions_.ids.is_run()) return positions_.ids.first + token;
    return reader_.at(axis, 0, sequences_.key_starts[sequence] + token);
  }

  // [axes, 1, tokens] of a part of a shard; of one axis [1, tokens], which serves all axes of text.
  PositionArray of(const RingShard& shard, size_t s) const {
    const int64_t begin = shard.starts[s], end = shard.starts[s + 1];
    PositionArray result{{axes_, 1, end - begin}, {}};
    if (axes_ == 1) result.shape = {1, end - begin};
    for (int64_t axis = 0; axis < axes_; ++axis) {
      for (int64_t i = begin; i < end; ++i) {
        result.ids.push_back(at(axis, s, shard.tokens[static_cast<size_t>(i)]));
      }
    }
    return result;
  }

  // 1 + the largest position of a sequence, as sequence_lengths has it.
  int64_t length(size_t s) const {
    if (positions_.seq_len > 0) return positions_.seq_len;
    const int64_t keys = sequences_.key_starts[s + 1] - sequences_.key_starts[s];
    if (positions_.ids.is_run()) return positions_.ids.first + keys;
    int64_t most = -1;
    for (int64_t axis = 0; axis < axes_; ++axis) {
      for (int64_t token = 0; token < keys; ++token) most = std::max(most, at(axis, s, token));
    }
    return most + 1;
  }

 private:
  const RingSequences& sequences_;
  const StreamPositions& positions_;
  int64_t axes_;
  PositionReader reader_;
};

void rotate_shard(const RopeConfig& rope, const Stream& stream, const RingShard& shard,
                  const TensorView& heads) {
  for (size_t s = 0; s + 1 < shard.starts.size(); ++s) {
    if (shard.starts[s] == shard.starts[s + 1]) continue;
    const PositionArray positions = stream.of(shard, s);
    const int64_t lengths[] = {stream.length(s)};
    apply_rope_by_length(rope, lengths, positions_of(positions.view()),
                         in_place(tokens_of(heads, shard.starts[s], shard.starts[s + 1])));
  }
}

void check_rows(const TensorView& heads, const char* what, const RingShard& shard) {
  if (heads.shape.size() == 3 && heads.shape[0] == std::ssize(shard.rows)) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: expected [{}, heads, channels], found {}", what, shard.rows.size(),
                          to_string(heads.shape)));
}

}  // namespace

void prepare_shard(const Layer& layer, const HeadNorms& norms, const RingSequences& sequences,
                   int64_t rank, const StreamPositions& positions, const ProjectedHeads& heads) {
  const RingShard queries = query_shard(sequences, rank), keys = key_shard(sequences, rank);
  check_rows(heads.q, "q", queries);
  check_rows(heads.k, "k", keys);
  const ProjectedHeads batch{as_batch(heads.q), as_batch(heads.k), as_batch(heads.v)};
  const Stream stream(sequences, positions);
  before_rotation(layer, norms, batch);
  if (const auto* rope = std::get_if<RopeConfig>(&layer.positions)) {
    rotate_shard(*rope, stream, keys, batch.k);
    rotate_shard(*rope, stream, queries, batch.q);
  }
  PositionArray of_queries{{1, std::ssize(queries.rows)}, {}};
  for (size_t s = 0; s + 1 < queries.starts.size(); ++s) {
    for (int64_t i = queries.starts[s]; i < queries.starts[s + 1]; ++i) {
      of_queries.ids.push_back(stream.at(0, s, queries.tokens[static_cast<size_t>(i)]));
    }
  }
  after_rotation(layer, norms, positions_of(of_queries.view()), batch);
}

}  // namespace ropewalk
