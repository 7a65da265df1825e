#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ropewalk/formats/safetensors.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

TEST(Safetensors, WriterRefusesBadNames) {
  const TempFolder folder;
  const Tensor tensor = make_tensor(DType::u8, {1});
  EXPECT_ROPEWALK_ERROR(
      write_safetensors(folder / "m", {{"a", tensor.view()}, {"a", tensor.view()}}),
      ErrorCode::invalid_argument, "tensor \"a\": given twice");
  EXPECT_ROPEWALK_ERROR(write_safetensors(folder / "m", {{"\xff", tensor.view()}}),
                        ErrorCode::invalid_argument, "tensor \"\\xff\" is not UTF-8");
  EXPECT_ROPEWALK_ERROR(write_safetensors(folder / "m", {}, {{"k", "\xff"}}),
                        ErrorCode::invalid_argument, "metadata value");
  EXPECT_ROPEWALK_ERROR(write_safetensors(folder / "m", {}, {{"k", std::string(100000000, 'v')}}),
                        ErrorCode::resource_limit, "larger than the limit");
  EXPECT_ROPEWALK_ERROR(write_safetensors(folder / "m", {{"a", {nullptr, DType::u8, {1}, {1}}}}),
                        ErrorCode::invalid_argument, "tensor \"a\": null data");
  EXPECT_TRUE(folder.names().empty());
}

ROPEWALK_PROPERTY(Safetensors, WhatIsWrittenIsReadBack, [] {
  const auto text = rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
  std::map<std::string, Tensor> tensors;
  for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
    Dims shape;
    for (int rank = *rc::gen::inRange(0, 4); rank > 0; --rank) {
      shape.push_back(*rc::gen::inRange(0, 5));
    }
    Tensor tensor = make_tensor(static_cast<DType>(*rc::gen::inRange(0, 15)), shape);
    for (std::byte& byte : tensor.bytes) byte = std::byte{*rc::gen::arbitrary<uint8_t>()};
    tensors[fmt::format("t{}", *text)] = std::move(tensor);
  }
  const std::map<std::string, std::string> metadata = {{*text, *text}};
  std::vector<std::pair<std::string, ConstTensorView>> views;
  std::map<std::string, Tensor> expected;
  for (const auto& [name, tensor] : tensors) {
    ConstTensorView view = tensor.view();
    if (view.shape.size() == 3) view = permuted(view, {2, 0, 1});
    views.emplace_back(name, view);
    expected[name] = contiguous_copy(view);
  }
  const TempFolder folder;
  write_safetensors(folder / "m", views, metadata);
  const SafetensorsFile file(folder / "m");
  RC_ASSERT(file.entries().size() == expected.size());
  RC_ASSERT(file.metadata().begin()->second == metadata.begin()->second);
  for (const auto& [name, tensor] : expected) {
    const Tensor back = file.read(name);
    RC_ASSERT(back.dtype == tensor.dtype);
    RC_ASSERT(back.shape == tensor.shape);
    RC_ASSERT(back.bytes == tensor.bytes);
  }
});

}  // namespace
}  // namespace ropewalk
