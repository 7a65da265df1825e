#include "ropewalk/formats/checkpoint.h"

#include <cstring>
#include <ctime>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

constexpr const char* kIndex = "model.safetensors.index.json";

// Writes a file whose tensors each hold one float: 0, 1, 2, ... from `first` on.
void write_shard(const std::filesystem::path& path, const std::vector<std::string>& names,
                 float first = 0) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < names.size(); ++i) {
    tensors.push_back(make_tensor(DType::f32, {1}));
    const float value = first + static_cast<float>(i);
    std::memcpy(tensors.back().bytes.data(), &value, sizeof value);
  }
  std::vector<std::pair<std::string, ConstTensorView>> named;
  for (size_t i = 0; i < names.size(); ++i) {
    named.emplace_back(names[i], std::as_const(tensors[i]).view());
  }
  write_safetensors(path, named);
}

float value_of(const Tensor& tensor) {
  float value = 0;
  std::memcpy(&value, tensor.bytes.data(), sizeof value);
  return value;
}

// a and b in 1.safetensors, c in 2.safetensors, and the index that says so.
struct Model {
  TempFolder folder;
  Model() {
    write_shard(folder / "1.safetensors", {"a", "b"}, 0);
    write_shard(folder / "2.safetensors", {"c"}, 2);
    index(R"("a": "1.safetensors", "c": "2.safetensors", "b": "1.safetensors")");
  }
  void index(std::string_view weight_map, std::string_view rest = "") const {
    folder.file(kIndex, fmt::format(R"({{"weight_map": {{{}}}{}}})", weight_map, rest));
  }
  Checkpoint open() const { return Checkpoint(folder.path()); }
};

void expect_refused(const Model& model, std::string_view text,
                    ErrorCode code = ErrorCode::malformed) {
  EXPECT_ROPEWALK_ERROR(model.open(), code, std::string(text));
}

TEST(Checkpoint, TensorsOfSeveralFiles) {
  const Model model;
  for (const auto& path : {model.folder.path(), model.folder / kIndex}) {
    const Checkpoint checkpoint(path);
    EXPECT_EQ(checkpoint.tensors().size(), 3u);
    EXPECT_EQ(checkpoint.files().size(), 2u);
    EXPECT_EQ(value_of(checkpoint.read("a")), 0);
    EXPECT_EQ(value_of(checkpoint.read("b")), 1);
    EXPECT_EQ(value_of(checkpoint.read("c")), 2);
    EXPECT_FALSE(checkpoint.contains("d"));
    EXPECT_TRUE(checkpoint.warnings().empty());
    EXPECT_THAT(checkpoint.label(), testing::HasSubstr(kIndex));
    EXPECT_ROPEWALK_ERROR(checkpoint.read("d"), ErrorCode::malformed,
                          "index.json: tensor \"d\": not among the 3 of its weight_map");
  }
}

TEST(Checkpoint, OneFile) {
  const Model model;
  EXPECT_EQ(value_of(Checkpoint(model.folder / "2.safetensors").read("c")), 2);
  // transformers takes model.safetensors where a folder has it, whatever else is there.
  write_shard(model.folder / "model.safetensors", {"a"}, 7);
  const Checkpoint checkpoint = model.open();
  EXPECT_EQ(value_of(checkpoint.read("a")), 7);
  EXPECT_ROPEWALK_ERROR(checkpoint.read("b"), ErrorCode::malformed,
                        "model.safetensors: tensor \"b\": not in the file, which holds a");
}

TEST(Checkpoint, FolderWithout) {
  const TempFolder folder;
  EXPECT_ROPEWALK_ERROR(Checkpoint(folder.path()), ErrorCode::io,
                        "expected model.safetensors or model.safetensors.index.json in this "
                        "folder, found neither");
  EXPECT_ROPEWALK_ERROR(Checkpoint(folder / "none"), ErrorCode::io, "cannot open");
}

TEST(Checkpoint, I1_I2_NamesThatLeaveTheFolder) {
  const Model model;
  for (const char* name : {"../../etc/passwd", "/abs/path.safetensors", "sub/1.safetensors", "..",
                           ".", "", "a\\\\b", "1\\u0000"}) {
    model.index(fmt::format(R"("a": "{}")", name));
    expect_refused(model,
                   "index.json: /weight_map: tensor \"a\": expected the name of a file "
                   "beside the index, found \"");
  }
  model.index(R"("a": 1)");
  expect_refused(model, "expected the name of a file beside the index, found 1");
  model.index(R"("a": ["1.safetensors"])");
  expect_refused(model, "expected the name of a file beside the index, found array");
}

// The cache of Hugging Face: snapshots/<commit>/ holds links to ../../blobs/<hash>.
TEST(Checkpoint, I3_LinksOutOfTheFolderAreFollowed) {
  const TempFolder cache;
  std::filesystem::create_directories(cache / "snapshots/abc");
  std::filesystem::create_directory(cache / "blobs");
  write_shard(cache / "blobs/123", {"a"}, 5);
  std::filesystem::create_symlink("../../blobs/123", cache / "snapshots/abc/1.safetensors");
  cache.file("blobs/456", R"({"weight_map": {"a": "1.safetensors"}})");
  std::filesystem::create_symlink("../../blobs/456", cache / "snapshots/abc" / kIndex);
  EXPECT_EQ(value_of(Checkpoint(cache / "snapshots/abc").read("a")), 5);
}

TEST(Checkpoint, I4_MissingFile) {
  const Model model;
  std::filesystem::remove(model.folder / "2.safetensors");
  expect_refused(model,
                 "2.safetensors: cannot open: No such file or directory (the first tensor "
                 "of it is \"c\" in ",
                 ErrorCode::io);
}

TEST(Checkpoint, I5_IndexAndFileDisagree) {
  const Model model;
  model.index(R"("a": "1.safetensors", "b": "1.safetensors", "x": "1.safetensors",
                 "c": "2.safetensors")");
  expect_refused(model, "1.safetensors by its weight_map, but that file does not hold it");
  model.index(R"("a": "1.safetensors", "c": "2.safetensors")");
  expect_refused(model, "index.json: tensor \"b\" is not in its weight_map, but ");
  model.index(R"("a": "1.safetensors", "b": "2.safetensors", "c": "2.safetensors")");
  expect_refused(model, "tensor \"b\" is in ");
}

TEST(Checkpoint, I6_TensorInTwoFiles) {
  const Model model;
  std::filesystem::remove(model.folder / "2.safetensors");
  write_shard(model.folder / "2.safetensors", {"c", "a"});
  expect_refused(model, "1.safetensors by its weight_map, but ");
}

TEST(Checkpoint, I7_KeyThatIsThereTwice) {
  const Model model;
  model.index(R"("a": "1.safetensors", "a": "2.safetensors")");
  expect_refused(model, "at /weight_map/a: duplicate key");
}

TEST(Checkpoint, I8_FileThatIsNoFile) {
  const Model model;
  std::filesystem::remove(model.folder / "2.safetensors");
  ASSERT_EQ(::mkfifo((model.folder / "2.safetensors").c_str(), 0600), 0);
  expect_refused(model, "expected a regular file, found a FIFO", ErrorCode::io);
  std::filesystem::remove(model.folder / "2.safetensors");
  std::filesystem::create_directory(model.folder / "2.safetensors");
  expect_refused(model, "expected a regular file, found a directory", ErrorCode::io);
}

TEST(Checkpoint, I9_TotalSize) {
  const Model model;
  const std::string map = R"("a": "1.safetensors", "b": "1.safetensors", "c": "2.safetensors")";
  for (const char* size : {"12", "12.0", "\"12\""}) {
    model.index(map, fmt::format(R"(, "metadata": {{"total_size": {}}})", size));
    EXPECT_TRUE(model.open().warnings().empty()) << size;
  }
  model.index(map, R"(, "metadata": {"total_size": 13})");
  const Checkpoint checkpoint = model.open();
  ASSERT_EQ(checkpoint.warnings().size(), 1u);
  EXPECT_THAT(checkpoint.warnings()[0],
              testing::HasSubstr("/metadata/total_size: expected 12 bytes in all, found 13"));
}

TEST(Checkpoint, IndexThatIsNone) {
  const Model model;
  for (const char* text : {"[]", "{}", "null", R"({"weight_map": []})", R"({"weight_map": {}})"}) {
    model.folder.file(kIndex, text);
    expect_refused(model, "expected ");
  }
}

// More files than may be open at once (K30), 50,000 tensors: linear time.
TEST(Checkpoint, ManyFilesAndManyTensors) {
  const TempFolder folder;
  std::string map;
  constexpr int kFiles = 100, kEach = 500;
  for (int f = 0; f < kFiles; ++f) {
    std::vector<std::string> names;
    for (int i = 0; i < kEach; ++i) names.push_back(fmt::format("layers.{}.w{}", f, i));
    const std::string file = fmt::format("{}.safetensors", f);
    write_shard(folder / file, names);
    for (const std::string& name : names) {
      map += fmt::format("{}\"{}\":\"{}\"", map.empty() ? "" : ",", name, file);
    }
  }
  folder.file(kIndex, fmt::format(R"({{"weight_map": {{{}}}}})", map));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 16;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const std::clock_t start = std::clock();
  const Checkpoint checkpoint(folder.path());
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  fmt::print("{} tensors in {} files: {:.3f} s\n", checkpoint.tensors().size(),
             checkpoint.files().size(), seconds);
  EXPECT_EQ(value_of(checkpoint.read("layers.99.w499")), 499);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_LT(seconds, 2);
}

}  // namespace
}  // namespace ropewalk
