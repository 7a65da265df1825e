#include "ropewalk/formats/npy.h"

#include <cstring>

#include <fmt/format.h>

#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

const std::filesystem::path kFixtures = ROPEWALK_TESTDATA "/formats";

std::string le(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

// The bytes of a file: magic, version, header as given, data.
std::string npy_bytes(std::string_view header, std::string_view data, int major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  bytes += le(header.size(), major == 1 ? 2 : 4);
  return bytes.append(header).append(data);
}

std::string dictionary(std::string_view descr, std::string_view shape,
                       std::string_view order = "False") {
  return fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}", descr, order, shape);
}

Tensor read_bytes(std::string_view bytes, const NpyOptions& options = {}) {
  const TempFolder folder;
  return read_npy(folder.file("a.npy", bytes), options);
}

Tensor read_array(std::string_view descr, std::string_view shape, std::string_view data,
                  std::string_view order = "False") {
  return read_bytes(npy_bytes(dictionary(descr, shape, order), data));
}

void expect_refused(std::string_view header, ErrorCode code, std::string_view text) {
  EXPECT_ROPEWALK_ERROR(read_bytes(npy_bytes(header, "12345678")), code, std::string(text));
}

template <typename T>
std::vector<T> values(const Tensor& tensor) {
  std::vector<T> result(tensor.bytes.size() / sizeof(T));
  if (!result.empty()) std::memcpy(result.data(), tensor.bytes.data(), tensor.bytes.size());
  return result;
}

TEST(Npy, N1_EmptyMagicOnlyWrongMagic) {
  EXPECT_ROPEWALK_ERROR(read_bytes(""), ErrorCode::malformed, "a.npy: byte 0: expected the magic");
  EXPECT_ROPEWALK_ERROR(read_bytes("\x93NUM"), ErrorCode::malformed, "found '\\x93NUM'");
  EXPECT_ROPEWALK_ERROR(read_bytes("\x93NUMPY"), ErrorCode::malformed, "byte 6: the file ends");
  EXPECT_ROPEWALK_ERROR(read_bytes("\x93NUMPY\x01"), ErrorCode::malformed, "byte 6");
  EXPECT_ROPEWALK_ERROR(read_bytes(std::string("\x93NUMPY\x01\0v", 9)), ErrorCode::malformed,
                        "byte 8: the file ends");
  EXPECT_ROPEWALK_ERROR(read_bytes("\x93NUMPZ\x01\x01rest of it"), ErrorCode::malformed,
                        "found '\\x93NUMPZ'");
}

TEST(Npy, N2_Versions) {
  for (const int major : {0, 4, 255}) {
    EXPECT_ROPEWALK_ERROR(read_bytes(npy_bytes(dictionary("'<f4'", "(1,)"), "1234", major)),
                          ErrorCode::unsupported, fmt::format("found {}.0", major));
  }
  for (const int major : {1, 2, 3}) {
    EXPECT_EQ(read_bytes(npy_bytes(dictionary("'<f4'", "(1,)"), "1234", major)).shape, Dims{1});
  }
}

TEST(Npy, N3_HeaderLongerThanTheFile) {
  EXPECT_ROPEWALK_ERROR(read_bytes("\x93NUMPY" + le(1, 2) + le(60000, 2) + "{}"),
                        ErrorCode::malformed, "byte 8: header of 60000 bytes, but the file has 12");
  EXPECT_ROPEWALK_ERROR(read_bytes("\x93NUMPY" + le(2, 2) + le(0xFFFFFFF0, 4)),
                        ErrorCode::malformed, "header of 4294967280 bytes, but the file has 12");
}

TEST(Npy, N4_HeaderOverTheLimit) {
  const std::string header = dictionary("'<f4'", "(1,)") + std::string(65536, ' ');
  EXPECT_ROPEWALK_ERROR(read_bytes(npy_bytes(header, "1234", 2)), ErrorCode::resource_limit,
                        "larger than the limit of 65536");
}

TEST(Npy, N5_PaddingIsFree) {
  EXPECT_EQ(read_array("'<u2'", "(1,)", "ab").bytes.size(), 2u);
  EXPECT_EQ(
      read_bytes(npy_bytes(" {\t\"shape\":(1 , ),'fortran_order':False,\n'descr':'|u1'} \n", "a"))
          .dtype,
      DType::u8);
}

TEST(Npy, N6_BigEndianIsSwapped) {
  EXPECT_EQ(values<uint16_t>(read_array("'>u2'", "(2,)", "\x01\x02\x03\x04")),
            (std::vector<uint16_t>{0x0102, 0x0304}));
  const Tensor tensor = read_npy(kFixtures / "f8_big_endian.npy");
  EXPECT_EQ(tensor.dtype, DType::f64);
  EXPECT_EQ(values<double>(tensor), (std::vector<double>{0, 0.5, 1, 1.5, 2, 2.5}));
}

TEST(Npy, N7_V2IsBf16WhenAskedFor) {
  const std::string bytes =
      npy_bytes(dictionary("'|V2'", "(2,)"), std::string_view("\x80\x3f\x00\xc0", 4));
  EXPECT_ROPEWALK_ERROR(read_bytes(bytes), ErrorCode::unsupported, "as ml_dtypes saves bfloat16");
  const Tensor tensor = read_bytes(bytes, {.bf16_as_v2 = true});
  EXPECT_EQ(tensor.dtype, DType::bf16);
  EXPECT_EQ(values<float>(converted(std::as_const(tensor).view(), DType::f32)),
            (std::vector<float>{1, -2}));
}

TEST(Npy, N8_Float8) {
  expect_refused(dictionary("'<f1'", "(8,)"), ErrorCode::unsupported, "f8, found '<f1'");
}

TEST(Npy, N9_ObjectsAreNotUnpickled) {
  expect_refused(dictionary("'|O'", "(1,)"), ErrorCode::unsupported, "pickle, refused");
  EXPECT_ROPEWALK_ERROR(read_bytes("\x80\x04\x95 and so on"), ErrorCode::unsupported, "pickle");
}

TEST(Npy, N10_OtherTypes) {
  expect_refused(dictionary("[('a', '<f4')]", "(1,)"), ErrorCode::unsupported, "structured");
  for (const char* descr :
       {"<U4", "<c8", "<M8[ns]", "|S3", "f4", "<", "", "=f4", "|f4", "<f16", "<f4 "}) {
    expect_refused(dictionary(fmt::format("'{}'", descr), "(1,)"), ErrorCode::unsupported,
                   "'descr': expected '<' or '>' and one of");
  }
}

TEST(Npy, N11_FortranOrderIsTransposed) {
  EXPECT_EQ(values<uint8_t>(read_array("'|u1'", "(2, 3)", "ADBECF", "True")),
            (std::vector<uint8_t>{'A', 'B', 'C', 'D', 'E', 'F'}));
  const Tensor c = read_npy(kFixtures / "i4_c.npy"), f = read_npy(kFixtures / "i4_fortran.npy");
  EXPECT_EQ(c.shape, (Dims{2, 3, 4}));
  EXPECT_EQ(f.shape, c.shape);
  EXPECT_EQ(f.bytes, c.bytes);
}

TEST(Npy, N12_FortranOrderIsABoolean) {
  for (const char* order : {"0", "1", "'False'", "None", "false"}) {
    expect_refused(dictionary("'<f8'", "(1,)", order), ErrorCode::malformed,
                   "expected True or False, found");
  }
}

TEST(Npy, N13_ShapeIsATupleOfCounts) {
  for (const char* shape : {"(1)", "1", "[1]", "(1.0,)", "(-1,)", "(1,,)", "(,)", "(1 1)", "('1',)",
                            "(01,)", "(0x1,)", "(1", "(1,", "(", ""}) {
    expect_refused(dictionary("'<f8'", shape), ErrorCode::malformed, "NumPy header: ");
  }
  expect_refused(dictionary("'<f8'", "(1)"), ErrorCode::malformed,
                 "byte 60: NumPy header: 'shape': expected a tuple (1,), found a number");
  EXPECT_EQ(read_array("'<f8'", "(1L,)", "12345678").shape, Dims{1});
}

TEST(Npy, N14_ShapesThatOverflow) {
  expect_refused(dictionary("'<f8'", "(18446744073709551616,)"), ErrorCode::malformed,
                 "dimension too large: 18446744073709551616");
  expect_refused(dictionary("'<f8'", "(9223372036854775808,)"), ErrorCode::malformed, "too large");
  expect_refused(dictionary("'<f8'", "(4294967296, 4294967296)"), ErrorCode::malformed,
                 "overflows");
  expect_refused(dictionary("'<f8'", "(2305843009213693952,)"), ErrorCode::malformed, "overflows");
  std::string ones = "(";
  for (int i = 0; i < 9; ++i) ones += "1,";
  expect_refused(dictionary("'<f8'", ones + ")"), ErrorCode::unsupported,
                 "expected at most 8 dimensions, found 9");
  for (int i = 9; i < 65; ++i) ones += "1,";
  expect_refused(dictionary("'<f8'", ones + ")"), ErrorCode::malformed, "more than 64 dimensions");
}

TEST(Npy, N15_ScalarsAndEmptyArrays) {
  EXPECT_EQ(read_array("'<f4'", "()", "1234").shape, Dims{});
  EXPECT_EQ(read_array("'<f4'", "(0, 3)", "").shape, (Dims{0, 3}));
  for (const char* order : {"False", "True"}) {
    const Tensor tensor = read_array("'<f4'", "(0, 9223372036854775807, 5)", "", order);
    EXPECT_EQ(tensor.shape, (Dims{0, INT64_MAX, 5}));
    EXPECT_TRUE(contiguous_copy(tensor.view()).bytes.empty());
  }
}

TEST(Npy, N16_DataShorterThanTheShape) {
  EXPECT_ROPEWALK_ERROR(read_array("'<f4'", "(3, 4)", "1234"), ErrorCode::malformed,
                        "shape (3, 4) of f32: expected 48 bytes, found 4 (missing 44)");
  EXPECT_ROPEWALK_ERROR(read_array("'<f4'", "(1000000000000,)", "1234"), ErrorCode::malformed,
                        "missing");
}

TEST(Npy, N17_DataLongerThanTheShape) {
  const std::string bytes = npy_bytes(dictionary("'<u1'", "(2,)"), "abc");
  EXPECT_ROPEWALK_ERROR(read_bytes(bytes), ErrorCode::malformed, "expected 2 bytes, found 3");
  EXPECT_EQ(values<char>(read_bytes(bytes, {.allow_trailing = true})),
            (std::vector<char>{'a', 'b'}));
}

TEST(Npy, N18_OnlyTheGrammar) {
  const char* kHeaders[] = {
      "",
      "{",
      "{}",
      "[]",
      "{'descr': '<f8', 'fortran_order': False}",
      "{'descr': '<f8', 'shape': (1,)}",
      "{'shape': (1,), 'fortran_order': False}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'extra': 1}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'shape': (1,)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': ((1,),)}",
      "({'descr': '<f8', 'fortran_order': False, 'shape': (1,)})",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} # x",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)};",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (__import__('os').system('x'),)}",
      "{'descr': __import__('os'), 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f8' 'fortran_order': False, 'shape': (1,)}",
      "{,'descr': '<f8', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<\\x66' , 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f8",
      "{descr: '<f8', 'fortran_order': False, 'shape': (1,)}",
  };
  for (const char* header : kHeaders) {
    SCOPED_TRACE(header);
    expect_refused(header, ErrorCode::malformed, "NumPy header: ");
  }
  expect_refused("{'descr': '<f8', 'shape': (1,), 'descr': '<f4'}", ErrorCode::malformed,
                 "byte 42: NumPy header: duplicate key 'descr'");
}

TEST(Npy, N18_DeepParenthesesCostNoStack) {
  expect_refused(dictionary("'<f8'", std::string(60000, '(')), ErrorCode::malformed, "shape");
}

TEST(Npy, N20_ArchivesAreRecognised) {
  EXPECT_ROPEWALK_ERROR(read_bytes("PK\x03\x04 and so on"), ErrorCode::unsupported, "numpy.save(");
  EXPECT_ROPEWALK_ERROR(read_bytes("GGUF\x03"), ErrorCode::unsupported, "found a GGUF file");
  EXPECT_ROPEWALK_ERROR(read_bytes(le(20, 8) + "{ }"), ErrorCode::unsupported,
                        "found a safetensors file");
}

TEST(Npy, N21_NothingIsInflated) {
  const TempFolder folder;
  const auto path = folder.file("bomb.npz", "PK\x03\x04");
  std::filesystem::resize_file(path, uint64_t{10} << 30);  // a hole on disk
  EXPECT_ROPEWALK_ERROR(read_npy(path), ErrorCode::unsupported, "zip archive");
}

TEST(Npy, ReadsWhatNumpyWrites) {
  EXPECT_EQ(values<float>(read_npy(kFixtures / "f4_v1.npy")),
            (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(read_npy(kFixtures / "f4_v2.npy").bytes, read_npy(kFixtures / "f4_v1.npy").bytes);
  EXPECT_EQ(read_npy(kFixtures / "f4_v3.npy").bytes, read_npy(kFixtures / "f4_v1.npy").bytes);
  EXPECT_EQ(read_npy(kFixtures / "f2_scalar.npy").shape, Dims{});
  EXPECT_EQ(read_npy(kFixtures / "i8_empty.npy").shape, (Dims{0, 3}));
  EXPECT_ROPEWALK_ERROR(read_npy(kFixtures / "object.npy"), ErrorCode::unsupported, "pickle");
  EXPECT_ROPEWALK_ERROR(read_npy(kFixtures / "structured.npy"), ErrorCode::unsupported,
                        "structured");
  EXPECT_ROPEWALK_ERROR(read_npy(kFixtures / "archive.npz"), ErrorCode::unsupported, "zip archive");
}

ROPEWALK_PROPERTY(Npy, DamagedFilesNeverDoMoreThanThrow, [] {
  std::string bytes = npy_bytes(dictionary("'<u2'", "(2, 2)"), "abcdefgh");
  const auto at = *rc::gen::inRange<size_t>(0, bytes.size());
  bytes[at] = *rc::gen::arbitrary<char>();
  if (*rc::gen::arbitrary<bool>()) bytes.resize(*rc::gen::inRange<size_t>(0, bytes.size()));
  try {
    RC_ASSERT(read_bytes(bytes).bytes.size() <= bytes.size());
  } catch (const Error& error) {
    RC_ASSERT(error.code() == ErrorCode::malformed || error.code() == ErrorCode::unsupported);
  }
});

// A part of the numbers, in the order of the machine; one that goes past the end is refused.
TEST(Npy, APartOfAFile) {
  const TempFolder folder;
  const NpyFile file(folder.file(
      "a.npy", npy_bytes(dictionary("'>u2'", "(2, 2)"), {"\x01\x02\x03\x04\x05\x06\x07\x08", 8})));
  EXPECT_EQ(file.shape(), (Dims{2, 2}));
  EXPECT_EQ(file.dtype(), DType::u16);
  EXPECT_TRUE(file.row_major());
  uint16_t part[2] = {};
  file.read_part(1, std::as_writable_bytes(std::span(part)));
  EXPECT_EQ(part[0], 0x0304);
  EXPECT_EQ(part[1], 0x0506);
  EXPECT_ROPEWALK_ERROR(file.read_part(3, std::as_writable_bytes(std::span(part))),
                        ErrorCode::malformed, "a.npy");
  EXPECT_FALSE(NpyFile(kFixtures / "i4_fortran.npy").row_major());
}

}  // namespace
}  // namespace ropewalk
