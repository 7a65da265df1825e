#include "ropewalk/diagnose/table_check.h"

#include "ropewalk/tables/cos_sin.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

using Fault = TableCheck::Fault;

RopeConfig rope(double theta = 10000) {
  return {.rope_theta = theta, .rotary_dim = 64, .layout = {64, {{0, 64, Pairing::half_split}}}};
}

CosSin table(const RopeConfig& config, const CosSinOptions& options) {
  Tensor ids = make_tensor(DType::i64, {2048});
  auto* out = reinterpret_cast<int64_t*>(ids.bytes.data());
  for (int64_t i = 0; i < 2048; ++i) out[i] = i;
  return cos_sin(config, ids.view(), options);
}

TableCheck checked(const CosSin& made, int64_t first = 0) {
  return check_table(rope(), made.cos.view(), made.sin.view(), first);
}

// What other programs make of it, each in its own precision: no fault.
TEST(TableCheck, RoundingsAreNoFault) {
  for (const RowForm form : {RowForm::half, RowForm::doubled, RowForm::interleaved}) {
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
      for (const AngleMode mode : {AngleMode::exact, AngleMode::hf_float32, AngleMode::ideal}) {
        const TableCheck check =
            checked(table(rope(), {.mode = mode, .form = form, .dtype = dtype}));
        EXPECT_EQ(check.fault, Fault::none) << name(form) << " " << name(dtype);
        EXPECT_EQ(check.form, form);
      }
    }
  }
}

TEST(TableCheck, WhatIsWrong) {
  const TableCheck base = checked(table(rope(500000), {}));
  EXPECT_EQ(base.fault, Fault::differs);
  EXPECT_EQ(base.position, 1);
  EXPECT_EQ(base.column, 1);
  EXPECT_GT(base.largest, 1.9);
  // inv_freq in bf16 shows where the angles are large.
  const TableCheck rounded = checked(table(rope(), {.mode = AngleMode::bf16_frequency}));
  EXPECT_EQ(rounded.fault, Fault::differs);
  EXPECT_GT(rounded.wrong, 10000);
  EXPECT_EQ(checked(table(rope(), {}), 1).fault, Fault::differs) << "off by one";
  const CosSin made = table(rope(), {});
  const TableCheck swapped = check_table(rope(), made.sin.view(), made.cos.view());
  EXPECT_EQ(swapped.position, 0);
  EXPECT_FALSE(swapped.in_sin);
  RopeConfig wide = rope();
  wide.rotary_dim = 48;
  wide.layout.windows[0].dim = 48;
  const TableCheck other = check_table(wide, made.cos.view(), made.sin.view());
  EXPECT_EQ(other.fault, Fault::shape);
  EXPECT_EQ(other.columns, 32);
  EXPECT_EQ(other.pairs, 24);
}

TEST(TableCheck, Shapes) {
  const Tensor flat = make_tensor(DType::f32, {8}), batch = make_tensor(DType::f32, {2, 4, 32}),
               whole = make_tensor(DType::i64, {4, 32}), fine = make_tensor(DType::f32, {1, 4, 32}),
               longer = make_tensor(DType::f32, {5, 32});
  for (const Tensor* bad : {&flat, &batch, &whole}) {
    EXPECT_ROPEWALK_ERROR(check_table(rope(), bad->view(), fine.view()),
                          ErrorCode::invalid_argument, "cos: expected rows [positions, numbers]");
  }
  EXPECT_ROPEWALK_ERROR(check_table(rope(), fine.view(), longer.view()),
                        ErrorCode::invalid_argument, "sin: expected the shape of cos");
}

}  // namespace
}  // namespace ropewalk
