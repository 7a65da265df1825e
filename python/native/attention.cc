#include "ropewalk/attention/attention.h"

#include <fmt/format.h>

#include "python/native/arguments.h"
#include "python/native/attention_call.h"
#include "python/native/attention_docs.h"
#include "python/native/kv_cache.h"
#include "python/native/rotate.h"
#include "python/native/tables.h"
#include "ropewalk/attention/attention_backward.h"

namespace ropewalk::python {

Result::Result(nb::handle given, const char* what, const Dims& shape) {
  if (given.is_valid() && !given.is_none()) {
    given_ = nb::borrow(given);
    array_.emplace(given, what);
  } else {
    made_ = make_tensor(DType::f32, shape);
  }
}

TensorView Result::view() { return array_ ? array_->out() : made_.view(); }

nb::object Result::array(nb::handle like) {
  return array_ ? given_ : array_from(std::move(made_), like);
}

namespace {

// q, k and v of one call.
struct Inputs {
  nb::handle q_object, k_object, v_object;
  Array q, k, v;

  Inputs(nb::handle of_q, nb::handle of_k, nb::handle of_v)
      : q_object(of_q), k_object(of_k), v_object(of_v), q(of_q, "q"), k(of_k, "k"), v(of_v, "v") {}

  std::string words() const {
    return fmt::format("; q is {}, k {}, v {}", in_words(q.in()), in_words(k.in()),
                       in_words(v.in()));
  }
  Dims out_shape() const {
    Dims shape = q.in().shape;
    if (!shape.empty() && !v.in().shape.empty()) shape[shape.size() - 1] = v.in().shape.back();
    return shape;
  }
};

// Where q and k are no heads at all the library says so.
AttentionKeywords::Extent extent_of(const ConstTensorView& q, const ConstTensorView& k,
                                    TensorLayout layout) {
  const ConstTensorView queries = as_bshd(q, layout, "q"), keys = as_bshd(k, layout, "k");
  return {queries.shape[0], queries.shape[2], queries.shape[1], keys.shape[1]};
}

// Rows know how many heads their model has.
void check_heads(const AttentionKeywords& given, nb::handle q, nb::handle k) {
  if (given.q_rows == nullptr) return;
  const Heads checked(q, k, given.options.tensor_layout, given.q_rows->rope->heads);
}

nb::object attention(nb::handle q, nb::handle k, nb::handle v, const nb::kwargs& keywords) {
  AttentionKeywords given({"attention", kLayout | kPacked | kRotation | kResult}, keywords, {});
  const Inputs in(q, k, v);
  const AttentionKeywords::Extent extent =
      extent_of(in.q.in(), in.k.in(), given.options.tensor_layout);
  given.broadcast_mask(extent);
  check_heads(given, q, k);
  Result out(given.out, "out", in.out_shape());
  Tensor lse;
  if (given.return_lse) {
    const bool one = in.q.in().shape.size() == 3;
    lse = make_tensor(DType::f32, one ? Dims{extent.heads, extent.queries}
                                      : Dims{extent.batch, extent.heads, extent.queries});
    given.options.lse = lse.view();
  }
  const TensorView to = out.view();
  run_attention(in.words(), [&] { attend(in.q.in(), in.k.in(), in.v.in(), to, given.options); });
  nb::object result = out.array(q);
  return given.return_lse ? nb::make_tuple(result, array_from(std::move(lse), q)) : result;
}

nb::object scores(nb::handle q, nb::handle k, const nb::kwargs& keywords) {
  AttentionKeywords given({"attention_scores", kLayout | kRotation}, keywords, {});
  const Array of_q(q, "q"), of_k(k, "k");
  const AttentionKeywords::Extent extent =
      extent_of(of_q.in(), of_k.in(), given.options.tensor_layout);
  given.broadcast_mask(extent);
  check_heads(given, q, k);
  const Dims shape{extent.batch, extent.heads, extent.queries, extent.keys};
  const Dims one{extent.heads, extent.queries, extent.keys};
  Tensor out = make_tensor(DType::f32, of_q.in().shape.size() == 3 ? one : shape);
  run_attention(fmt::format("; q is {}, k {}", in_words(of_q.in()), in_words(of_k.in())),
                [&] { attention_scores(of_q.in(), of_k.in(), out.view(), given.options); });
  return array_from(std::move(out), q);
}

nb::object backward(nb::handle d_out, const Inputs& in, nb::handle out, nb::handle lse,
                    const nb::kwargs& keywords) {
  AttentionKeywords given({"attention_backward", kLayout | kPacked}, keywords, {});
  const Array of_out(out, "out"), of_lse(lse, "lse"), of_d_out(d_out, "d_out");
  given.broadcast_mask(extent_of(in.q.in(), in.k.in(), given.options.tensor_layout));
  Tensor dq = make_tensor(DType::f32, in.q.in().shape),
         dk = make_tensor(DType::f32, in.k.in().shape),
         dv = make_tensor(DType::f32, in.v.in().shape);
  run_attention(in.words(), [&] {
    attend_backward({in.q.in(), in.k.in(), in.v.in(), of_out.in(), of_lse.in()}, of_d_out.in(),
                    {dq.view(), dk.view(), dv.view()}, given.options);
  });
  return nb::make_tuple(array_from(std::move(dq), in.q_object),
                        array_from(std::move(dk), in.k_object),
                        array_from(std::move(dv), in.v_object));
}

}  // namespace

void bind_attention(nb::module_& m) {
  using nb::arg;
  define(m, docs::kAttentionSig, attention, docs::kAttention, arg("q").none(), arg("k").none(),
         arg("v").none(), arg("keywords"));
  define(m, docs::kScoresSig, scores, docs::kScores, arg("q").none(), arg("k").none(),
         arg("keywords"));
  bind_kv_cache(m);
  define(
      m, docs::kBackwardSig,
      [](nb::handle d_out, nb::handle q, nb::handle k, nb::handle v, nb::handle out, nb::handle lse,
         const nb::kwargs& keywords) {
        return backward(d_out, Inputs(q, k, v), out, lse, keywords);
      },
      docs::kBackward, arg("d_out").none(), arg("q").none(), arg("k").none(), arg("v").none(),
      arg("out").none(), arg("lse").none(), arg("keywords"));
}

}  // namespace ropewalk::python
