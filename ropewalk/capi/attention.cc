#include "ropewalk/attention/attention.h"

#include "ropewalk/attention/attention_backward.h"
#include "ropewalk/capi/attention.h"
#include "ropewalk/capi/attention_options.h"
#include "ropewalk/capi/options.h"
#include "ropewalk/capi/status.h"
#include "ropewalk/capi/tensors.h"

namespace ropewalk::capi {
namespace {

constexpr ropewalk_attention_backward kBackward = ROPEWALK_ATTENTION_BACKWARD;

}  // namespace
}  // namespace ropewalk::capi

using namespace ropewalk::capi;

ropewalk_status ropewalk_attend(const ropewalk_tensor* q, const ropewalk_tensor* k,
                                const ropewalk_tensor* v, const ropewalk_tensor* out,
                                const ropewalk_attention_options* options) {
  return guarded([&] {
    const Attention how(options, tokens_of(q, options, "q"), tokens_of(k, options, "k"));
    ropewalk::attend(view_of(q, "q"), view_of(k, "k"), view_of(v, "v"), view_of(out, "out"),
                     how.options);
  });
}

ropewalk_status ropewalk_attention_scores(const ropewalk_tensor* q, const ropewalk_tensor* k,
                                          const ropewalk_tensor* scores,
                                          const ropewalk_attention_options* options) {
  return guarded([&] {
    const Attention how(options, tokens_of(q, options, "q"), tokens_of(k, options, "k"));
    ropewalk::attention_scores(view_of(q, "q"), view_of(k, "k"), view_of(scores, "scores"),
                               how.options);
  });
}

ropewalk_status ropewalk_attend_backward(const ropewalk_tensor* q, const ropewalk_tensor* k,
                                         const ropewalk_tensor* v,
                                         const ropewalk_attention_backward* pass,
                                         const ropewalk_attention_options* options) {
  return guarded([&] {
    const Attention how(options, tokens_of(q, options, "q"), tokens_of(k, options, "k"));
    const ropewalk_attention_backward given = required_options(pass, kBackward, "pass");
    const ropewalk::AttentionForward forward{view_of(q, "q"), view_of(k, "k"), view_of(v, "v"),
                                             view_of(given.out, "out"), view_of(given.lse, "lse")};
    const ropewalk::TensorView d_out = view_of(given.d_out, "d_out");
    const ropewalk::AttentionBackward gradients{view_of(given.dq, "dq"), view_of(given.dk, "dk"),
                                                view_of(given.dv, "dv")};
    ropewalk::attend_backward(forward, d_out, gradients, how.options);
  });
}
