#include "ropewalk/weights/permute_qk.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/encoding/layout_permutation.h"

namespace ropewalk {
namespace {

// Where each row of a tensor comes from.
std::vector<int64_t> source_rows(const AttentionTensor& tensor, int64_t rows,
                                 std::span<const int64_t> channels) {
  std::vector<int64_t> source(static_cast<size_t>(rows));
  std::iota(source.begin(), source.end(), 0);
  for (const HeadRows& heads : tensor.heads) {
    for (int64_t h = 0; h < heads.count; ++h) {
      const int64_t first = heads.first + h * heads.step;
      for (int64_t i = 0; i < heads.channels; ++i) {
        const int64_t from = channels[static_cast<size_t>(heads.channel + i)] - heads.channel;
        if (from < 0 || from >= heads.channels) {
          throw Error(ErrorCode::unsupported,
                      fmt::format("tensor \"{}\": expected channels that stay within its {} rows "
                                  "of k, found one that leaves them",
                                  escaped(tensor.name), heads.channels));
        }
        source[static_cast<size_t>(first + i)] = first + from;
      }
    }
  }
  return source;
}

// The first row that another block of scales would hold; -1 for none.
int64_t first_that_leaves(std::span<const int64_t> source, int64_t block) {
  for (size_t r = 0; r < source.size(); ++r) {
    if (source[r] / block != static_cast<int64_t>(r) / block) return static_cast<int64_t>(r);
  }
  return -1;
}

RowMove move_of(AttentionTensor tensor, std::span<const int64_t> channels,
                const std::string& label) {
  RowMove move{.tensor = std::move(tensor)};
  if (move.tensor.heads.empty()) return move;
  move.source = source_rows(move.tensor, move.tensor.rows, channels);
  const int64_t block = move.tensor.block;
  if (block > 0) {
    const int64_t row = first_that_leaves(move.source, block);
    if (row >= 0) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("{}: tensor \"{}\": expected rows that stay in their blocks of {}, "
                              "which share a scale, found row {} that comes from row {}",
                              label, escaped(move.tensor.name), block, row,
                              move.source[static_cast<size_t>(row)]));
    }
    move.source.clear();
    return move;
  }
  for (size_t r = 0; r < move.source.size(); ++r) {
    if (move.source[r] != static_cast<int64_t>(r)) ++move.moved;
  }
  if (move.moved == 0) move.source.clear();
  return move;
}

void check_layouts(const ModelEncoding& model, std::span<const RotaryLayout> from,
                   std::span<const RotaryLayout> to) {
  if (from.size() == model.layers.size() && to.size() == model.layers.size()) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("layouts: expected one for each of {} layers, found {} and {}",
                          model.layers.size(), from.size(), to.size()));
}

// The permutation of each layer, made once for layers that are alike.
class Permutations {
 public:
  Permutations(std::span<const RotaryLayout> from, std::span<const RotaryLayout> to)
      : from_(from), to_(to) {
    for (size_t i = 0; i < from.size(); ++i) {
      if (!from[i].windows.empty()) last_ = i;
    }
  }

  std::span<const int64_t> of(int64_t layer) {
    const size_t i = std::min(static_cast<size_t>(layer), from_.size());
    const size_t at = i == from_.size() ? last_ : i;
    for (const auto& [known, channels] : made_) {
      if (from_[known] == from_[at] && to_[known] == to_[at]) return channels;
    }
    return made_.emplace(at, permutation(from_[at], to_[at])).first->second;
  }

 private:
  std::span<const RotaryLayout> from_, to_;
  size_t last_ = 0;  // that rotates
  std::map<size_t, std::vector<int64_t>> made_;
};

}  // namespace

Tensor permute_qk(const ConstTensorView& w, int64_t heads, const RotaryLayout& from,
                  const RotaryLayout& to) {
  const std::vector<int64_t> channels = permutation(from, to);
  const int64_t d = from.head_dim, rows = w.shape.empty() ? 0 : w.shape[0];
  if (heads < 1 || rows != heads * d) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("w: expected {} heads of {} rows, found shape {}", heads, d,
                            to_string(w.shape)));
  }
  const Tensor in = contiguous_copy(w);
  Tensor out = make_tensor(in.dtype, in.shape);
  const size_t row = in.bytes.size() / static_cast<size_t>(rows);
  if (row == 0) return out;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t from_row = r / d * d + channels[static_cast<size_t>(r % d)];
    std::memcpy(out.bytes.data() + static_cast<size_t>(r) * row,
                in.bytes.data() + static_cast<size_t>(from_row) * row, row);
  }
  return out;
}

std::vector<RotaryLayout> layouts_of(const ModelEncoding& model) {
  std::vector<RotaryLayout> layouts;
  for (const Layer& layer : model.layers) {
    const auto* rope = std::get_if<RopeConfig>(&layer.positions);
    layouts.push_back(rope == nullptr ? RotaryLayout{layer.head_dim, {}} : rope->layout);
  }
  return layouts;
}

std::vector<RotaryLayout> layouts_of(const ModelEncoding& model, Pairing pairing) {
  std::vector<RotaryLayout> layouts = layouts_of(model);
  for (RotaryLayout& layout : layouts) layout = with_pairing(std::move(layout), pairing);
  return layouts;
}

PermutePlan plan_permutation(const std::filesystem::path& checkpoint, const ModelEncoding& model,
                             std::span<const RotaryLayout> from, std::span<const RotaryLayout> to) {
  check_layouts(model, from, to);
  PermutePlan plan{.stored = read_stored_tensors(checkpoint)};
  const std::string label = escaped(checkpoint.string());
  AttentionTensors found = attention_tensors(plan.stored, model, label);
  plan.beyond = std::move(found.beyond);
  plan.adapter = found.adapter;
  Permutations permutations(from, to);
  for (AttentionTensor& tensor : found.tensors) {
    const auto channels = permutations.of(tensor.layer);
    plan.moves.push_back(move_of(std::move(tensor), channels, label));
  }
  return plan;
}

}  // namespace ropewalk
