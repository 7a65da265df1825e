#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/formats/gguf.h"
#include "ropewalk/formats/gguf_testing.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/gguf_bytes.h"

namespace ropewalk {
namespace {

using Opened = testing::OpenedGguf;
using testing::expect_refused;

TEST(Gguf, EveryTypeOfValue) {
  for (const auto order : {std::endian::little, std::endian::big}) {
    GgufBytes bytes;
    bytes.order = order;
    bytes.number("u8", 0, uint8_t{200}).number("i8", 1, int8_t{-2});
    bytes.number("u16", 2, uint16_t{60000}).number("i16", 3, int16_t{-3});
    bytes.u32("u32", 4000000000u).i32("i32", -4).f32("f32", 0.1f);
    bytes.boolean("yes", 1).boolean("no", 0).text("text", "愛").text("empty", "");
    bytes.number("u64", 10, uint64_t{1} << 62).number("i64", 11, int64_t{-5});
    bytes.number("f64", 12, 0.1);
    const Opened opened(bytes);
    const GgufFile& file = opened.file;
    EXPECT_EQ(file.byte_order(), order);
    EXPECT_EQ(file.version(), 3u);
    EXPECT_EQ(file.metadata().size(), 14u);
    EXPECT_EQ(file.integer("u8"), 200);
    EXPECT_EQ(file.integer("i8"), -2);
    EXPECT_EQ(file.integer("u16"), 60000);
    EXPECT_EQ(file.integer("i16"), -3);
    EXPECT_EQ(file.integer("u32"), 4000000000);
    EXPECT_EQ(file.integer("i32"), -4);
    EXPECT_EQ(file.integer("u64"), int64_t{1} << 62);
    EXPECT_EQ(file.integer("i64"), -5);
    EXPECT_EQ(file.number("f32"), double{0.1f});
    EXPECT_EQ(file.number("f64"), 0.1);
    EXPECT_EQ(file.boolean("yes"), true);
    EXPECT_EQ(file.boolean("no"), false);
    EXPECT_EQ(file.text("text"), "愛");
    EXPECT_EQ(file.text("empty"), "");
    EXPECT_EQ(file.integer("none"), std::nullopt);
    EXPECT_TRUE(file.warnings().empty());
  }
}

TEST(Gguf, Arrays) {
  for (const auto order : {std::endian::little, std::endian::big}) {
    GgufBytes bytes;
    bytes.order = order;
    bytes.array<int32_t>("i32", 5, {8, -1, 2}).array<uint8_t>("flags", 7, {1, 0, 1});
    bytes.array<float>("f32", 6, {1.5f, -2.0f}).array<uint32_t>("empty", 4, {});
    bytes.array<std::string>("texts", 8, {"a", "", "bcd"}).u32("after", 7);
    const Opened opened(bytes);
    const GgufFile& file = opened.file;
    EXPECT_EQ(file.integers("i32"), (std::vector<int64_t>{8, -1, 2}));
    EXPECT_EQ(file.integers("flags"), (std::vector<int64_t>{1, 0, 1}));
    EXPECT_EQ(file.integers("empty"), std::vector<int64_t>{});
    EXPECT_EQ(file.numbers("f32"), (std::vector<double>{1.5, -2}));
    EXPECT_EQ(file.texts("texts"), (std::vector<std::string>{"a", "", "bcd"}));
    EXPECT_EQ(file.integer("after"), 7);
    EXPECT_TRUE(file.is_array("i32"));
    EXPECT_FALSE(file.is_array("after"));
    EXPECT_EQ(file.numbers("none"), std::nullopt);
  }
}

// The format allows arrays in arrays; they are passed over, and no getter takes one for a list.
TEST(Gguf, G11_ArraysInArrays) {
  GgufBytes bytes;
  const std::string inner = bytes.array_bytes<uint16_t>(2, {1, 2, 3});
  const std::string texts = bytes.array_bytes<std::string>(8, {"a", "bc"});
  bytes.raw("nested", 9, bytes.bytes(9u) + bytes.bytes(uint64_t{2}) + inner + texts);
  bytes.u32("after", 7);
  const Opened opened(bytes);
  EXPECT_EQ(opened.file.integer("after"), 7);
  EXPECT_ROPEWALK_ERROR(opened.file.integers("nested"), ErrorCode::malformed,
                        "key \"nested\": expected an array of integers, found an array of 2 x "
                        "array");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += bytes.bytes(9u) + bytes.bytes(uint64_t{1});
  expect_refused(GgufBytes().raw("deep", 9, deep), "key \"deep\": arrays nest deeper than 8");
  const std::string many = bytes.bytes(9u) + bytes.bytes(uint64_t{1} << 60);
  expect_refused(GgufBytes().raw("many", 9, many), "length of the array: expected at most 0");
}

TEST(Gguf, G12_LengthThatWraps) {
  const GgufBytes bytes;
  for (const uint32_t element : {0u, 6u, 8u, 9u, 12u}) {
    expect_refused(
        GgufBytes().raw("a", 9, bytes.bytes(element) + bytes.bytes(uint64_t{1} << 62) + "12345678"),
        "byte 41: key \"a\": length of the array: expected at most");
  }
}

TEST(Gguf, G13_AnotherType) {
  GgufBytes bytes;
  bytes.array<uint8_t>("scores", 0, {1}).u32("n", 3).f32("x", 1).boolean("b", 1).text("t", "1");
  bytes.number("big", 10, ~uint64_t{0}).array<uint64_t>("bigs", 10, {1, ~uint64_t{0}});
  bytes.array<uint8_t>("flags", 7, {1, 2});
  const Opened opened(bytes);
  const GgufFile& file = opened.file;
  const auto refused = [](const auto& call, std::string_view text) {
    EXPECT_ROPEWALK_ERROR(call(), ErrorCode::malformed, std::string(text));
  };
  refused([&] { file.numbers("scores"); },
          "m.gguf: byte 54: key \"scores\": expected an array of f32 or f64, found an array of "
          "1 x u8");
  refused([&] { file.number("n"); },
          "expected a value of type f32 or f64, found a value of type u");
  refused([&] { file.integer("x"); }, "expected an integer, found a value of type f32");
  refused([&] { file.integer("b"); }, "expected an integer, found a value of type bool");
  refused([&] { file.integer("scores"); }, "expected an integer, found an array");
  refused([&] { file.integer("t"); }, "expected an integer, found a string of 1 bytes");
  refused([&] { file.boolean("n"); }, "expected a value of type bool, found a value of type u32");
  refused([&] { file.text("n"); }, "expected a string, found a value of type u32");
  refused([&] { file.texts("scores"); }, "expected an array of strings, found an array of 1 x u8");
  refused([&] { file.integer("big"); }, "expected at most 2^63 - 1, found 18446744073709551615");
  refused([&] { file.integers("bigs"); }, "element 1: expected at most 2^63 - 1");
  refused([&] { file.integers("flags"); }, "element 1: expected a bool, 0 or 1, found 2");
}

TEST(Gguf, G14_Bool) {
  expect_refused(GgufBytes().boolean("b", 2),
                 "byte 37: key \"b\": expected a bool, 0 or 1, found 2");
}

TEST(Gguf, G15_Architecture) {
  EXPECT_EQ(Opened(GgufBytes().text("general.architecture", "llama")).file.architecture(), "llama");
  const auto refused = [](const GgufBytes& bytes, const char* text) {
    EXPECT_ROPEWALK_ERROR(Opened(bytes).file.architecture(), ErrorCode::malformed, text);
  };
  refused(GgufBytes(), "m.gguf: key \"general.architecture\": expected the name");
  refused(GgufBytes().text("general.architecture", ""), "found none");
  refused(GgufBytes().u32("general.architecture", 1), "expected a string, found a value of type u");
}

}  // namespace
}  // namespace ropewalk
