#include "ropewalk/apply/rope_by_length.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

// Sequence `b` alone, of a view [batch, seq, heads, head_dim].
template <typename View>
View sequence_of(View view, int64_t b) {
  using Byte = std::conditional_t<std::is_same_v<View, TensorView>, char, const char>;
  view.data = static_cast<Byte*>(view.data) +
              b * view.strides[0] * static_cast<int64_t>(size_in_bytes(view.dtype));
  view.shape[0] = 1;
  return view;
}

Rotated sequence_of(const Rotated& x, TensorLayout layout, int64_t b, const char* what) {
  return {sequence_of(as_bshd(x.in, layout, what), b),
          sequence_of(as_bshd(x.out, layout, what), b)};
}

// Of a B above 1; the other shapes are the same for all.
PositionIds sequence_of(PositionIds positions, int64_t b) {
  ConstTensorView& ids = positions.ids;
  const size_t rank = ids.shape.size();
  if (positions.is_run() || rank < 2) return positions;
  const size_t batch = rank - 2;
  if (ids.shape[batch] == 1) return positions;
  ids.data = static_cast<const char*>(ids.data) +
             b * ids.strides[batch] * static_cast<int64_t>(size_in_bytes(ids.dtype));
  ids.shape[batch] = 1;
  return positions;
}

}  // namespace

PositionIds planes_in_use(const PositionIds& positions, const RopeConfig& rope,
                          const Spectrum& spectrum) {
  PositionIds used = positions;
  Dims& shape = used.ids.shape;
  if (shape.size() == 3 && shape[0] == rope.position_axes) {
    shape[0] = std::min<int64_t>(shape[0], axis_count(spectrum));
  }
  return used;
}

std::vector<int64_t> sequence_lengths(const PositionIds& positions, int64_t batch, int64_t length,
                                      int64_t axes) {
  const PositionReader reader(positions, batch, length, axes);
  std::vector<int64_t> lengths;
  for (int64_t b = 0; b < batch; ++b) {
    int64_t last = -1;
    for (int64_t axis = 0; axis < axes; ++axis) {
      for (int64_t s = 0; s < length; ++s) last = std::max(last, reader.at(axis, b, s));
    }
    lengths.push_back(last == std::numeric_limits<int64_t>::max() ? last : last + 1);
  }
  return lengths;
}

void apply_rope_by_length(const RopeConfig& rope, std::span<const int64_t> lengths,
                          const PositionIds& positions, const Rotated& q,
                          const std::optional<Rotated>& k, const RopeOptions& options) {
  const int64_t batch = as_bshd(q.in, options.tensor_layout, "q").shape[0];
  if (std::ssize(lengths) != batch) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("lengths: expected one for each of {} sequences, found {}", batch,
                            lengths.size()));
  }
  if (batch == 0) return apply_rope(make_spectrum(rope), rope.layout, positions, q, k, options);
  // A scaling that changes with the length does so in one direction.
  const auto [least, most] = std::minmax_element(lengths.begin(), lengths.end());
  const Spectrum longest = make_spectrum(rope, *most);
  if (make_spectrum(rope, *least) == longest) {
    return apply_rope(longest, rope.layout, planes_in_use(positions, rope, longest), q, k, options);
  }
  RopeOptions each = options;
  each.tensor_layout = TensorLayout::bshd;
  for (int64_t b = 0; b < batch; ++b) {
    const auto of_k = k ? std::optional(sequence_of(*k, options.tensor_layout, b, "k")) : k;
    const Spectrum own = make_spectrum(rope, lengths[static_cast<size_t>(b)]);
    apply_rope(own, rope.layout, sequence_of(planes_in_use(positions, rope, own), b),
               sequence_of(q, options.tensor_layout, b, "q"), of_k, each);
  }
}

void rotate(const RopeConfig& rope, const PositionIds& positions, const Rotated& q,
            const std::optional<Rotated>& k, const RotateOptions& options) {
  RopeConfig way = rope;
  if (options.direction != Direction::forward && way.output_layout) {
    std::swap(way.layout, *way.output_layout);
  }
  const Dims shape = as_bshd(q.in, options.tensor_layout, "q").shape;
  const bool empty = num_elements(shape) == 0 && (!k || num_elements(k->in.shape) == 0);
  if (empty) {  // whose batch may be any number
    return apply_rope(make_spectrum(way), way.layout, positions, q, k,
                      {.tensor_layout = options.tensor_layout,
                       .direction = options.direction,
                       .output_layout = way.output_layout});
  }
  const std::vector<int64_t> lengths =
      options.seq_len > 0 ? std::vector<int64_t>(static_cast<size_t>(shape[0]), options.seq_len)
                          : sequence_lengths(positions, shape[0], shape[1], way.position_axes);
  apply_rope_by_length(way, lengths, positions, q, k,
                       {.tensor_layout = options.tensor_layout,
                        .direction = options.direction,
                        .output_layout = way.output_layout,
                        .parallel = options.parallel});
}

RopeRows make_rope_rows_by_length(const RopeConfig& rope, const PositionIds& positions,
                                  int64_t batch, int64_t length, const Parallel& parallel) {
  const std::vector<int64_t> lengths =
      sequence_lengths(positions, batch, length, rope.position_axes);
  const int64_t most = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  const Spectrum longest = make_spectrum(rope, std::max<int64_t>(most, 0));
  const int rank = positions.ids.shape.size();
  const bool one_plane = positions.is_run() || rank < 2 || positions.ids.shape[rank - 2] == 1;
  RopeRows rows = make_rope_rows(longest, planes_in_use(positions, rope, longest),
                                 one_plane ? std::min<int64_t>(batch, 1) : batch, length,
                                 Direction::forward, parallel);
  if (one_plane) return rows;
  const size_t each = rows.rows.size() / static_cast<size_t>(std::max<int64_t>(batch, 1));
  for (int64_t b = 0; b < batch; ++b) {
    if (lengths[static_cast<size_t>(b)] == most) continue;
    const Spectrum own = make_spectrum(rope, lengths[static_cast<size_t>(b)]);
    if (own == longest) continue;
    const RopeRows of_one = make_rope_rows(own, sequence_of(planes_in_use(positions, rope, own), b),
                                           1, length, Direction::forward, parallel);
    std::copy(of_one.rows.begin(), of_one.rows.end(),
              rows.rows.begin() + static_cast<std::ptrdiff_t>(each * static_cast<size_t>(b)));
  }
  return rows;
}

}  // namespace ropewalk
