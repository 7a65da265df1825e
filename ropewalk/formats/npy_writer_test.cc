#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/formats/npy.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

const std::filesystem::path kFixtures = ROPEWALK_TESTDATA "/formats";

TEST(Npy, WritesTheBytesThatNumpyWrites) {
  const TempFolder folder;
  for (const char* name : {"f4_v1.npy", "i4_c.npy", "f2_scalar.npy", "i8_empty.npy", "b1.npy"}) {
    const Tensor tensor = read_npy(kFixtures / name);
    write_npy(folder / name, tensor.view());
    EXPECT_EQ(file_bytes(folder / name), file_bytes(kFixtures / name)) << name;
  }
}

TEST(Npy, WriterRefusesWhatNumpyLacks) {
  const TempFolder folder;
  EXPECT_ROPEWALK_ERROR(write_npy(folder / "a", make_tensor(DType::f8_e4m3, {2}).view()),
                        ErrorCode::unsupported, "a: NumPy has no type for f8_e4m3");
  EXPECT_ROPEWALK_ERROR(write_npy(folder / "a", {nullptr, DType::f32, {2}, {1}}),
                        ErrorCode::invalid_argument, "null data");
  EXPECT_TRUE(folder.names().empty());
}

// np.save of [1 + 2j, 3 - 4j] as complex64, by NumPy 2.
TEST(Npy, WritesComplexNumbersAsNumpyDoes) {
  const TempFolder folder;
  Tensor parts = make_tensor(DType::f32, {2, 2});
  const float numbers[] = {1, 2, 3, -4};
  std::memcpy(parts.bytes.data(), numbers, sizeof(numbers));
  write_npy_complex(folder / "a.npy", std::as_const(parts).view());
  EXPECT_EQ(file_bytes(folder / "a.npy"), file_bytes(kFixtures / "c8.npy"));
  EXPECT_ROPEWALK_ERROR(write_npy_complex(folder / "b.npy", make_tensor(DType::f32, {2, 3}).view()),
                        ErrorCode::invalid_argument,
                        "b.npy: expected real and imaginary parts [..., 2], found [2, 3]");
  EXPECT_ROPEWALK_ERROR(write_npy_complex(folder / "b.npy", make_tensor(DType::f16, {2, 2}).view()),
                        ErrorCode::unsupported,
                        "expected parts of complex numbers in f32, found f16");
}

ROPEWALK_PROPERTY(Npy, AnyViewIsReadBack, [] {
  const auto dtype = *rc::gen::element(DType::boolean, DType::u8, DType::i16, DType::f16,
                                       DType::bf16, DType::f32, DType::i64, DType::f64);
  Dims shape, order;
  for (int i = *rc::gen::inRange(0, 6); i > 0; --i) shape.push_back(*rc::gen::inRange(0, 5));
  Tensor base = make_tensor(dtype, shape);
  for (std::byte& byte : base.bytes) byte = std::byte{*rc::gen::arbitrary<uint8_t>()};
  std::vector<int64_t> axes(static_cast<size_t>(shape.size()));
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  if (*rc::gen::arbitrary<bool>()) std::reverse(axes.begin(), axes.end());
  for (const int64_t axis : axes) order.push_back(axis);
  ConstTensorView view = permuted(std::as_const(base).view(), order);
  if (!view.shape.empty() && num_elements(view.shape) > 0 &&
      *rc::gen::arbitrary<bool>()) {  // turn one axis
    view.data = static_cast<const std::byte*>(view.data) +
                (view.shape[0] - 1) * view.strides[0] * static_cast<int64_t>(size_in_bytes(dtype));
    view.strides[0] = -view.strides[0];
  }
  const TempFolder folder;
  write_npy(folder / "a.npy", view);
  const Tensor back = read_npy(folder / "a.npy", {.bf16_as_v2 = true});
  RC_ASSERT(back.dtype == dtype);
  RC_ASSERT(back.shape == view.shape);
  RC_ASSERT(back.bytes == contiguous_copy(view).bytes);
});

// The same file, which NumPy wrote.
TEST(Npy, ReadsComplexNumbersAsTheirParts) {
  const Tensor read = read_npy(kFixtures / "c8.npy", {.complex_as_pairs = true});
  const float numbers[] = {1, 2, 3, -4};
  EXPECT_EQ(read.dtype, DType::f32);
  EXPECT_EQ(read.shape, (Dims{2, 2}));
  EXPECT_EQ(std::memcmp(read.bytes.data(), numbers, sizeof(numbers)), 0);
  EXPECT_ROPEWALK_ERROR(read_npy(kFixtures / "c8.npy"), ErrorCode::unsupported, "found '<c8'");
}

}  // namespace
}  // namespace ropewalk
