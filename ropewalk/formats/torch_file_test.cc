#include "ropewalk/formats/torch_file.h"

#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ropewalk/formats/safetensors.h"
#include "ropewalk/formats/torch_file_testing.h"
#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

using testing::pickled;
using testing::torch_bytes;
using testing::zip_of;
using Opened = testing::OpenedTorch;

const std::filesystem::path kFixtures = ROPEWALK_TESTDATA "/formats";

std::string bytes_of(const std::string& fixture) {
  std::ifstream file(kFixtures / fixture, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_refused(const std::string& opcodes, ErrorCode code, const std::string& text) {
  EXPECT_ROPEWALK_ERROR(Opened(torch_bytes(opcodes)), code, text);
}

TEST(TorchFile, ReadsWhatTorchWrites) {
  const TorchFile file(kFixtures / "tensors.pt");
  const SafetensorsFile expected(kFixtures / "tensors.safetensors");
  EXPECT_EQ(file.entries().size(), expected.entries().size());
  for (const auto& [name, entry] : expected.entries()) {
    SCOPED_TRACE(name);
    const Tensor mine = file.read(name), theirs = expected.read(name);
    EXPECT_EQ(mine.dtype, theirs.dtype);
    EXPECT_EQ(mine.shape, theirs.shape);
    EXPECT_EQ(mine.bytes, theirs.bytes);
  }
  EXPECT_EQ(file.entries().at("transposed").strides, (Dims{1, 6}));
  EXPECT_EQ(file.entries().at("slice").end - file.entries().at("slice").begin, 4u * (2 * 6 + 3));
  EXPECT_EQ(file.unsupported().at("complex"), "complex64");
  EXPECT_ROPEWALK_ERROR(file.read("complex"), ErrorCode::unsupported, "found complex64");
  const TorchFile parts(kFixtures / "tensors.pt", {.complex_as_pairs = true});
  const Tensor ones = parts.read("complex");  // 1 + 0i, twice
  EXPECT_EQ(ones.shape, (Dims{2, 2}));
  const float numbers[] = {1, 0, 1, 0};
  EXPECT_EQ(std::memcmp(ones.bytes.data(), numbers, sizeof(numbers)), 0);
  EXPECT_ROPEWALK_ERROR(file.read("f23"), ErrorCode::malformed,
                        "tensor \"f23\": not in the file, which holds 16 others; did you mean");
}

TEST(TorchFile, OneTensorHasNoName) {
  const TorchFile file(kFixtures / "one.pt");
  ASSERT_EQ(file.entries().size(), 1u);
  EXPECT_EQ(file.read("").bytes, TorchFile(kFixtures / "tensors.pt").read("f32").bytes);
  EXPECT_ROPEWALK_ERROR(file.read("q"), ErrorCode::malformed, "holds one tensor without a name");
}

TEST(TorchFile, StateDict) {
  const TorchFile file(kFixtures / "state_dict.pt");
  EXPECT_EQ(file.entries().size(), 2u);
  float bias[2];
  std::memcpy(bias, file.read("bias").bytes.data(), sizeof bias);
  EXPECT_EQ(bias[1], 2.f);
  EXPECT_EQ(file.entries().at("weight").shape, (Dims{2, 2}));
}

TEST(TorchFile, NothingIsRun) {
  EXPECT_ROPEWALK_ERROR(TorchFile(kFixtures / "call.pt"), ErrorCode::unsupported,
                        "expected a tensor, found a call of posix.system: nothing was run");
  const TempFolder folder;
  const std::string made = folder / "made";
  const std::string call = "cos\nsystem\n(" + pickled("touch " + made) + "tR";
  expect_refused(call, ErrorCode::unsupported, "a call of os.system: nothing was run");
  expect_refused("ctorch\nFloatStorage\n)R", ErrorCode::unsupported,
                 "a call of torch.FloatStorage");
  expect_refused("ctorch\nload\n)R", ErrorCode::unsupported, "a call of torch.load");
  expect_refused("(i__builtin__\neval\n", ErrorCode::unsupported, "found opcode 0x69");
  EXPECT_FALSE(std::filesystem::exists(made));
}

TEST(TorchFile, ViewsThatNegateAreRefused) {
  EXPECT_ROPEWALK_ERROR(TorchFile(kFixtures / "negative_view.pt"), ErrorCode::unsupported,
                        "a view that negates or conjugates them; save its .clone()");
}

TEST(TorchFile, OtherFormatsAreRecognised) {
  EXPECT_ROPEWALK_ERROR(TorchFile(kFixtures / "before_1_6.pt"), ErrorCode::unsupported,
                        "found its older form; save it again");
  EXPECT_ROPEWALK_ERROR(TorchFile(kFixtures / "f4_v1.npy"), ErrorCode::unsupported,
                        "found a NumPy array file");
  EXPECT_ROPEWALK_ERROR(TorchFile(kFixtures / "archive.npz"), ErrorCode::unsupported,
                        "expected data.pkl, which torch.save writes, found 1 others");
  EXPECT_ROPEWALK_ERROR(Opened(""), ErrorCode::malformed, "expected a zip archive");
}

TEST(TorchFile, PlacesAreChecked) {
  using P = testing::TensorPickle;
  EXPECT_EQ(Opened(torch_bytes(pickled(P{}))).file.read("").bytes.size(), 16u);
  const auto refused = [](const P& tensor, const std::string& text) {
    expect_refused(pickled(tensor), ErrorCode::malformed, text);
  };
  refused({.offset = 1},
          "shape [2, 2] with strides [2, 1] from element 1: expected elements of a "
          "storage of 16 bytes, found some beyond");
  refused({.offset = INT64_MAX}, "found some beyond");
  refused({.offset = -1}, "an offset that is not negative, found -1");
  refused({.shape = pickled({2, INT64_MAX})}, "found some beyond");
  refused({.shape = pickled({INT64_MAX, INT64_MAX}), .strides = pickled({INT64_MAX, 1})}, "beyond");
  refused({.shape = pickled({2, -1})}, "sizes that are not negative, found -1");
  refused({.strides = pickled({-2, 1})}, "strides that are not negative, found -2");
  refused({.strides = pickled({1})}, "a stride for each of 2 dimensions, found 1");
  refused({.count = 5}, "expected 20 bytes of storage data/0, found 16");
  refused({.count = -4}, "expected a count of elements, found -4");
  refused({.count = INT64_MAX}, "expected a count of elements");
  refused({.storage = "DoubleStorage"}, "expected 32 bytes of storage data/0, found 16");
  refused({.storage = "float32"}, "expected a storage of its type, found torch.float32");
  const Opened empty(torch_bytes(
      pickled(P{.shape = pickled({0, INT64_MAX}), .strides = pickled({INT64_MAX, INT64_MAX})})));
  EXPECT_TRUE(empty.file.read("").bytes.empty());
}

TEST(TorchFile, RepeatedElementsAreLimited) {
  const auto repeated = [](int64_t times) {
    return torch_bytes(
        pickled(testing::TensorPickle{.shape = pickled({times, 4}), .strides = pickled({0, 1})}));
  };
  EXPECT_EQ(Opened(repeated(3)).file.read("").bytes, std::vector(48, std::byte{1}));
  for (const int64_t times : {int64_t{1} << 27, INT64_MAX}) {
    EXPECT_ROPEWALK_ERROR(Opened(repeated(times)), ErrorCode::resource_limit,
                          "repeats 16 bytes: expected at most 1073741824");
  }
}

TEST(TorchFile, PicklesThatAreNotOfTensors) {
  const std::string tensor = pickled(testing::TensorPickle{});
  expect_refused(pickled(7), ErrorCode::unsupported, "a dict or list of tensors, found a number");
  expect_refused("", ErrorCode::malformed, "expected a value to take, found none");
  expect_refused("NN", ErrorCode::malformed, "expected one result, found more");
  expect_refused("h\x07", ErrorCode::malformed, "expected a value kept as 7, found none");
  expect_refused("t", ErrorCode::malformed, "expected a mark, found none");
  expect_refused("(Ns", ErrorCode::malformed, "expected a value to take");
  expect_refused("}(Nu", ErrorCode::malformed, "a value for each key");
  expect_refused("]NNs", ErrorCode::malformed, "expected a dict, found a list");
  expect_refused("NQ", ErrorCode::malformed, "the five parts of a storage");
  expect_refused("N)R", ErrorCode::malformed, "expected a call, found None");
  expect_refused("NNb", ErrorCode::unsupported, "attributes of a dict, found those of None");
  expect_refused("}N" + tensor + "s", ErrorCode::unsupported, "key of a tensor, found None");
  expect_refused("X\xff\xff\xff\xff", ErrorCode::malformed, "expected 4294967295 bytes more");
  expect_refused("\x8a\x09" + std::string(9, '1'), ErrorCode::unsupported, "an integer of 64 bits");
  expect_refused("ccollections\nOrderedDict", ErrorCode::malformed, "the end of a name");
  expect_refused("]]]]]" + tensor + "aaaaa", ErrorCode::unsupported,
                 "at most 4 deep, found a list");
  const std::string twice =
      "}" + pickled("a.b") + tensor + "s" + pickled("a") + "}" + pickled("b") + tensor + "ss";
  expect_refused(twice, ErrorCode::unsupported, "tensor \"a.b\": expected one tensor of this name");
}

TEST(TorchFile, SharedValuesDoNotGrow) {
  // A list of a list of a list, each of 1001 times the one before.
  std::string opcodes = "]q";
  opcodes += '\0';
  for (char level = 1; level < 3; ++level) {
    opcodes += "](";
    for (int i = 0; i < 1001; ++i) opcodes += std::string("h") + static_cast<char>(level - 1);
    opcodes += std::string("eq") + level;
  }
  EXPECT_ROPEWALK_ERROR(Opened(torch_bytes("(" + opcodes + "t")), ErrorCode::resource_limit,
                        "at most 1000000 values");
  // It holds itself.
  const std::string itself = std::string("]q\0", 3) + std::string("h\0a", 3);
  expect_refused(itself, ErrorCode::unsupported, "at most 4 deep");
  expect_refused(")" + std::string(2'000'000, '\x85'), ErrorCode::resource_limit,
                 "at most 1000000");
}

TEST(TorchFile, ArchivesThatTorchDoesNotWrite) {
  const std::string pickle = "\x80\x02" + pickled(testing::TensorPickle{}) + ".";
  EXPECT_ROPEWALK_ERROR(Opened(zip_of({{"q/data.pkl", pickle}}, {.method = 8})),
                        ErrorCode::unsupported, "expected stored bytes, as torch.save writes them");
  EXPECT_ROPEWALK_ERROR(Opened(zip_of({{"q/data.pkl", pickle}}, {.flags = 1})),
                        ErrorCode::unsupported, "found encrypted ones");
  EXPECT_ROPEWALK_ERROR(Opened(zip_of({{"q/data.pkl", pickle}, {"q/data.pkl", pickle}})),
                        ErrorCode::malformed, "expected one entry, found two");
  EXPECT_ROPEWALK_ERROR(Opened(zip_of({{"q/data.pkl", pickle}, {"r/data.pkl", pickle}})),
                        ErrorCode::malformed, "expected one data.pkl, found two");
  EXPECT_ROPEWALK_ERROR(Opened(zip_of({{"q/data.pkl", pickle}})), ErrorCode::malformed,
                        "expected its storage data/0, found no such record");
  EXPECT_ROPEWALK_ERROR(Opened(zip_of({{"q/data.pkl", "\x80\x04."}})), ErrorCode::unsupported,
                        "expected protocol 2, which torch.save writes, found 4");
  EXPECT_ROPEWALK_ERROR(Opened(torch_bytes(pickled(testing::TensorPickle{}), "big")),
                        ErrorCode::unsupported, "q/byteorder: expected little, found big");
}

TEST(TorchFile, Zip64) {
  std::string bytes = bytes_of("one.pt");  // torch always writes the end of zip64, too
  bytes.replace(bytes.size() - 12, 10, std::string(10, '\xff'));
  bytes.replace(bytes.size() - 2, 2, std::string(2, '\0'));
  EXPECT_EQ(Opened(bytes).file.read("").bytes, TorchFile(kFixtures / "one.pt").read("").bytes);
}

// Reads all of it, or is refused.
void expect_answer(const std::string& bytes) {
  try {
    const Opened opened(bytes);
    for (const auto& [name, entry] : opened.file.entries()) {
      ASSERT_LE(entry.end, bytes.size());
      opened.file.read(name);
    }
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::malformed || error.code() == ErrorCode::unsupported)
        << error.what();
  }
}

TEST(TorchFile, TruncatedFilesAreRefused) {
  const std::string bytes = bytes_of("one.pt");
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(Opened(bytes.substr(0, size)), Error) << size;
  }
}

TEST(TorchFile, DamagedFilesNeverDoMoreThanThrow) {
  const std::string bytes = bytes_of("one.pt");
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      expect_answer(damaged);
    }
  }
}

}  // namespace
}  // namespace ropewalk
