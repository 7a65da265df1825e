#include "ropewalk/attention/attention_backward.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/attention/attention_call.h"
#include "ropewalk/attention/attention_run.h"
#include "ropewalk/base/overlap.h"
#include "ropewalk/base/parallel_for.h"
#include "ropewalk/base/tensor.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

float read(const ConstTensorView& x, int64_t a, int64_t b, int64_t c, int64_t d) {
  const int64_t at = a * x.strides[0] + b * x.strides[1] + c * x.strides[2] + d * x.strides[3];
  float value;
  std::memcpy(&value, static_cast<const char*>(x.data) + at * int64_t{sizeof(float)},
              sizeof(value));
  return value;
}

void write(const std::vector<float>& rows, const TensorView& x, int64_t batch, int64_t first,
           int64_t head) {
  const int64_t channels = x.shape[3];
  for (int64_t i = 0; i < std::ssize(rows); ++i) {
    const int64_t at = batch * x.strides[0] + (first + i / channels) * x.strides[1] +
                       head * x.strides[2] + i % channels * x.strides[3];
    std::memcpy(static_cast<char*>(x.data) + at * int64_t{sizeof(float)},
                &rows[static_cast<size_t>(i)], sizeof(float));
  }
}

// A checked call whose q, k and v are float32, and what else its backward pass reads and writes, as
// [batch, seq, heads, channels]; lse as [batch, queries, heads, 1].
struct Pass {
  Tensor q_copy, k_copy, v_copy;
  AttentionCall call;
  ConstTensorView out, d_out, lse;
  TensorView dq, dk, dv;
};

ConstTensorView as_float(const ConstTensorView& x, Tensor& copy) {
  if (x.dtype == DType::f32) return x;
  copy = converted(x, DType::f32);
  return std::as_const(copy).view();
}

void check_given(const ConstTensorView& x, const char* what, const Dims& shape) {
  check_view(x, what);
  if (x.dtype != DType::f32) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: expected dtype f32, found {}", what, name(x.dtype)));
  }
  if (!(x.shape == shape)) {
    fail(
        fmt::format("{}: expected shape {}, found {}", what, to_string(shape), to_string(x.shape)));
  }
}

Dims bshd_shape(const ConstTensorView& x, int64_t last) {
  return {x.shape[0], x.shape[1], x.shape[2], last};
}

// lse [batch, heads, queries] as [batch, queries, heads, 1].
ConstTensorView lse_as_bshd(ConstTensorView lse, const AttentionCall& call) {
  const Dims whole{call.batch, call.heads, call.queries}, one{call.heads, call.queries};
  check_given(lse, "lse", lse.shape.size() == 2 && call.batch == 1 ? one : whole);
  const bool batched = lse.shape.size() == 3;
  const int64_t to_batch = batched ? lse.strides[0] : 0, axis = batched ? 1 : 0;
  lse.strides = Dims{to_batch, lse.strides[axis + 1], lse.strides[axis], 0};
  lse.shape = Dims{call.batch, call.queries, call.heads, 1};
  return lse;
}

void fill_pass(Pass& pass, const AttentionForward& f, const ConstTensorView& d_out,
               const AttentionBackward& gradients, const AttentionOptions& given) {
  AttentionOptions options = given;
  options.lse = {nullptr, DType::f32, {}, {}};
  if (options.rotation.q_rows != nullptr) fail("rotation: expected none here, found rows");
  checked_call(f.q, f.k, &f.v, options);  // before anything is converted
  const ConstTensorView v = as_float(f.v, pass.v_copy);
  pass.call = checked_call(as_float(f.q, pass.q_copy), as_float(f.k, pass.k_copy), &v, options);
  const AttentionCall& call = pass.call;
  const TensorLayout layout = options.tensor_layout;
  pass.out = as_bshd(f.out, layout, "out");
  pass.d_out = as_bshd(d_out, layout, "d_out");
  check_given(pass.out, "out", bshd_shape(call.q, call.v.shape[3]));
  check_given(pass.d_out, "d_out", bshd_shape(call.q, call.v.shape[3]));
  pass.lse = lse_as_bshd(f.lse, call);
  for (const auto& [what, to, like] : {std::tuple{"dq", &gradients.dq, &f.q},
                                       {"dk", &gradients.dk, &f.k},
                                       {"dv", &gradients.dv, &f.v}}) {
    check_attention_output(*to, what, like->shape, f.q, f.k, &f.v, options);
    for (const auto& [other, x] : {std::pair{"out", &f.out}, {"d_out", &d_out}, {"lse", &f.lse}}) {
      if (may_overlap(*to, *x)) fail(fmt::format("{}: overlaps {}", what, other));
    }
  }
  for (const auto& [what, to, other, x] : {std::tuple{"dq", &gradients.dq, "dk", &gradients.dk},
                                           {"dq", &gradients.dq, "dv", &gradients.dv},
                                           {"dk", &gradients.dk, "dv", &gradients.dv}}) {
    if (may_overlap(*to, *x)) fail(fmt::format("{}: overlaps {}", what, other));
  }
  pass.dq = as_bshd(gradients.dq, layout, "dq");
  pass.dk = as_bshd(gradients.dk, layout, "dk");
  pass.dv = as_bshd(gradients.dv, layout, "dv");
}

// Rows of one head of k or v, side by side.
std::vector<float> rows_of(const ConstTensorView& x, const AttentionSequence& sequence,
                           int64_t head) {
  std::vector<float> rows;
  rows.reserve(static_cast<size_t>(sequence.keys * x.shape[3]));
  for (int64_t n = 0; n < sequence.keys; ++n) {
    for (int64_t c = 0; c < x.shape[3]; ++c) {
      rows.push_back(read(x, sequence.batch, sequence.first_key + n, head, c));
    }
  }
  return rows;
}

// One key head of one sequence and the query heads that read it.
class HeadPass {
 public:
  HeadPass(const Pass& pass, int64_t sequence, int64_t head)
      : pass_(pass),
        call_(pass.call),
        sequence_(call_.sequences[static_cast<size_t>(sequence)]),
        number_(sequence),
        head_(head),
        k_(rows_of(call_.k, sequence_, head)),
        v_(rows_of(call_.v, sequence_, head)),
        dk_(k_.size()),
        dv_(v_.size()) {}

  void run() {
    AttentionWorker worker(call_, false);
    constexpr int64_t kQueries = 64;
    for (int64_t first = 0; first < sequence_.queries; first += kQueries) {
      const int64_t count = std::min(kQueries, sequence_.queries - first);
      read_queries(first, count);
      worker.run_each({number_, head_, first, count},
                      [&](const AttentionBlock& block, const AttentionKeys& keys, int64_t from) {
                        meet(block, keys, from - first);
                      });
      for (int64_t g = 0; g < call_.group(); ++g) write_queries(first, count, g);
    }
    write(dk_, pass_.dk, sequence_.batch, sequence_.first_key, head_);
    write(dv_, pass_.dv, sequence_.batch, sequence_.first_key, head_);
  }

 private:
  // d_out, lse and d_out . out of queries, row t group + g.
  void read_queries(int64_t first, int64_t count) {
    const int64_t group = call_.group(), width = call_.v.shape[3];
    d_out_.clear(), lse_.clear(), delta_.clear();
    for (int64_t row = 0; row < count * group; ++row) {
      const int64_t token = sequence_.first_query + first + row / group,
                    h = head_ * group + row % group, b = sequence_.batch;
      double delta = 0;
      for (int64_t c = 0; c < width; ++c) {
        d_out_.push_back(read(pass_.d_out, b, token, h, c));
        delta += static_cast<double>(d_out_.back()) * read(pass_.out, b, token, h, c);
      }
      delta_.push_back(static_cast<float>(delta));
      lse_.push_back(read(pass_.lse, b, token, h, 0));
    }
    dq_.assign(static_cast<size_t>(count * group * call_.q.shape[3]), 0);
  }

  void meet(const AttentionBlock& block, const AttentionKeys& keys, int64_t query) {
    const int64_t row = query * call_.group(), dim = call_.q.shape[3], width = call_.v.shape[3];
    attention_backward(block, keys,
                       {.k = k_.data(),
                        .v = v_.data(),
                        .d_out = d_out_.data() + row * width,
                        .lse = lse_.data() + row,
                        .delta = delta_.data() + row,
                        .dq = dq_.data() + row * dim,
                        .dk = dk_.data(),
                        .dv = dv_.data()});
  }

  void write_queries(int64_t first, int64_t count, int64_t g) {
    const int64_t group = call_.group(), dim = call_.q.shape[3];
    std::vector<float> rows;
    for (int64_t t = 0; t < count; ++t) {
      const auto from = dq_.begin() + (t * group + g) * dim;
      rows.insert(rows.end(), from, from + dim);
    }
    write(rows, pass_.dq, sequence_.batch, sequence_.first_query + first, head_ * group + g);
  }

  const Pass& pass_;
  const AttentionCall& call_;
  const AttentionSequence& sequence_;
  int64_t number_, head_;
  std::vector<float> k_, v_, dk_, dv_, dq_, d_out_, lse_, delta_;
};

// Keys behind a sequence's length get no gradient.
void clear(const TensorView& x) {
  const std::vector<float> zeros(static_cast<size_t>(x.shape[1] * x.shape[3]));
  for (int64_t b = 0; b < x.shape[0]; ++b) {
    for (int64_t h = 0; h < x.shape[2]; ++h) write(zeros, x, b, 0, h);
  }
}

void backward_all(const AttentionForward& forward, const ConstTensorView& d_out,
                  const AttentionBackward& gradients, const AttentionOptions& options) {
  Pass pass;
  fill_pass(pass, forward, d_out, gradients, options);
  for (const TensorView* x : {&pass.dq, &pass.dk, &pass.dv}) clear(*x);
  const AttentionCall& call = pass.call;
  parallel_for(is_small(call) ? Parallel{1, {}} : options.parallel,
               std::ssize(call.sequences) * call.kv_heads,
               [&](int64_t i) { HeadPass(pass, i / call.kv_heads, i % call.kv_heads).run(); });
}

}  // namespace

void attend_backward(const AttentionForward& forward, const ConstTensorView& d_out,
                     const AttentionBackward& gradients, const AttentionOptions& options) {
  within_memory("attend_backward", [&] { backward_all(forward, d_out, gradients, options); });
}

}  // namespace ropewalk
