// Wrong arguments: each is named, and nothing is written.
#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include "ropewalk/apply/rope.h"
#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

const RotaryLayout kLayout{8, {{0, 8, Pairing::half_split}}};
const Spectrum kSpectrum = make_spectrum({.rotary_dim = 8, .layout = kLayout});

// The call must fail and leave x as it was.
#define EXPECT_REFUSED(call, code, text)                \
  do {                                                  \
    const auto before_ = x.bytes;                       \
    EXPECT_ROPEWALK_ERROR(call, ErrorCode::code, text); \
    EXPECT_EQ(x.bytes, before_);                        \
  } while (false)

class RopeErrors : public ::testing::Test {
 protected:
  Tensor x = testing::random_tensor({2, 3, 2, 8}, 1);
  Tensor k = testing::random_tensor({2, 3, 1, 8}, 2);
};

TEST_F(RopeErrors, A1_NullData) {
  TensorView null = x.view();
  null.data = nullptr;
  EXPECT_REFUSED(apply_rope(kSpectrum, kLayout, positions_from(0), {null, x.view()}),
                 invalid_argument, "q: null");
  EXPECT_REFUSED(apply_rope(kSpectrum, kLayout, positions_from(0), {x.view(), null}),
                 invalid_argument, "q output: null");
}

TEST_F(RopeErrors, A2_NothingToDo) {
  for (const Dims& shape : {Dims{0, 3, 2, 8}, Dims{2, 0, 2, 8}, Dims{2, 3, 0, 8}}) {
    TensorView empty = make_view(static_cast<void*>(nullptr), DType::f32, shape);
    EXPECT_NO_THROW(apply_rope(kSpectrum, kLayout, positions_from(0), in_place(empty)));
  }
}

// Empty, of as many sequences as there are numbers, or with strides that lead nowhere: nothing is
// walked through, and nothing overflows.
TEST_F(RopeErrors, A2_EmptyAxesOfAnySize) {
  constexpr int64_t kMany = int64_t{1} << 40;
  const std::vector<float> row(8, 1);
  const TableView table{make_view(row.data(), DType::f32, {2, 4}),
                        make_view(row.data(), DType::f32, {2, 4})};
  for (const Dims& shape : {Dims{kMany, 1, 0, 8}, Dims{kMany, kMany, 0, 8}, Dims{kMany, 0, 2, 8}}) {
    const TensorView empty = make_view(static_cast<void*>(nullptr), DType::f32, shape);
    EXPECT_NO_THROW(apply_rope(kSpectrum, kLayout, positions_from(0), in_place(empty)));
    EXPECT_NO_THROW(apply_rope(table, kLayout, positions_from(0), in_place(empty)));
    EXPECT_NO_THROW(
        rotate({.rotary_dim = 8, .layout = kLayout}, positions_from(0), in_place(empty)));
  }
  // No heads of q beside those of k, and the stride of an axis of one number.
  const TensorView none = make_view(static_cast<void*>(nullptr), DType::f32, {2, 3, 0, 8});
  Tensor alone = k;
  apply_rope(kSpectrum, kLayout, positions_from(0), in_place(alone.view()));
  TensorView one_head = k.view();
  one_head.strides[2] = std::numeric_limits<int64_t>::max();
  apply_rope(kSpectrum, kLayout, positions_from(0), in_place(none), in_place(one_head));
  EXPECT_EQ(k.bytes, alone.bytes);
}

// A layout and a spectrum of no pairs change nothing, with rows as on the fly.
TEST_F(RopeErrors, NoPairs) {
  const Spectrum none = spectrum_from_inv_freq({});
  const RotaryLayout layout{8, {}};
  const Tensor before = x;
  apply_rope(none, layout, positions_from(0), in_place(x.view()));
  apply_rope(make_rope_rows(none, positions_from(0), 2, 3), layout, in_place(x.view()));
  EXPECT_EQ(x.bytes, before.bytes);
  Tensor out = make_tensor(DType::f32, x.shape);
  apply_rope(make_rope_rows(none, positions_from(0), 1, 3), layout,
             {std::as_const(x).view(), out.view()});
  EXPECT_EQ(out.bytes, before.bytes);
}

TEST_F(RopeErrors, A3_ImpossibleLayouts) {
  const auto call = [&](const RotaryLayout& layout) {
    apply_rope(kSpectrum, layout, positions_from(0), in_place(x.view()));
  };
  EXPECT_REFUSED(call({0, {}}), invalid_argument, "head_dim: expected 1..65536, found 0");
  EXPECT_REFUSED(call({8, {{0, 7, Pairing::half_split}}}), invalid_argument,
                 "rotary dim: expected a positive even number, found 7");
  EXPECT_REFUSED(call({8, {{2, 8, Pairing::half_split}}}), invalid_argument,
                 "rotary window: expected channels inside head_dim 8, found 8 from channel 2");
  EXPECT_REFUSED(call({8, {{0, 4, Pairing::half_split}, {2, 4, Pairing::half_split}}}),
                 invalid_argument, "overlap");
  EXPECT_REFUSED(call({8, {{0, 4, Pairing::half_split}}}), invalid_argument, "2 pairs");
}

TEST_F(RopeErrors, A4A8_SizesThatOverflow) {
  TensorView huge =
      make_view(x.bytes.data(), DType::f32, {int64_t{1} << 32, int64_t{1} << 32, 2, 8});
  EXPECT_REFUSED(apply_rope(kSpectrum, kLayout, positions_from(0), in_place(huge)),
                 invalid_argument, "more elements");
  TensorView far = x.view();
  far.strides[0] = std::numeric_limits<int64_t>::max() / 2;
  EXPECT_REFUSED(apply_rope(kSpectrum, kLayout, positions_from(0), in_place(far)), invalid_argument,
                 "address space");
}

TEST_F(RopeErrors, A5_NegativeDimension) {
  TensorView negative = x.view();
  negative.shape[1] = -3;
  EXPECT_REFUSED(apply_rope(kSpectrum, kLayout, positions_from(0), in_place(negative)),
                 invalid_argument, "negative dimension");
}

TEST_F(RopeErrors, A6_OutputThatNamesOneAddressTwice) {
  TensorView broadcast = x.view();
  broadcast.strides[1] = 0;
  EXPECT_REFUSED(apply_rope(kSpectrum, kLayout, positions_from(0), in_place(broadcast)),
                 invalid_argument, "one address twice");
  // An input may be broadcast: every head reads one.
  Tensor one = testing::random_tensor({2, 3, 1, 8}, 7);
  ConstTensorView repeated = std::as_const(one).view();
  repeated.shape[2] = 2;
  repeated.strides[2] = 0;
  EXPECT_NO_THROW(apply_rope(kSpectrum, kLayout, positions_from(0), {repeated, x.view()}));
}

TEST_F(RopeErrors, A11A12_Overlaps) {
  Tensor memory = testing::random_tensor({200}, 3);
  const TensorView low = make_view(memory.bytes.data(), DType::f32, {2, 3, 2, 8});
  const TensorView shifted = make_view(memory.bytes.data() + 4, DType::f32, {2, 3, 2, 8});
  const auto before = memory.bytes;
  EXPECT_ROPEWALK_ERROR(apply_rope(kSpectrum, kLayout, positions_from(0), {low, shifted}),
                        ErrorCode::invalid_argument, "overlaps the input");
  EXPECT_ROPEWALK_ERROR(
      apply_rope(kSpectrum, kLayout, positions_from(0), in_place(low), in_place(shifted)),
      ErrorCode::invalid_argument, "q and k overlap");
  EXPECT_EQ(memory.bytes, before);
}

TEST_F(RopeErrors, A16_PositionsOutsideATable) {
  const CosSinTable table{4, 4, std::vector<float>(16, 1), std::vector<float>(16, 0), 0};
  const auto call = [&](int64_t first) {
    apply_rope(view_of(table), kLayout, positions_from(first), in_place(x.view()));
  };
  EXPECT_REFUSED(call(2), out_of_range,
                 "position_ids[0, 2] is 4, but the table has 4 rows from position 0");
  EXPECT_REFUSED(call(-1), out_of_range, "position_ids[0, 0] is -1");
  EXPECT_REFUSED(call(std::numeric_limits<int64_t>::min()), out_of_range, "-9223372036854775808");
  EXPECT_NO_THROW(call(1));
}

TEST_F(RopeErrors, A16_PositionsThatPassTheEndOfInt64) {
  const int64_t last = std::numeric_limits<int64_t>::max();
  EXPECT_REFUSED(apply_rope(kSpectrum, kLayout, positions_from(last), in_place(x.view())),
                 invalid_argument, "end of int64");
  EXPECT_NO_THROW(apply_rope(kSpectrum, kLayout, positions_from(last - 2), in_place(x.view())));
}

TEST_F(RopeErrors, A17A18_PositionTypesAndShapes) {
  const std::vector<double> numbers(6, 0);
  const auto ids = [&](DType dtype, const Dims& shape) {
    return positions_of(make_view(static_cast<const void*>(numbers.data()), dtype, shape));
  };
  const auto call = [&](const PositionIds& positions) {
    apply_rope(kSpectrum, kLayout, positions, in_place(x.view()));
  };
  EXPECT_REFUSED(call(ids(DType::f64, {3})), invalid_argument, "expected i64 or i32, found f64");
  EXPECT_REFUSED(call(ids(DType::i64, {4})), invalid_argument,
                 "expected [3], [2, 3] or [1, 2, 3], found [4]");
  EXPECT_REFUSED(call(ids(DType::i64, {3, 2})), invalid_argument, "found [3, 2]");
  EXPECT_REFUSED(call(ids(DType::i64, {3, 1, 2})), invalid_argument, "found [3, 1, 2]");
}

TEST_F(RopeErrors, A19A20_Types) {
  TensorView wrong = x.view();
  wrong.dtype = DType::i32;
  EXPECT_REFUSED(apply_rope(kSpectrum, kLayout, positions_from(0), in_place(wrong)), unsupported,
                 "q: expected dtype f32, bf16 or f16, found i32");
  Tensor half = make_tensor(DType::bf16, x.shape);
  EXPECT_REFUSED(apply_rope(kSpectrum, kLayout, positions_from(0), {half.view(), x.view()}),
                 invalid_argument, "expected dtype bf16 as the input, found");
  // q and k of two types are fine.
  Tensor k16 = converted(std::as_const(k).view(), DType::bf16);
  EXPECT_NO_THROW(
      apply_rope(kSpectrum, kLayout, positions_from(0), in_place(x.view()), in_place(k16.view())));
}

TEST_F(RopeErrors, A21_AnotherHead) {
  const RotaryLayout wide{16, {{0, 8, Pairing::half_split}}};
  EXPECT_REFUSED(apply_rope(kSpectrum, wide, positions_from(0), in_place(x.view())),
                 invalid_argument, "expected heads of head_dim 16 channels, found");
  TensorView flat = make_view(x.bytes.data(), DType::f32, {12, 8});
  EXPECT_REFUSED(apply_rope(kSpectrum, kLayout, positions_from(0), in_place(flat)),
                 invalid_argument, "found [12, 8]");
  Tensor other = testing::random_tensor({2, 4, 1, 8}, 2);
  EXPECT_REFUSED(
      apply_rope(kSpectrum, kLayout, positions_from(0), in_place(x.view()), in_place(other.view())),
      invalid_argument, "q has 3 tokens but k has 4");
}

TEST_F(RopeErrors, SpectrumMustBeWhole) {
  Spectrum broken = kSpectrum;
  broken.axis.pop_back();
  EXPECT_REFUSED(apply_rope(broken, kLayout, positions_from(0), in_place(x.view())),
                 invalid_argument, "make it with make_spectrum");
}

TEST_F(RopeErrors, OutputLayoutMustHoldTheSamePairs) {
  const RopeOptions options{.output_layout = RotaryLayout{8, {{0, 4, Pairing::half_split}}}};
  EXPECT_REFUSED(
      apply_rope(kSpectrum, kLayout, positions_from(0), in_place(x.view()), std::nullopt, options),
      invalid_argument, "output_layout");
}

}  // namespace
}  // namespace ropewalk
