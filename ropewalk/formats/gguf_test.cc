#include "ropewalk/formats/gguf.h"

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ropewalk/formats/gguf_testing.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/gguf_bytes.h"

namespace ropewalk {
namespace {

const std::filesystem::path kFixtures = ROPEWALK_TESTDATA "/formats";

using Opened = testing::OpenedGguf;
using testing::expect_refused;

template <typename T>
std::vector<T> values_of(const Tensor& tensor) {
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

TEST(Gguf, TensorsOfNumbers) {
  for (const auto order : {std::endian::little, std::endian::big}) {
    GgufBytes bytes;
    bytes.order = order;
    bytes.tensor("f32", {3, 2}, 0, 0).tensor("f16", {2}, 1, 32).tensor("scalar", {}, 27, 64);
    std::string data;
    for (const float value : {0.f, 1.f, 2.f, 3.f, 4.f, 5.f}) data += bytes.bytes(value);
    data.resize(32);
    data += bytes.bytes(uint16_t{0x3C00}) + bytes.bytes(uint16_t{0xC000});
    data.resize(64);
    data += bytes.bytes(int64_t{-9});
    data.resize(96);
    const Opened opened(bytes.file(data));
    const GgufFile& file = opened.file;
    EXPECT_EQ(file.tensors().at("f32").shape, (Dims{2, 3}));
    const Tensor f32 = file.read("f32"), f16 = file.read("f16"), scalar = file.read("scalar");
    EXPECT_EQ(f32.dtype, DType::f32);
    EXPECT_EQ(values_of<float>(f32), (std::vector<float>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(f16.dtype, DType::f16);
    EXPECT_EQ(values_of<uint16_t>(f16), (std::vector<uint16_t>{0x3C00, 0xC000}));
    EXPECT_EQ(scalar.shape, Dims{});
    EXPECT_EQ(values_of<int64_t>(scalar), std::vector<int64_t>{-9});
    EXPECT_TRUE(file.warnings().empty());
  }
}

// Files of the gguf package, in both byte orders.
TEST(Gguf, FilesOfTheGgufPackage) {
  for (const char* name : {"reference.gguf", "reference_big_endian.gguf"}) {
    const GgufFile file(kFixtures / name);
    EXPECT_EQ(file.architecture(), "llama");
    EXPECT_EQ(file.integer("llama.block_count"), 2);
    EXPECT_EQ(file.integers("llama.attention.head_count_kv"), (std::vector<int64_t>{2, 1}));
    EXPECT_EQ(file.number("llama.rope.freq_base"), 500000.0);
    EXPECT_EQ(file.text("llama.rope.scaling.type"), "yarn");
    EXPECT_EQ(file.integer("test.u8"), 200);
    EXPECT_EQ(file.integer("test.i8"), -2);
    EXPECT_EQ(file.integer("test.u16"), 60000);
    EXPECT_EQ(file.integer("test.i16"), -3);
    EXPECT_EQ(file.integer("test.i32"), -4);
    EXPECT_EQ(file.integer("test.u64"), int64_t{1} << 40);
    EXPECT_EQ(file.integer("test.i64"), -(int64_t{1} << 40));
    EXPECT_EQ(file.number("test.f64"), 0.1);
    EXPECT_EQ(file.boolean("test.bool"), true);
    EXPECT_EQ(file.integers("test.flags"), (std::vector<int64_t>{1, 0}));
    EXPECT_EQ(file.texts("tokenizer.ggml.tokens"), (std::vector<std::string>{"<s>", "愛", ""}));
    EXPECT_EQ(file.numbers("tokenizer.ggml.scores"), (std::vector<double>{0.5, -1, 2}));
    EXPECT_EQ(values_of<float>(file.read("rope_freqs.weight")), (std::vector<float>{1, 1, 2.5, 8}));
    EXPECT_EQ(file.read("half").shape, (Dims{2, 3}));
    EXPECT_EQ(values_of<uint16_t>(file.read("half"))[5], 0xC600);
    EXPECT_EQ(values_of<uint16_t>(file.read("bf16")), (std::vector<uint16_t>{0x3F80, 0xC000}));
    EXPECT_EQ(file.tensors().at("blk.0.attn_q.weight").shape, (Dims{2, 32}));
    EXPECT_EQ(file.tensors().at("blk.0.attn_q.weight").size_in_bytes, 68u);
    EXPECT_TRUE(file.warnings().empty()) << file.warnings().front();
  }
}

TEST(Gguf, G1_ShorterThanItsHeader) {
  const std::string bytes = GgufBytes().file();
  expect_refused("", "m.gguf: byte 0: expected the magic bytes \"GGUF\", found \"\"");
  expect_refused("GG", "byte 0: expected the magic bytes");
  expect_refused("GGUF", "byte 4: expected a header of 24 bytes, found 4 bytes in all");
  expect_refused(bytes.substr(0, 23), "byte 23: expected a header of 24 bytes");
  EXPECT_TRUE(Opened(bytes).file.metadata().empty());
}

TEST(Gguf, G2_OlderFormats) {
  for (const char* magic : {"lmgg", "fmgg", "tjgg", "GGML", "GGJT"}) {
    expect_refused(magic + std::string(60, '\0'),
                   fmt::format("found \"{}\": one of ggml's formats before GGUF", magic),
                   ErrorCode::unsupported);
  }
  expect_refused(std::string("\x93NUMPY\x01\0", 8) + std::string(60, ' '), "a NumPy array file",
                 ErrorCode::unsupported);
}

TEST(Gguf, G3_Versions) {
  GgufBytes bytes;
  for (const uint32_t version : {2u, 3u}) {
    bytes.version = version;
    EXPECT_EQ(Opened(bytes).file.version(), version);
  }
  for (const uint32_t version : {0u, 1u, 4u, 1u << 31}) {
    bytes.version = version;
    expect_refused(bytes.file(), fmt::format("byte 4: expected version 2 or 3, found {}", version),
                   ErrorCode::unsupported);
  }
}

TEST(Gguf, G4_ByteOrder) {
  GgufBytes bytes;
  bytes.order = std::endian::big;
  bytes.version = 1;
  expect_refused(bytes.file(), "found 16777216 (1 in a big-endian file)", ErrorCode::unsupported);
}

TEST(Gguf, G5_MoreThanTheFileCanHold) {
  for (const uint64_t count : {uint64_t{1}, uint64_t{1} << 62, ~uint64_t{0} >> 1, ~uint64_t{0}}) {
    GgufBytes bytes;
    bytes.key_count = count;
    expect_refused(bytes,
                   fmt::format("byte 16: number of keys: expected at most 0, as the file has 0 "
                               "bytes left, found {}",
                               count));
    bytes.key_count = 0;
    bytes.tensor_count = count;
    expect_refused(bytes, "byte 8: number of tensors: expected at most 0");
  }
}

TEST(Gguf, G6_EmptyKey) {
  expect_refused(GgufBytes().u32("a", 1).u32("", 1),
                 "byte 41: key 1: length of the name: expected 1 to 65535, found 0");
}

TEST(Gguf, G7_LengthsBeyondTheFile) {
  GgufBytes bytes;
  const std::string huge = bytes.bytes(uint64_t{1} << 63);
  bytes.raw("text", 8, huge);
  expect_refused(bytes, "byte 40: key \"text\": length of the string: expected at most 0");
  std::string text = GgufBytes().u32("a", 1).file();
  text.replace(24, 8, huge);
  expect_refused(text, "byte 24: key 0: length of the name: expected 1 to 65535, found 9223372036");
  expect_refused(GgufBytes().raw("a", 9, bytes.bytes(8u) + bytes.bytes(uint64_t{1}) + huge),
                 "key \"a\": string in the array: expected 9223372036854775808 bytes, found 0");
  expect_refused(GgufBytes().raw("abcdefgh", 6, "ab"), "key \"abcdefgh\": value: expected 4 bytes");
}

TEST(Gguf, G8_NoText) {
  expect_refused(GgufBytes().u32(std::string_view("a\0b", 3), 1),
                 "byte 33: key 0: expected UTF-8 with no zero byte, found \"a\\x00b\"");
  expect_refused(GgufBytes().u32("\xed\xa0\x80", 1), "byte 32: key 0: expected UTF-8");
  expect_refused(GgufBytes().u32(std::string(65536, 'a'), 1), "found 65536");
  EXPECT_EQ(Opened(GgufBytes().u32(std::string(65535, 'a'), 1)).file.metadata().size(), 1u);
}

TEST(Gguf, G9_DuplicateKey) {
  expect_refused(GgufBytes().u32("b", 1).u32("a", 1).f32("b", 1),
                 "byte 58: duplicate key \"b\" (first at byte 24)");
}

TEST(Gguf, G10_UnknownType) {
  for (const uint32_t type : {13u, 255u, ~0u}) {
    expect_refused(
        GgufBytes().raw("k", type, "1234"),
        fmt::format("byte 33: key \"k\": type of the value: expected 0 to 12, found {}", type));
  }
  const GgufBytes bytes;
  expect_refused(GgufBytes().raw("k", 9, bytes.bytes(13u) + bytes.bytes(uint64_t{0})),
                 "byte 37: key \"k\": type of the array's elements: expected 0 to 12, found 13");
}

}  // namespace
}  // namespace ropewalk
