#include <ctime>

#include <fmt/format.h>

#include "ropewalk/formats/gguf.h"
#include "ropewalk/formats/gguf_testing.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/gguf_bytes.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

using Opened = testing::OpenedGguf;

void expect_refused(const GgufBytes& bytes, std::string_view text) {
  EXPECT_ROPEWALK_ERROR(Opened(bytes.file(std::string(64, '\0'))), ErrorCode::malformed,
                        std::string(text));
}

GgufBytes one(std::initializer_list<uint64_t> dims, uint32_t type = 0, uint64_t offset = 0) {
  return GgufBytes().tensor("t", dims, type, offset);
}

TEST(GgufTensors, G24_Alignment) {
  for (const uint32_t alignment : {1u, 8u, 64u, 65536u}) {
    GgufBytes bytes;
    bytes.alignment = alignment;
    bytes.u32("general.alignment", alignment).tensor("t", {1}, 24, alignment);
    const Opened opened(bytes.file(std::string(alignment, '\0') + "x"));
    EXPECT_EQ(opened.file.read("t").bytes.front(), std::byte{'x'});
  }
  for (const uint32_t alignment : {0u, 3u, 24u, 131072u, 1u << 31}) {
    expect_refused(GgufBytes().u32("general.alignment", alignment),
                   fmt::format("byte 53: key \"general.alignment\": expected a power of two up to "
                               "65536, found {}",
                               alignment));
  }
  expect_refused(GgufBytes().i32("general.alignment", 32), "expected a value of type u32, found");
  expect_refused(GgufBytes().text("general.alignment", "32"), "found a string of 2 bytes");
}

TEST(GgufTensors, G25_NumberOfDimensions) {
  expect_refused(one({1, 1, 1, 1, 1}),
                 "byte 33: tensor \"t\": number of dimensions: expected at most 4, found 5");
  EXPECT_EQ(Opened(one({}).file(std::string(32, '\0'))).file.read("t").bytes.size(), 4u);
}

TEST(GgufTensors, G26_SizesThatOverflow) {
  const uint64_t large = uint64_t{1} << 32;
  expect_refused(one({4, 0}),
                 "byte 45: tensor \"t\": dimension 1: expected 1 to 2^63 - 1, found 0");
  expect_refused(one({~uint64_t{0}}),
                 "dimension 0: expected 1 to 2^63 - 1, found 1844674407370955");
  expect_refused(one({large, large}), "shape [4294967296, 4294967296]: the size overflows 64 bits");
  expect_refused(one({large, large / 4}), "the size overflows 64 bits");      // times 4 bytes
  expect_refused(one({(uint64_t{1} << 62) - 1, 1}, 0), "overflows 64 bits");  // and its padding
  expect_refused(one({~uint64_t{0} >> 1, 2}, 24), "the size overflows 64 bits");
  expect_refused(one({1}, 0, ~uint64_t{0} - 31), "the end overflows 64 bits");
}

TEST(GgufTensors, G27_TypesThatCannotBeRead) {
  GgufBytes bytes;
  bytes.text("general.architecture", "llama").tensor("x", {32}, 2, 0).tensor("t", {4}, 0, 32);
  for (const uint32_t type : {4u, 5u, 31u, 33u, 38u, 42u, ~0u}) {
    GgufBytes more = bytes;
    more.tensor("u", {4}, type, 64);
    const Opened opened(more.file(std::string(80, '\0')));
    EXPECT_EQ(opened.file.architecture(), "llama");
    EXPECT_EQ(opened.file.read("t").bytes.size(), 16u);
    EXPECT_EQ(opened.file.tensors().at("u").size_in_bytes, std::nullopt);
    EXPECT_ROPEWALK_ERROR(opened.file.read("x"), ErrorCode::unsupported,
                          "tensor \"x\": expected a type of F32, F16, BF16, F64, I8, I16, I32 or "
                          "I64, found Q4_0");
    EXPECT_ROPEWALK_ERROR(opened.file.read("u"), ErrorCode::unsupported,
                          fmt::format("found {}, which ggml does not use", type));
  }
}

TEST(GgufTensors, G28_RowsOfWholeBlocks) {
  expect_refused(
      one({33}, 8),
      "byte 33: tensor \"t\": shape [33]: expected rows of whole blocks of 32, as Q8_0 keeps them, "
      "found a row of 33");
  expect_refused(one({128, 2}, 12), "blocks of 256, as Q4_K keeps them, found a row of 128");
  expect_refused(one({}, 2), "blocks of 32, as Q4_0 keeps them, found a row of 1");
}

TEST(GgufTensors, G29_Names) {
  const auto named = [](std::string_view name) { return GgufBytes().tensor(name, {1}, 0, 0); };
  expect_refused(named(""), "byte 24: tensor 0: length of the name: expected 1 to 63, found 0");
  expect_refused(named(std::string(64, 'a')), "expected 1 to 63, found 64");
  expect_refused(named("a\xff"), "byte 33: tensor 0: expected UTF-8 with no zero byte");
  EXPECT_EQ(Opened(named(std::string(63, 'a')).file(std::string(32, '\0'))).file.tensors().size(),
            1u);
  expect_refused(named("a").tensor("b", {1}, 0, 32).tensor("a", {1}, 0, 64),
                 "duplicate tensor \"a\" (first at byte 24)");
}

TEST(GgufTensors, G30_Places) {
  expect_refused(one({4}, 0, 16),
                 "byte 49: tensor \"t\": offset: expected a multiple of 32, found "
                 "16");
  expect_refused(one({16}).tensor("u", {4}, 0, 32),
                 "tensor \"u\": offset 32: overlaps \"t\", which ends at 64");
  expect_refused(one({4}, 0, 32).tensor("u", {16}, 0, 0),
                 "tensor \"t\": offset 32: overlaps \"u\"");
  expect_refused(one({4}).tensor("u", {4}, 0, 0), "tensor \"u\": offset 0: overlaps \"t\"");
}

// Keys and the tensors that are there can be used; the one that is not is refused when it is read.
TEST(GgufTensors, G31_DataThatIsCutOff) {
  const std::string bytes =
      one({8}).tensor("u", {8}, 0, 32).text("k", "v").file(std::string(40, '\1'));
  const Opened opened(bytes);
  EXPECT_EQ(opened.file.text("k"), "v");
  EXPECT_EQ(opened.file.read("t").bytes.size(), 32u);
  ASSERT_EQ(opened.file.warnings().size(), 1u);
  EXPECT_THAT(
      opened.file.warnings()[0],
      ::testing::HasSubstr("tensor \"u\" ends at 192, but the file has 168 bytes (missing 24)"));
  EXPECT_ROPEWALK_ERROR(opened.file.read("u"), ErrorCode::malformed,
                        "tensor \"u\": bytes 160 to 192, but the file has 168 bytes (missing 24)");
}

TEST(GgufTensors, G32_BytesAfterTheLastTensor) {
  const Opened opened(one({4}).file(std::string(40, '\0')));
  ASSERT_EQ(opened.file.warnings().size(), 1u);
  EXPECT_THAT(opened.file.warnings()[0],
              ::testing::HasSubstr("byte 96: 8 bytes after the last tensor"));
  EXPECT_TRUE(Opened(one({4}).file(std::string(32, '\0'))).file.warnings().empty());
  EXPECT_TRUE(Opened(one({4}).file(std::string(16, '\0'))).file.warnings().empty());
}

TEST(GgufTensors, G33_OnePartOfASplitModel) {
  GgufBytes bytes;
  bytes.number("split.no", 2, uint16_t{1}).number("split.count", 2, uint16_t{3});
  const Opened opened(bytes.file());
  const std::string hint =
      "this is part 2 of a model in 3 files (*-00001-of-00003.gguf has the keys)";
  ASSERT_EQ(opened.file.warnings().size(), 1u);
  EXPECT_THAT(opened.file.warnings()[0], ::testing::HasSubstr(hint));
  EXPECT_ROPEWALK_ERROR(opened.file.architecture(), ErrorCode::malformed, hint);
  EXPECT_ROPEWALK_ERROR(opened.file.read("rope_freqs.weight"), ErrorCode::malformed, hint);
}

// The smallest files that once crashed ggml with a division by zero (ggml-org/llama.cpp#25596).
TEST(GgufTensors, Z01_DimensionOfZeroAndAlignmentOfZero) {
  expect_refused(GgufBytes().tensor("t", {1, 0}, 0, 0), "dimension 1: expected 1 to 2^63 - 1");
  expect_refused(GgufBytes().u32("general.alignment", 0).tensor("t", {1}, 0, 0), "found 0");
}

TEST(GgufTensors, NameThatIsNotThere) {
  const Opened opened(one({4}).tensor("rope_freqs.weight", {8}, 0, 32).file(std::string(64, '\0')));
  EXPECT_ROPEWALK_ERROR(opened.file.read("rope_freq.weight"), ErrorCode::malformed,
                        "m.gguf: tensor \"rope_freq.weight\": not among the 2 in the file; did you "
                        "mean \"rope_freqs.weight\"?");
}

// CPU time: the machine may be busy.
double seconds_to_open(const std::filesystem::path& path) {
  const std::clock_t start = std::clock();
  const GgufFile file(path);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  fmt::print("{} keys, {} tensors: {:.3f} s\n", file.metadata().size(), file.tensors().size(),
             seconds);
  return seconds;
}

// Generous: ten times what it takes, and less than anything that is not linear.
constexpr double kSeconds = 2;

TEST(GgufTensors, G9_G34_LargeDirectoriesTakeLinearTime) {
  GgufBytes keys, tensors, tokens;
  for (uint64_t i = 0; i < 100000; ++i) {
    keys.u32(fmt::format("key.{}", i * 7919 % 100000), 1);
    if (i < 50000) tensors.tensor(fmt::format("blk.{}.weight", i), {8}, 0, 32 * i);
  }
  std::vector<std::string> words;
  for (int i = 0; i < 250000; ++i) words.push_back(fmt::format("token{}", i));
  tokens.array("tokenizer.ggml.tokens", 8, words);
  const TempFolder folder;
  EXPECT_LT(seconds_to_open(folder.file("keys", keys.file())), kSeconds);
  EXPECT_LT(seconds_to_open(folder.file("tensors", tensors.file())), kSeconds);
  EXPECT_LT(seconds_to_open(folder.file("tokens", tokens.file())), kSeconds);
}

}  // namespace
}  // namespace ropewalk
