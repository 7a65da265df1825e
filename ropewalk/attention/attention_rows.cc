#include "ropewalk/attention/attention_rows.h"

#include <cstring>

#include "ropewalk/apply/rope_call.h"
#include "ropewalk/kernels/rope/rope_kernel.h"

namespace ropewalk {
namespace {

int64_t bytes_of(const ConstTensorView& x) { return static_cast<int64_t>(size_in_bytes(x.dtype)); }

const char* address(const ConstTensorView& x, int64_t batch, int64_t token, int64_t head) {
  const int64_t at = batch * x.strides[0] + token * x.strides[1] + head * x.strides[2];
  return static_cast<const char*>(x.data) + at * bytes_of(x);
}

AttentionRows rows_of(const ConstTensorView& x, int64_t batch, int64_t token, int64_t head) {
  const int64_t bytes = bytes_of(x);
  return {.data = address(x, batch, token, head),
          .dtype = x.dtype,
          .row_stride = x.strides[1] * bytes,
          .head_stride = x.strides[2] * bytes,
          .channel_stride = x.strides[3] * bytes,
          .channels = x.shape[3]};
}

// Heads of the listed tokens, side by side.
void gather(const ConstTensorView& x, int64_t batch, const int64_t* list, int64_t count,
            int64_t head, int64_t heads, std::byte* to) {
  const int64_t bytes = bytes_of(x), channels = x.shape[3];
  for (int64_t t = 0; t < count; ++t) {
    for (int64_t h = 0; h < heads; ++h) {
      const char* from = address(x, batch, list[t], head + h);
      for (int64_t c = 0; c < channels; ++c, to += bytes) {
        std::memcpy(to, from + c * x.strides[3] * bytes, static_cast<size_t>(bytes));
      }
    }
  }
}

}  // namespace

AttentionRows AttentionReader::rotated(const ConstTensorView& x, const RopeRows& rows,
                                       const Tokens& tokens, std::vector<std::byte>& memory) {
  const int64_t channels = x.shape[3], bytes = bytes_of(x), row = 2 * rows.pairs;
  memory.resize(static_cast<size_t>(tokens.count * tokens.heads * channels * bytes));
  const Dims shape{1, tokens.count, tokens.heads, channels};
  const TensorView out = make_view(static_cast<void*>(memory.data()), x.dtype, shape);
  ConstTensorView in = out;
  const float* cos_sin =
      rows.rows.data() + (rows.batch == 1 ? 0 : tokens.batch) * rows.length * row;
  if (tokens.list == nullptr) {
    in = {address(x, tokens.batch, tokens.first, tokens.head), x.dtype, shape, x.strides};
    cos_sin += tokens.first * row;
  } else {
    gather(x, tokens.batch, tokens.list, tokens.count, tokens.head, tokens.heads, memory.data());
    rows_.resize(static_cast<size_t>(tokens.count * row));
    for (int64_t t = 0; t < tokens.count; ++t) {
      std::copy_n(cos_sin + tokens.list[t] * row, row, rows_.data() + t * row);
    }
    cos_sin = rows_.data();
  }
  RopeJob job;
  fill_rope_job(job, call_.options.rotation.layout, rows.pairs, {in, out}, std::nullopt, {});
  job.token_rows = cos_sin;
  job.token_rows_per_batch = 0;
  rope_tokens(job, 0, tokens.count);
  return rows_of(out, 0, 0, 0);
}

AttentionRows AttentionReader::queries(const AttentionSequence& sequence, int64_t kv_head,
                                       int64_t first, int64_t count) {
  const int64_t row = sequence.first_query + first, head = kv_head * call_.group();
  const RopeRows* rows = call_.options.rotation.q_rows;
  if (rows == nullptr) return rows_of(call_.q, sequence.batch, row, head);
  return rotated(call_.q, *rows, {sequence.batch, row, count, nullptr, head, call_.group()}, q_);
}

AttentionKeys AttentionReader::keys(const AttentionSequence& sequence, int64_t kv_head,
                                    int64_t first, int64_t count) {
  AttentionKeys keys;
  keys.first = first;
  keys.count = count;
  if (!sequence.ordered) keys.numbers = sequence.order.data() + first;
  if (!call_.options.key_tokens.empty()) keys.tokens = call_.options.key_tokens.data();
  if (call_.pages != nullptr) {
    find_in_pages(keys, kv_head);
    return keys;
  }
  const int64_t row = sequence.first_key + (sequence.ordered ? first : 0);
  if (call_.v.data != nullptr) {
    keys.v = rows_of(call_.v, sequence.batch, row, kv_head);
    keys.v.index = keys.numbers;
  }
  const RopeRows* rows = call_.options.rotation.k_rows;
  if (rows != nullptr) {
    keys.k = rotated(call_.k, *rows, {sequence.batch, row, count, keys.numbers, kv_head, 1}, k_);
    return keys;
  }
  keys.k = rows_of(call_.k, sequence.batch, row, kv_head);
  keys.k.index = keys.numbers;
  return keys;
}

void AttentionReader::find_in_pages(AttentionKeys& keys, int64_t kv_head) {
  const AttentionPages& pages = *call_.pages;
  const auto count = static_cast<size_t>(keys.count);
  const auto find = [&](const ConstTensorView& x, const std::vector<int64_t>& all,
                        std::vector<int64_t>& at) {
    at.resize(count);
    for (int64_t j = 0; j < keys.count; ++j) {
      at[static_cast<size_t>(j)] = all[static_cast<size_t>(keys.number(j))];
    }
    AttentionRows rows = rows_of(x, 0, 0, kv_head);
    rows.row_stride = 1;  // the list is of bytes
    rows.index = at.data();
    return rows;
  };
  const auto scales = [&](const std::vector<const float*>& all, std::vector<float>& to) {
    if (all.empty()) return static_cast<const float*>(nullptr);
    const int64_t heads = call_.kv_heads - kv_head;
    to.resize(static_cast<size_t>(heads * keys.count));
    for (int64_t j = 0, run = 1; j < keys.count; j += run) {  // a run of keys of one page
      const auto scale = [&](int64_t i) { return all[static_cast<size_t>(keys.number(i))]; };
      const float* const from = scale(j);
      for (run = 1; j + run < keys.count && scale(j + run) == from + run;) ++run;
      for (int64_t h = 0; h < heads; ++h) {
        std::copy_n(from + (kv_head + h) * pages.scale_stride, run, to.data() + h * keys.count + j);
      }
    }
    return static_cast<const float*>(to.data());
  };
  keys.k = find(call_.k, pages.k, k_at_);
  keys.v = find(call_.v, pages.v, v_at_);
  keys.k_scales = scales(pages.k_scales, k_scales_);
  keys.v_scales = scales(pages.v_scales, v_scales_);
}

}  // namespace ropewalk
