#include "ropewalk/attention/attention.h"

#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/tensor.h"
#include "ropewalk/capi/attention.h"
#include "ropewalk/capi/choices.h"
#include "ropewalk/capi/options.h"
#include "ropewalk/capi/status.h"
#include "ropewalk/capi/tensors.h"

namespace ropewalk::capi {
namespace {

constexpr ropewalk_attention_options kAttentionOptions = ROPEWALK_ATTENTION_OPTIONS;

// One number for each head, compact in memory.
std::span<const float> by_head(const ropewalk_tensor* tensor, const char* name) {
  if (tensor == nullptr) return {};
  const TensorView view = view_of(tensor, name);
  check_view(view, name);
  if (view.dtype != DType::f32 || view.shape.size() != 1 || view.shape[0] == 0 ||
      !is_contiguous(view)) {
    refuse(fmt::format("{}: expected compact f32 [heads], found {} {} with strides {}", name,
                       ropewalk::name(view.dtype), to_string(view.shape), to_string(view.strides)));
  }
  return {static_cast<const float*>(view.data), static_cast<size_t>(view.shape[0])};
}

AttentionOptions attention_of(const ropewalk_attention_options& how) {
  AttentionOptions options;
  options.tensor_layout = layout_of(how.layout);
  options.causal = flag(how.causal, "causal");
  options.window_left = how.window_left;
  options.window_right = how.window_right;
  options.chunk = how.chunk;
  options.scale = how.scale;
  options.softcap = how.softcap;
  options.sinks = by_head(how.sinks, "sinks");
  options.alibi_slopes = by_head(how.alibi_slopes, "alibi_slopes");
  options.alibi_form = alibi_form_of(how.alibi_form, "alibi_form");
  options.alibi_bf16 = flag(how.alibi_bf16, "alibi_bf16");
  options.alibi_scale = how.alibi_scale;
  if (how.key_mask != nullptr) options.key_mask = view_of(how.key_mask, "key_mask");
  options.parallel = parallel_of(how.threads);
  return options;
}

}  // namespace
}  // namespace ropewalk::capi

using namespace ropewalk::capi;

ropewalk_status ropewalk_attend(const ropewalk_tensor* q, const ropewalk_tensor* k,
                                const ropewalk_tensor* v, const ropewalk_tensor* out,
                                const ropewalk_attention_options* options) {
  return guarded([&] {
    const ropewalk::AttentionOptions how =
        attention_of(required_options(options, kAttentionOptions, "options"));
    ropewalk::attend(view_of(q, "q"), view_of(k, "k"), view_of(v, "v"), view_of(out, "out"), how);
  });
}
