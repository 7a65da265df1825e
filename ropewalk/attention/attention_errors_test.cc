// Wrong arguments: each is named, and nothing is written.
#include <algorithm>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include "ropewalk/attention/attention.h"
#include "ropewalk/attention/attention_testing.h"
#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

using testing::random_tensor;

class AttentionErrors : public ::testing::Test {
 protected:
  Tensor q = random_tensor({2, 3, 4, 8}, 1), k = random_tensor({2, 5, 2, 8}, 2),
         v = random_tensor({2, 5, 2, 6}, 3), out = random_tensor({2, 3, 4, 6}, 4),
         scores = random_tensor({2, 4, 3, 5}, 5);

  void refused(const ConstTensorView& some_q, const ConstTensorView& some_k,
               const ConstTensorView& some_v, const std::string& text,
               const AttentionOptions& options = {}, ErrorCode code = ErrorCode::invalid_argument) {
    refused_into(some_q, some_k, some_v, out.view(), text, options, code);
  }

  void refused_into(const ConstTensorView& some_q, const ConstTensorView& some_k,
                    const ConstTensorView& some_v, const TensorView& some_out,
                    const std::string& text, const AttentionOptions& options = {},
                    ErrorCode code = ErrorCode::invalid_argument) {
    const auto before = out.bytes;
    EXPECT_ROPEWALK_ERROR(attend(some_q, some_k, some_v, some_out, options), code, text);
    EXPECT_EQ(out.bytes, before);
  }
};

TEST_F(AttentionErrors, ShapesAreNamedWithBothTensors) {
  refused(q.view(), random_tensor({3, 5, 2, 8}, 1).view(), v.view(),
          "q has shape [2, 3, 4, 8] but k has [3, 5, 2, 8]: 2 and 3 sequences");
  refused(q.view(), random_tensor({2, 5, 2, 6}, 1).view(), v.view(),
          "q has shape [2, 3, 4, 8] but k has [2, 5, 2, 6]: 8 and 6 channels in a head");
  refused(q.view(), random_tensor({2, 5, 3, 8}, 1).view(), v.view(),
          "4 heads of q are not a multiple of 3 heads of k and v");
  refused(q.view(), random_tensor({2, 5, 0, 8}, 1).view(), v.view(), "not a multiple of 0 heads");
  refused(q.view(), k.view(), random_tensor({2, 4, 2, 6}, 1).view(),
          "k has shape [2, 5, 2, 8] but v has [2, 4, 2, 6]: 5 and 4 tokens");
  refused(q.view(), k.view(), random_tensor({2, 5, 4, 6}, 1).view(), "2 and 4 heads");
  refused(q.view(), k.view(), random_tensor({1, 5, 2, 6}, 1).view(), "2 and 1 sequences");
  refused(q.view(), k.view(), random_tensor({5, 6}, 1).view(), "v: expected [batch, seq, heads");
  refused(random_tensor({2, 3, 4, 0}, 1).view(), random_tensor({2, 5, 2, 0}, 1).view(), v.view(),
          "q: expected heads of at least 1 channel, found shape [2, 3, 4, 0]");
  refused(q.view(), k.view(), random_tensor({2, 5, 2, 7}, 1).view(),
          "out: expected shape [2, 3, 4, 7] for q");
}

TEST_F(AttentionErrors, TypesAndNull) {
  const Tensor wide = make_tensor(DType::f64, q.shape);
  refused(wide.view(), k.view(), v.view(), "q: expected dtype f32, bf16 or f16, found f64", {},
          ErrorCode::unsupported);
  refused_into(q.view(), k.view(), v.view(), make_tensor(DType::bf16, out.shape).view(),
               "out: expected dtype f32, found bf16", {}, ErrorCode::unsupported);
  ConstTensorView null = k.view();
  null.data = nullptr;
  refused(q.view(), null, v.view(), "k: null");
}

TEST_F(AttentionErrors, OutputThatMeetsAnInputOrItself) {
  Tensor square = random_tensor({2, 3, 4, 8}, 1);
  const Tensor other = random_tensor({2, 3, 4, 8}, 2);
  refused_into(square.view(), other.view(), other.view(), square.view(), "out: overlaps q");
  refused_into(other.view(), square.view(), other.view(), square.view(), "out: overlaps k");
  refused_into(other.view(), other.view(), square.view(), square.view(), "out: overlaps v");
  TensorView aliased = out.view();
  aliased.strides[2] = 0;
  refused_into(q.view(), k.view(), v.view(), aliased, "name one address twice");
  std::fill_n(out.bytes.begin(), 10, std::byte{1});
  const ConstTensorView mask =
      make_view(static_cast<const void*>(out.bytes.data()), DType::u8, {2, 5});
  refused(q.view(), k.view(), v.view(), "out: overlaps key_mask", {.key_mask = mask});
}

TEST_F(AttentionErrors, MaskSlopesAndScale) {
  const Tensor mask = make_tensor(DType::u8, {2, 4});
  refused(q.view(), k.view(), v.view(), "key_mask: expected shape [batch, keys] = [2, 5]",
          {.key_mask = mask.view()});
  const Tensor floats = make_tensor(DType::f32, {2, 5});
  refused(q.view(), k.view(), v.view(), "key_mask: expected dtype bool, u8, i32 or i64, found f32",
          {.key_mask = floats.view()}, ErrorCode::unsupported);
  Tensor bytes = make_tensor(DType::u8, {2, 5});
  bytes.bytes[7] = std::byte{2};
  refused(q.view(), k.view(), v.view(), "key_mask[1, 2]: expected 0 or 1, found 2",
          {.key_mask = std::as_const(bytes).view()});
  Tensor wide = make_tensor(DType::i64, {2, 5});
  for (size_t i = 0; i < 8; ++i) wide.bytes[i] = std::byte{0xff};
  refused(q.view(), k.view(), v.view(), "key_mask[0, 0]: expected 0 or 1, found -1",
          {.key_mask = std::as_const(wide).view()});
  const std::vector<float> slopes(3);
  refused(q.view(), k.view(), v.view(), "alibi_slopes: expected one for each of the 4",
          {.alibi_slopes = slopes});
  for (double scale :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    refused(q.view(), k.view(), v.view(), "scale: expected a finite number, found ",
            {.scale = scale});
  }
}

TEST_F(AttentionErrors, OfScores) {
  EXPECT_ROPEWALK_ERROR(attention_scores(q.view(), k.view(), out.view()),
                        ErrorCode::invalid_argument, "scores: expected shape [2, 4, 3, 5]");
  TensorView aliased = scores.view();
  aliased.strides[0] = 0;
  EXPECT_ROPEWALK_ERROR(attention_scores(q.view(), k.view(), aliased), ErrorCode::invalid_argument,
                        "name one address twice");
}

TEST_F(AttentionErrors, NothingToDoIsNoError) {
  const auto view = [](const Dims& shape) {
    return make_view(static_cast<void*>(nullptr), DType::f32, shape);
  };
  attend(view({0, 3, 4, 8}), view({0, 5, 2, 8}), view({0, 5, 2, 6}), view({0, 3, 4, 6}));
  attend(view({2, 0, 4, 8}), k.view(), v.view(), view({2, 0, 4, 6}), {.causal = true});
  attend(view({2, 3, 0, 8}), view({2, 5, 0, 8}), view({2, 5, 0, 6}), view({2, 3, 0, 6}));
  attend(q.view(), k.view(), view({2, 5, 2, 0}), view({2, 3, 4, 0}));
  attention_scores(q.view(), view({2, 0, 2, 8}), view({2, 4, 3, 0}));
}

}  // namespace
}  // namespace ropewalk
