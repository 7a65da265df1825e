#include "ropewalk/formats/safetensors.h"

#include <cstring>
#include <ctime>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ropewalk/formats/safetensors_testing.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

using Opened = testing::OpenedSafetensors;
using testing::entry;
using testing::expect_refused;
using testing::framed;
using testing::object;
using testing::text_of;

const std::filesystem::path kFixtures = ROPEWALK_TESTDATA "/formats";

TEST(Safetensors, ReadsTensorsAndMetadata) {
  const Opened opened(
      framed(object({entry("b", "U8", "[2,2]", "[2,6]"), R"("__metadata__":{"format":"pt"})",
                     entry("a", "U16", "[1]", "[0,2]")}) +
                 "   ",
             "abcdef"));
  const SafetensorsFile& file = opened.file;
  ASSERT_EQ(file.entries().size(), 2u);
  EXPECT_EQ(file.entries().at("b").shape, (Dims{2, 2}));
  EXPECT_EQ(file.metadata().at("format"), "pt");
  EXPECT_EQ(text_of(file.read("a")), "ab");
  EXPECT_EQ(text_of(file.read("b")), "cdef");
  EXPECT_EQ(file.read("a").dtype, DType::u16);
  EXPECT_TRUE(file.contains("a"));
  EXPECT_FALSE(file.contains("c"));
  EXPECT_TRUE(file.warnings().empty());
  EXPECT_ROPEWALK_ERROR(file.read("c"), ErrorCode::malformed, "tensor \"c\": not in the file");
}

TEST(Safetensors, NoTensors) { EXPECT_TRUE(Opened(framed("{}")).file.entries().empty()); }

TEST(Safetensors, S1_EmptyFile) {
  EXPECT_ROPEWALK_ERROR(Opened(""), ErrorCode::malformed,
                        "m.safetensors: byte 0: expected at least 8 bytes, the length of a "
                        "safetensors header, found 0");
}

TEST(Safetensors, S2_SevenBytes) {
  EXPECT_ROPEWALK_ERROR(Opened("1234567"), ErrorCode::malformed, "a safetensors header, found 7");
}

TEST(Safetensors, S23_UnknownTypeLeavesTheOtherTensorsReadable) {
  for (const char* dtype : {"F8_E3M4", "f32", "C64", ""}) {
    const Opened opened(
        framed(object({entry("a", dtype, "[1]", "[0,8]"), entry("b", "U8", "[1]", "[8,9]")}),
               "12345678x"));
    EXPECT_EQ(text_of(opened.file.read("b")), "x");
    EXPECT_EQ(opened.file.entries().size(), 1u);
    ASSERT_EQ(opened.file.unsupported().size(), 1u);
    EXPECT_EQ(opened.file.unsupported().at("a").dtype, dtype);
    EXPECT_ROPEWALK_ERROR(opened.file.read("a"), ErrorCode::unsupported, "BOOL, U8, I8");
  }
}

TEST(Safetensors, S23_UnsupportedTensorsAreStillChecked) {
  expect_refused(object({entry("a", "C64", "[1]", "[0,9]")}), "123456789", "expected 8 bytes");
  expect_refused(object({entry("a", "NEW", "[1]", "[0,9]")}), "12345678", "(missing 1)");
  expect_refused(object({entry("a", "NEW", "[1]", "[1,2]")}), "12", "leave a hole");
  const Opened opened(framed(object({entry("a", "U8", "[1,1,1,1,1,1,1,1,1]", "[0,1]")}), "x"));
  EXPECT_ROPEWALK_ERROR(opened.file.read("a"), ErrorCode::unsupported, ", found 9 of U8");
}

TEST(Safetensors, S24_DimensionsAreCounts) {
  for (const char* dim :
       {"-1", "4.0", "\"4\"", "1e3", "-0", "null", "true", "[1]", "{}", "18446744073709551616"}) {
    expect_refused(object({entry("a", "U8", fmt::format("[{}]", dim), "[0,1]")}), "x",
                   "tensor \"a\": shape: expected integers that are not negative, found ");
  }
  expect_refused(object({entry("a", "U8", "[1,-5]", "[0,1]")}), "x", "found -5");
  expect_refused(object({entry("a", "U8", "[9223372036854775808]", "[0,1]")}), "x",
                 "shape: dimension too large: 9223372036854775808");
  for (const char* offsets : {"[0,-1]", "[0,1.0]", "[0]", "[0,1,2]", "[]", "[\"0\",1]"}) {
    expect_refused(object({entry("a", "U8", "[1]", offsets)}), "x", "data_offsets: expected ");
  }
  expect_refused(R"({"a":{"dtype":1,"shape":[1],"data_offsets":[0,1]}})", "x",
                 "dtype: expected a string, found 1");
  expect_refused(R"({"a":{"dtype":"U8","shape":1,"data_offsets":[0,1]}})", "x",
                 "shape: expected an array, found 1");
  expect_refused(R"({"a":1})", "", "tensor \"a\": expected an object, found 1");
}

TEST(Safetensors, S25_S26_ShapesThatOverflow) {
  for (const char* shape : {"[2,9223372036854775807]", "[4294967296,4294967296]",
                            "[65536,65536,65536,65536]", "[9223372036854775807]"}) {
    expect_refused(object({entry("a", "F32", shape, "[0,0]")}), "", "overflows 64 bits");
  }
}

TEST(Safetensors, S27_ZeroDimensionBesideAHugeOne) {
  for (const char* shape : {"[0,9223372036854775807]", "[9223372036854775807,0,9]", "[0]"}) {
    const Opened opened(framed(object({entry("a", "F32", shape, "[0,0]")})));
    const Tensor tensor = opened.file.read("a");
    EXPECT_TRUE(contiguous_copy(tensor.view()).bytes.empty());
  }
}

TEST(Safetensors, S28_RangeThatEndsBeforeItBegins) {
  expect_refused(object({entry("a", "U8", "[1]", "[1,0]")}), "x",
                 "tensor \"a\": data_offsets [1, 0] end before they begin");
}

TEST(Safetensors, S29_RangeBeyondTheFile) {
  expect_refused(object({entry("a", "U8", "[2]", "[0,2]")}), "x",
                 "tensor \"a\": data_offsets [0, 2] count from byte 61, but the file has 62 bytes "
                 "(missing 1)");
  expect_refused(object({entry("a", "U8", "[18446744073709551615]", "[0,1]")}), "x", "too large");
  expect_refused(object({entry("a", "X", "[1]", "[0,18446744073709551615]")}), "x", "missing");
}

TEST(Safetensors, S30_OverlappingRanges) {
  expect_refused(object({entry("a", "U8", "[2]", "[0,2]"), entry("b", "U8", "[2]", "[1,3]")}),
                 "xyz", "tensor \"b\": data_offsets [1, 3] overlap: \"a\" ends at 2");
  std::string bomb = "{";
  for (int i = 0; i < 100000; ++i) {
    bomb += i ? "," : "";
    bomb += entry(fmt::format("t{}", i), "U8", "[1000000]", "[0,1000000]");
  }
  expect_refused(fmt::format("{}}}", bomb), std::string(1000000, 'x'), "overlap");
}

TEST(Safetensors, S31_Holes) {
  expect_refused(object({entry("a", "U8", "[1]", "[1,2]")}), "xy",
                 "leave a hole: the data begins at 0");
  expect_refused(object({entry("a", "U8", "[1]", "[0,1]"), entry("b", "U8", "[1]", "[2,3]")}),
                 "xyz", "tensor \"b\": data_offsets [2, 3] leave a hole: \"a\" ends at 1");
}

TEST(Safetensors, S32_BytesAfterTheLastTensor) {
  const std::string bytes = framed(object({entry("a", "U8", "[1]", "[0,1]")}), "xPK\x03\x04");
  EXPECT_ROPEWALK_ERROR(
      Opened{bytes}, ErrorCode::malformed,
      "byte 62: expected the end of the file after the last tensor, found 4 bytes more");
  const Opened opened(bytes, {.allow_trailing = true});
  EXPECT_EQ(text_of(opened.file.read("a")), "x");
  EXPECT_EQ(opened.file.warnings().size(), 1u);
  EXPECT_ROPEWALK_ERROR(Opened(framed("{}", "x")), ErrorCode::malformed, "found 1 bytes more");
}

TEST(Safetensors, S33_SizeThatDoesNotMatchTheShape) {
  expect_refused(object({entry("a", "F32", "[2,3]", "[0,23]")}), std::string(23, 'x'),
                 "shape [2, 3] of F32: expected 24 bytes, found 23 in data_offsets [0, 23]");
  EXPECT_EQ(text_of(Opened(framed(object({entry("a", "U8", "[]", "[0,1]")}), "x")).file.read("a")),
            "x");
}

TEST(Safetensors, S34_SubByteTypes) {
  expect_refused(object({entry("a", "F4", "[3]", "[0,2]")}), "xy", "12 bits, not a whole byte");
  const Opened opened(framed(object({entry("a", "F4", "[4]", "[0,2]")}), "xy"));
  EXPECT_EQ(opened.file.unsupported().size(), 1u);
}

TEST(Safetensors, S35_TruncatedFile) {
  const std::string bytes = framed(object({entry("a", "F64", "[4]", "[0,32]")}), "12345678");
  EXPECT_ROPEWALK_ERROR(Opened{bytes}, ErrorCode::malformed, "(missing 24)");
}

TEST(Safetensors, S36_FileThatChangesAfterItWasOpened) {
  const Opened opened(framed(object({entry("a", "U8", "[4]", "[0,4]")}), "abcd"));
  const auto path = opened.folder / "m.safetensors";
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 2);
  EXPECT_ROPEWALK_ERROR(opened.file.read("a"), ErrorCode::io, "changed while reading");
}

TEST(Safetensors, S37_UnalignedData) {
  const std::string header = object({entry("a", "F64", "[1]", "[0,8]")});
  for (int spaces = 0; spaces < 8; ++spaces) {
    const double value = 0.25;
    std::string data(8, ' ');
    std::memcpy(data.data(), &value, 8);
    const Opened opened(framed(header + std::string(spaces, ' '), data));
    double read = 0;
    std::memcpy(&read, opened.file.read("a").bytes.data(), 8);
    EXPECT_EQ(read, value);
  }
}

TEST(Safetensors, S38_ManyTinyTensorsTakeLinearTime) {
  for (const int tensors : {50000, 1000000}) {
    std::string header = "{";
    for (int i = 0; i < tensors; ++i) {
      header += fmt::format(R"({}"t{}":{{"dtype":"U8","shape":[1],"data_offsets":[{},{}]}})",
                            i ? "," : "", i, i, i + 1);
    }
    const TempFolder folder;
    const auto path =
        folder.file("m", framed(header + "}", std::string(static_cast<size_t>(tensors), 'x')));
    const std::clock_t start = std::clock();
    const SafetensorsFile file(path);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    fmt::print("{} tensors: {:.3f} s\n", tensors, seconds);
    EXPECT_EQ(file.entries().size(), static_cast<size_t>(tensors));
    EXPECT_LT(seconds, 30);  // quadratic work would take hours
  }
}

TEST(Safetensors, S39_StrangeNames) {
  const std::string big(10 << 20, 'n');
  const Opened opened(framed(object({entry("a\\u0000\\n\\u001b[31m", "U8", "[1]", "[0,1]"),
                                     entry(big, "NEW", "[1]", "[1,2]")}),
                             "xy"));
  EXPECT_EQ(text_of(opened.file.read(std::string_view("a\0\n\x1b[31m", 8))), "x");
  EXPECT_ROPEWALK_ERROR(opened.file.read("b\n\x1b"), ErrorCode::malformed, "\"b\\n\\x1b\"");
  try {
    opened.file.read(big);
    FAIL();
  } catch (const Error& error) {
    EXPECT_LT(std::strlen(error.what()), 600u);
  }
}

TEST(Safetensors, OtherFormatsAreRecognised) {
  EXPECT_ROPEWALK_ERROR(Opened("PK\x03\x04\x14\x01\x01\x01 and so on"), ErrorCode::malformed,
                        "this is a zip archive");
  EXPECT_ROPEWALK_ERROR(Opened("GGUF"), ErrorCode::malformed, "this is a GGUF file");
  EXPECT_ROPEWALK_ERROR(SafetensorsFile(kFixtures / "f4_v1.npy"), ErrorCode::malformed,
                        "this is a NumPy array file");
}

TEST(Safetensors, ReadsWhatTheReferenceWrites) {
  const SafetensorsFile file(kFixtures / "reference.safetensors");
  EXPECT_EQ(file.metadata().at("format"), "pt");
  EXPECT_EQ(file.entries().at("scalar").shape, Dims{});
  EXPECT_EQ(file.entries().at("empty").shape, (Dims{0, 3}));
  EXPECT_EQ(file.entries().at("愛").dtype, DType::bf16);
  EXPECT_EQ(file.unsupported().at("complex").dtype, "C64");
  std::vector<float> weight(6);
  std::memcpy(weight.data(), file.read("weight").bytes.data(), 24);
  EXPECT_EQ(weight, (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

ROPEWALK_PROPERTY(Safetensors, DamagedFilesNeverDoMoreThanThrow, [] {
  std::string bytes =
      framed(object({entry("a", "U16", "[2,1]", "[0,4]"), R"("__metadata__":{"k":"v"})",
                     entry("b", "U8", "[2]", "[4,6]")}),
             "abcdef");
  bytes[*rc::gen::inRange<size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  if (*rc::gen::arbitrary<bool>()) bytes.resize(*rc::gen::inRange<size_t>(0, bytes.size()));
  try {
    const Opened opened(bytes);
    for (const auto& [name, entry] : opened.file.entries()) opened.file.read(name);
  } catch (const Error& error) {
    RC_ASSERT(error.code() == ErrorCode::malformed);
  }
});

}  // namespace
}  // namespace ropewalk
