#include "ropewalk/capi/attention_options.h"

#include <fmt/format.h>

#include "ropewalk/capi/choices.h"
#include "ropewalk/capi/handles.h"
#include "ropewalk/capi/options.h"
#include "ropewalk/capi/status.h"
#include "ropewalk/capi/tensors.h"

namespace ropewalk::capi {
namespace {

constexpr ropewalk_attention_options kAttentionOptions = ROPEWALK_ATTENTION_OPTIONS;

// Numbers of each head, compact in memory.
std::span<const float> by_head(const ropewalk_tensor* tensor, int rank, const char* name) {
  if (tensor == nullptr) return {};
  const TensorView view = view_of(tensor, name);
  check_view(view, name);
  const int64_t count = num_elements(view.shape);
  if (view.dtype != DType::f32 || view.shape.size() != rank || count == 0 || !is_contiguous(view)) {
    refuse(fmt::format("{}: expected compact f32 [heads{}], found {} {} with strides {}", name,
                       rank == 1 ? "" : ", 2 r + 1", ropewalk::name(view.dtype),
                       to_string(view.shape), to_string(view.strides)));
  }
  return {static_cast<const float*>(view.data), static_cast<size_t>(count)};
}

std::span<const int64_t> list_in(std::vector<int64_t>& list, const ropewalk_tensor* tensor,
                                 const char* name) {
  if (tensor == nullptr) return list;
  list = integers_of(tensor, 1, name);
  if (list.empty()) refuse(fmt::format("{}: expected numbers, found none", name));
  return list;
}

void add_distance_bias(AttentionOptions& options, const ropewalk_tensor* bias) {
  options.distance_bias = by_head(bias, 2, "distance_bias");
  if (bias == nullptr) return;
  const int64_t columns = bias->shape[1];
  if (columns % 2 == 0) {
    refuse(fmt::format("distance_bias: expected an odd number of distances, -r .. r, found {}",
                       columns));
  }
  options.bias_reach = columns / 2;
}

// Positions of tokens, one for each of `count`.
std::vector<int64_t> tokens_in(const ropewalk_positions* positions, int64_t count,
                               const char* name) {
  const PositionShape shape = shape_of(positions, name);
  if (shape.batch != 1 || shape.length != count) {
    refuse(fmt::format("{}: expected a run or ids [{}], found {} of {}", name, count, shape.batch,
                       shape.length));
  }
  return list_of(positions, name);
}

}  // namespace

void Attention::add_tokens(const ropewalk_attention_options& how, int64_t queries, int64_t keys) {
  if (how.query_tokens != nullptr && queries > 0) {
    query_tokens_ = tokens_in(how.query_tokens, queries, "query_tokens");
    if (how.query_tokens->ids == nullptr) {
      options.first_query = query_tokens_.front();
    } else {
      options.query_tokens = query_tokens_;
    }
  }
  if (how.key_tokens != nullptr && keys > 0) {
    key_tokens_ = tokens_in(how.key_tokens, keys, "key_tokens");
    options.key_tokens = key_tokens_;
  }
}

void Attention::add_rotation(const ropewalk_attention_options& how) {
  if (how.q_rows == nullptr && how.k_rows == nullptr) return;
  if (how.q_rows == nullptr || how.k_rows == nullptr) {
    refuse("q_rows, k_rows: expected both or neither, found one");
  }
  if (!(how.q_rows->layout == how.k_rows->layout && how.q_rows->spectrum == how.k_rows->spectrum)) {
    refuse("q_rows, k_rows: expected rows of one rope, found those of two");
  }
  // Where results would be written in another order (DeepSeek) q.k is the same sum.
  options.rotation = {&how.q_rows->rows, &how.k_rows->rows, how.q_rows->layout};
}

Attention::Attention(const ropewalk_attention_options* given, int64_t queries, int64_t keys,
                     int32_t layout) {
  const ropewalk_attention_options how = required_options(given, kAttentionOptions, "options");
  options.tensor_layout = layout_of(layout == 0 ? how.layout : layout);
  options.causal = flag(how.causal, "causal");
  options.window_left = how.window_left;
  options.window_right = how.window_right;
  options.chunk = how.chunk;
  options.scale = how.scale;
  options.softcap = how.softcap;
  options.sinks = by_head(how.sinks, 1, "sinks");
  options.alibi_slopes = by_head(how.alibi_slopes, 1, "alibi_slopes");
  options.alibi_form = alibi_form_of(how.alibi_form, "alibi_form");
  options.alibi_bf16 = flag(how.alibi_bf16, "alibi_bf16");
  options.alibi_scale = how.alibi_scale;
  add_distance_bias(options, how.distance_bias);
  options.key_lengths = list_in(key_lengths_, how.key_lengths, "key_lengths");
  options.prefix = list_in(prefix_, how.prefix, "prefix");
  options.query_starts = list_in(query_starts_, how.query_starts, "query_starts");
  options.key_starts = list_in(key_starts_, how.key_starts, "key_starts");
  if (how.key_mask != nullptr) options.key_mask = view_of(how.key_mask, "key_mask");
  if (how.mask != nullptr) options.mask = view_of(how.mask, "mask");
  if (how.lse != nullptr) options.lse = view_of(how.lse, "lse");
  add_tokens(how, queries, keys);
  add_rotation(how);
  options.parallel = parallel_of(how.threads);
}

int64_t tokens_of(const ropewalk_tensor* tensor, const ropewalk_attention_options* options,
                  const char* name) {
  const ropewalk_attention_options how = required_options(options, kAttentionOptions, "options");
  return as_bshd(view_of(tensor, name), layout_of(how.layout), name).shape[1];
}

}  // namespace ropewalk::capi
