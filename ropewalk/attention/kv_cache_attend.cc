#include "ropewalk/attention/kv_cache_attend.h"

#include <fmt/format.h>

#include "ropewalk/attention/attention_call.h"
#include "ropewalk/attention/attention_decode.h"

namespace ropewalk {
namespace {

// Views that have the shape of all keys, or values, and the memory of none: for the checks.
ConstTensorView outline(const KvCache& cache, const void* data, int64_t tokens, int64_t channels,
                        TensorLayout layout) {
  const int64_t heads = cache.config().kv_heads;
  ConstTensorView view{data, DType::f32, {1, tokens, heads, channels}, {0, 0, 0, 1}};
  if (layout == TensorLayout::bhsd) view.shape = {1, heads, tokens, channels};
  if (layout == TensorLayout::thd) {
    view.shape = {tokens, heads, channels};
    view.strides = {0, 0, 1};
  }
  return view;
}

// Appends where the rows of a page are, and its scales.
void add_rows(const ConstTensorView& rows, const ConstTensorView& scales, const char* base,
              std::vector<int64_t>& at, std::vector<const float*>& scales_at) {
  const auto size = static_cast<int64_t>(size_in_bytes(rows.dtype));
  const auto* const data = static_cast<const char*>(rows.data);
  const auto offset =
      static_cast<int64_t>(reinterpret_cast<intptr_t>(data) - reinterpret_cast<intptr_t>(base));
  for (int64_t t = 0; t < rows.shape[1]; ++t) {
    at.push_back(offset + t * rows.strides[1] * size);
    if (is_given(scales)) scales_at.push_back(static_cast<const float*>(scales.data) + t);
  }
}

AttentionPages pages_of(const std::vector<KvPage>& pages) {
  AttentionPages all;
  for (const KvPage& page : pages) {
    add_rows(page.k, page.k_scales, static_cast<const char*>(pages.front().k.data), all.k,
             all.k_scales);
    add_rows(page.v, page.v_scales, static_cast<const char*>(pages.front().v.data), all.v,
             all.v_scales);
    if (is_given(page.k_scales)) all.scale_stride = page.k_scales.strides[0];
  }
  return all;
}

void check_options(const KvCache& cache, const AttentionOptions& options) {
  const auto fail = [](const std::string& why) { throw Error(ErrorCode::invalid_argument, why); };
  if (cache.config().v_dim == 0) fail("v_dim: expected a cache with values, found none");
  if (options.rotation.q_rows != nullptr || options.rotation.k_rows != nullptr) {
    fail("rotation: expected none, as cached keys are rotated, found rows");
  }
  if (!options.query_starts.empty() || !options.key_starts.empty()) {
    fail("query_starts: expected none with a cache, found a list");
  }
}

bool is_i8(DType dtype) { return dtype == DType::i8; }

}  // namespace

void attend(const ConstTensorView& q, const KvCache& cache, int64_t sequence, const TensorView& out,
            const AttentionOptions& options) {
  within_memory("attend", [&] {
    check_options(cache, options);
    const KvCacheConfig& config = cache.config();
    const std::vector<KvPage> pages = cache.pages(sequence);
    const void* const k_data = pages.empty() ? nullptr : pages.front().k.data;
    const void* const v_data = pages.empty() ? nullptr : pages.front().v.data;
    const int64_t tokens = cache.tokens(sequence);
    const ConstTensorView k =
        outline(cache, k_data, tokens, config.layout.head_dim, options.tensor_layout);
    const ConstTensorView v = outline(cache, v_data, tokens, config.v_dim, options.tensor_layout);
    AttentionCall call = checked_call(q, k, &v, options);
    const AttentionResults results = checked_results(q, k, v, out, options);
    const AttentionPages at = pages_of(pages);
    call.pages = &at;
    call.k.dtype = config.k_dtype;
    call.v.dtype = config.v_dtype;
    call.k.strides = {0, 0, config.page_size * config.layout.head_dim, 1};
    call.v.strides = {0, 0, config.page_size * config.v_dim, 1};
    const bool eight_bits = is_i8(config.k_dtype) || is_i8(config.v_dtype);
    if (!eight_bits || (config.k_dtype == config.v_dtype && is_decode(call))) {
      return run_attention(call, results);
    }
    const KvTensors all = cache.gather_f32(sequence);
    call.pages = nullptr;
    call.k = all.k.view();
    call.v = all.v.view();
    run_attention(call, results);
  });
}

}  // namespace ropewalk
