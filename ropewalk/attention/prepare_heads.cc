#include "ropewalk/attention/prepare_heads.h"

#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/attention/heads.h"
#include "ropewalk/base/error.h"
#include "ropewalk/positions/positions.h"

namespace ropewalk {
namespace {

bool is_there(const TensorView& heads) { return !heads.shape.empty(); }

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

void check_heads(const TensorView& heads, bool changed, const char* what) {
  check_view(heads, what);
  if (heads.shape.size() != 4) {
    fail(fmt::format("{}: expected [batch, seq, heads, channels], found {}", what,
                     to_string(heads.shape)));
  }
  if (!changed) return;
  if (heads.dtype != DType::f32) {
    fail(fmt::format("{}: expected f32, because the layer changes it, found {}", what,
                     name(heads.dtype)));
  }
  if (heads.strides[3] != 1 && heads.shape[3] > 1) {
    fail(fmt::format("{}: expected channels side by side, found a stride of {}", what,
                     heads.strides[3]));
  }
}

void check_all(const Layer& layer, const ProjectedHeads& heads) {
  check_heads(heads.q, changes_q_and_k(layer), "q");
  check_heads(heads.k, changes_q_and_k(layer), "k");
  if (const auto* rope = std::get_if<RopeConfig>(&layer.positions)) {
    for (const auto& [what, each] : {std::pair{"q", &heads.q}, {"k", &heads.k}}) {
      if (each->shape[3] == rope->layout.head_dim) continue;
      fail(fmt::format("{}: expected heads of {} channels, found {} in shape {}", what,
                       rope->layout.head_dim, each->shape[3], to_string(each->shape)));
    }
  }
  if (is_there(heads.v)) check_heads(heads.v, changes_v(layer), "v");
}

void norm_both(const Norm& norm, const HeadNorms& learned, const ProjectedHeads& heads) {
  normalize(norm, heads.q, learned.q_norm, learned.q_norm_bias, "q_norm");
  normalize(norm, heads.k, learned.k_norm, learned.k_norm_bias, "k_norm");
}

}  // namespace

bool changes_q_and_k(const Layer& layer) {
  const AttentionConfig& config = layer.attention;
  return config.qk_norm.kind != NormKind::none || config.key_multiplier != 1 ||
         config.clip_qkv != 0 || config.query_scale;
}

bool changes_v(const Layer& layer) {
  const AttentionConfig& config = layer.attention;
  return config.v_norm.kind != NormKind::none || config.value_multiplier != 1 ||
         config.clip_qkv != 0;
}

void before_rotation(const Layer& layer, const HeadNorms& norms, const ProjectedHeads& heads) {
  check_all(layer, heads);
  const AttentionConfig& config = layer.attention;
  multiply(config.key_multiplier, heads.k);
  if (!norms.normed && config.qk_norm.place == NormPlace::before_rotation) {
    norm_both(config.qk_norm, norms, heads);
  }
  clip(config.clip_qkv, heads.q);
  clip(config.clip_qkv, heads.k);
  if (!is_there(heads.v)) return;
  normalize(config.v_norm, heads.v, {}, {}, "v_norm");
  multiply(config.value_multiplier, heads.v);
  clip(config.clip_qkv, heads.v);
}

void after_rotation(const Layer& layer, const HeadNorms& norms, const PositionIds& positions,
                    const ProjectedHeads& heads) {
  const AttentionConfig& config = layer.attention;
  if (config.qk_norm.place == NormPlace::after_rotation) norm_both(config.qk_norm, norms, heads);
  if (config.query_scale) scale_queries(*config.query_scale, positions, heads.q);
}

void prepare_heads(const Layer& layer, const HeadNorms& norms, const PositionIds& positions,
                   const ProjectedHeads& heads, int64_t seq_len) {
  check_all(layer, heads);
  const int64_t queries = heads.q.shape[1], keys = heads.k.shape[1];
  if (queries > keys) fail(fmt::format("q has {} tokens but k only {}", queries, keys));
  before_rotation(layer, norms, heads);
  const PositionIds of_queries = last_positions(positions, keys, queries);
  if (const auto* rope = std::get_if<RopeConfig>(&layer.positions)) {
    const int64_t batch = heads.k.shape[0];
    const std::vector<int64_t> lengths =
        seq_len > 0 ? std::vector<int64_t>(static_cast<size_t>(batch), seq_len)
                    : sequence_lengths(positions, batch, keys, rope->position_axes);
    apply_rope_by_length(*rope, lengths, positions, in_place(heads.k));
    apply_rope_by_length(*rope, lengths, of_queries, in_place(heads.q));
  }
  after_rotation(layer, norms, of_queries, heads);
}

}  // namespace ropewalk
