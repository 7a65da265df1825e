#include "ropewalk/formats/gguf.h"

#include <chrono>
#include <cstring>
#include <ctime>
#include <limits>

#include <fmt/format.h>

#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/gguf_bytes.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

const std::filesystem::path kFixtures = ROPEWALK_TESTDATA "/formats";

struct Opened {
  TempFolder folder;
  GgufFile file;
  explicit Opened(std::string_view bytes) : file(folder.file("m.gguf", bytes)) {}
  explicit Opened(const GgufBytes& bytes) : Opened(bytes.file()) {}
};

void expect_refused(std::string_view bytes, std::string_view text,
                    ErrorCode code = ErrorCode::malformed) {
  EXPECT_ROPEWALK_ERROR(Opened{bytes}, code, std::string(text));
}

void expect_refused(const GgufBytes& bytes, std::string_view text) {
  expect_refused(bytes.file(), text);
}

template <typename T>
std::vector<T> values_of(const Tensor& tensor) {
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

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
