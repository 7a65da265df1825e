#include "ropewalk/formats/safetensors.h"

#include <cstring>
#include <ctime>

#include <fmt/format.h>

#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

const std::filesystem::path kFixtures = ROPEWALK_TESTDATA "/formats";

std::string length_bytes(uint64_t length) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += static_cast<char>(length >> (8 * i));
  return text;
}

std::string framed(std::string_view header, std::string_view data = "") {
  return length_bytes(header.size()).append(header).append(data);
}

std::string entry(std::string_view name, std::string_view dtype, std::string_view shape,
                  std::string_view offsets) {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":{},"data_offsets":{}}})", name, dtype, shape,
                     offsets);
}

std::string object(std::initializer_list<std::string> members) {
  return fmt::format("{{{}}}", fmt::join(members, ","));
}

// An opened file and the folder that it is in.
struct Opened {
  TempFolder folder;
  SafetensorsFile file;
  explicit Opened(std::string_view bytes, const SafetensorsOptions& options = {})
      : file(folder.file("m.safetensors", bytes), options) {}
};

void expect_refused(std::string_view header, std::string_view data, std::string_view text) {
  EXPECT_ROPEWALK_ERROR(Opened(framed(header, data)), ErrorCode::malformed, std::string(text));
}

std::string text_of(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()};
}

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
                        "m.safetensors: byte 0: file has 0 bytes, a safetensors header needs at "
                        "least 8");
}

TEST(Safetensors, S2_SevenBytes) {
  EXPECT_ROPEWALK_ERROR(Opened("1234567"), ErrorCode::malformed, "file has 7 bytes");
}

TEST(Safetensors, S3_EmptyHeader) {
  EXPECT_ROPEWALK_ERROR(Opened(length_bytes(0)), ErrorCode::malformed, "header is empty");
  expect_refused("   ", "", "header is empty");
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
  EXPECT_THAT(opened.file.warnings()[0], testing::HasSubstr("byte 8: white space"));
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
                testing::HasSubstr("tensor \"a\": unknown field \"new\""));
  }
}

TEST(Safetensors, S22_MissingField) {
  expect_refused(R"({"a":{"shape":[1],"data_offsets":[0,1]}})", "x",
                 "byte 9: tensor \"a\": expected the field \"dtype\"");
  expect_refused(R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", "x", "\"shape\"");
  expect_refused(R"({"a":{"dtype":"U8","shape":[1]}})", "x", "\"data_offsets\"");
  expect_refused(R"({"a":{}})", "", "tensor \"a\": expected the field");
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
  EXPECT_ROPEWALK_ERROR(opened.file.read("a"), ErrorCode::unsupported, "with 9 dimensions");
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
  EXPECT_ROPEWALK_ERROR(Opened{bytes}, ErrorCode::malformed,
                        "byte 62: 4 bytes after the last tensor, expected none");
  const Opened opened(bytes, {.allow_trailing = true});
  EXPECT_EQ(text_of(opened.file.read("a")), "x");
  EXPECT_EQ(opened.file.warnings().size(), 1u);
  EXPECT_ROPEWALK_ERROR(Opened(framed("{}", "x")), ErrorCode::malformed, "1 bytes after");
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
