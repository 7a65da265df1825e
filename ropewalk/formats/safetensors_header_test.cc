#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ropewalk/formats/safetensors.h"
#include "ropewalk/formats/safetensors_testing.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

using Opened = testing::OpenedSafetensors;
using testing::entry;
using testing::expect_refused;
using testing::framed;
using testing::length_bytes;
using testing::object;
using testing::text_of;

TEST(Safetensors, S3_EmptyHeader) {
  EXPECT_ROPEWALK_ERROR(Opened(length_bytes(0)), ErrorCode::malformed,
                        "expected a header, found an empty one");
  expect_refused("   ", "", "expected an object, found an empty header");
}

TEST(Safetensors, S4_HeaderLongerThanTheFile) {
  EXPECT_ROPEWALK_ERROR(Opened(length_bytes(0xFFFF) + std::string(92, ' ')), ErrorCode::malformed,
                        "header of 65535 bytes, but the file has 100");
  EXPECT_ROPEWALK_ERROR(Opened(length_bytes(3) + "{}"), ErrorCode::malformed, "header of 3 bytes");
}

TEST(Safetensors, S5_HeaderLengthThatWraps) {
  for (const uint64_t length : {uint64_t{1} << 63, ~uint64_t{0}, ~uint64_t{0} - 7}) {
    EXPECT_ROPEWALK_ERROR(Opened(length_bytes(length) + "{}"), ErrorCode::malformed,
                          fmt::format("header of {} bytes", length));
  }
}

TEST(Safetensors, S6_HeaderOverTheLimit) {
  const TempFolder folder;
  const auto path = folder.file("m", length_bytes(100'000'001));
  std::filesystem::resize_file(path, 101'000'000);
  EXPECT_ROPEWALK_ERROR(SafetensorsFile{path}, ErrorCode::resource_limit,
                        "header of 100000001 bytes, larger than the limit of 100000000");
}

TEST(Safetensors, S7_HeaderNotUtf8) { expect_refused("{\"a\xff\":1}", "", "byte 11: "); }

TEST(Safetensors, S8_SurrogatesAndOverlongForms) {
  expect_refused("{\"\xed\xa0\x80\":1}", "", "byte 11: ");
  expect_refused("{\"\xc0\xaf\":1}", "", "byte 10: ");
  expect_refused(R"({"\ud800":1})", "", "surrogate");
}

TEST(Safetensors, S9_LeadingWhiteSpaceIsAcceptedWithAWarning) {
  const Opened opened(framed(" \t\n{" + entry("a", "U8", "[1]", "[0,1]") + "}", "x"));
  EXPECT_TRUE(opened.file.contains("a"));
  ASSERT_EQ(opened.file.warnings().size(), 1u);
  EXPECT_THAT(opened.file.warnings()[0], ::testing::HasSubstr("byte 8: white space"));
}

TEST(Safetensors, S10_HeaderIsNoObject) {
  for (const char* header : {"[]", "\"a\"", "12", "null", "\xEF\xBB\xBF{}"}) {
    expect_refused(header, "", "byte 8: expected an object, found '");
  }
}

TEST(Safetensors, S11_TruncatedInAString) { expect_refused("{\"abc", "", "byte 13: "); }

TEST(Safetensors, S12_TextAfterTheObject) {
  expect_refused("{} x", "", "byte 11: ");
  expect_refused("{}{}", "", "byte 10: ");
  expect_refused(std::string_view("{}\0\0", 4), "", "byte 10: zero byte");
}

TEST(Safetensors, S13_DeepNesting) {
  for (const std::string start : {"{\"a\":{\"x\":", "{\"a\":"}) {
    EXPECT_ROPEWALK_ERROR(Opened(framed(start + std::string(100000, '['))), ErrorCode::malformed,
                          start.size() > 6 ? "byte 80: nesting deeper than 64" : "found an array");
  }
}

TEST(Safetensors, S14_DuplicateName) {
  const std::string a = entry("a", "U8", "[1]", "[0,1]");
  expect_refused(object({a, a}), "x", "duplicate tensor \"a\" (first at byte 9, again at byte 61)");
}

TEST(Safetensors, S15_DuplicateNameWithAnOrphanedRange) {
  expect_refused(object({entry("a", "U8", "[1]", "[0,1]"), entry("b", "U8", "[1]", "[2,3]"),
                         entry("a", "U8", "[1]", "[1,2]")}),
                 "xyz", "duplicate tensor \"a\"");
}

TEST(Safetensors, S16_DuplicateNameAfterDecoding) {
  expect_refused(object({entry("a", "U8", "[1]", "[0,1]"), entry("\\u0061", "U8", "[1]", "[1,2]")}),
                 "xy", "duplicate tensor \"a\"");
}

TEST(Safetensors, S17_DuplicateField) {
  for (const char* field :
       {R"("dtype":"U8")", R"("shape":[1])", R"("data_offsets":[0,1])", R"("\u0073hape":[1])"}) {
    expect_refused(
        fmt::format(R"({{"a":{{"dtype":"U8","shape":[1],"data_offsets":[0,1],{}}}}})", field), "x",
        "duplicate field");
  }
}

TEST(Safetensors, S18_DuplicateMetadataKey) {
  expect_refused(R"({"__metadata__":{"k":"1","k":"1"}})", "", "__metadata__: duplicate key \"k\"");
  expect_refused(R"({"__metadata__":{},"__metadata__":{}})", "", "duplicate key \"__metadata__\"");
}

TEST(Safetensors, S19_MetadataValueIsAString) {
  for (const char* value : {"1", "null", "{}", "[]", "true"}) {
    expect_refused(fmt::format(R"({{"__metadata__":{{"k":{}}}}})", value), "",
                   "__metadata__: \"k\": expected a string, found ");
  }
  expect_refused(R"({"__metadata__":"x"})", "", "expected an object, found \"x\"");
}

TEST(Safetensors, S20_TensorNamedMetadata) {
  expect_refused(object({entry("__metadata__", "U8", "[1]", "[0,1]")}), "x",
                 "__metadata__: \"shape\": expected a string, found an array (no tensor can have");
  const TempFolder folder;
  const Tensor tensor = make_tensor(DType::u8, {1});
  EXPECT_ROPEWALK_ERROR(write_safetensors(folder / "m", {{"__metadata__", tensor.view()}}),
                        ErrorCode::invalid_argument, "keeps this name");
}

TEST(Safetensors, S21_UnknownFieldIsAcceptedWithAWarning) {
  for (const char* value : {"1", "[[],{}]", R"({"a":{"b":[1,{"dtype":2}]}})", "\"x\"", "null"}) {
    const Opened opened(framed(
        fmt::format(R"({{"a":{{"new":{},"dtype":"U8","shape":[1],"data_offsets":[0,1]}}}})", value),
        "x"));
    EXPECT_EQ(text_of(opened.file.read("a")), "x");
    ASSERT_EQ(opened.file.warnings().size(), 1u);
    EXPECT_THAT(opened.file.warnings()[0],
                ::testing::HasSubstr("tensor \"a\": unknown field \"new\""));
  }
}

TEST(Safetensors, S22_MissingField) {
  expect_refused(R"({"a":{"shape":[1],"data_offsets":[0,1]}})", "x",
                 "byte 9: tensor \"a\": expected the field \"dtype\"");
  expect_refused(R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", "x", "\"shape\"");
  expect_refused(R"({"a":{"dtype":"U8","shape":[1]}})", "x", "\"data_offsets\"");
  expect_refused(R"({"a":{}})", "", "tensor \"a\": expected the field");
}

}  // namespace
}  // namespace ropewalk
