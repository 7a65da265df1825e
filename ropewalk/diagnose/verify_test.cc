#include "ropewalk/diagnose/verify.h"

#include "ropewalk/formats/safetensors.h"
#include "ropewalk/models/models.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/gguf_bytes.h"
#include "ropewalk/testing/temp_folder.h"
#include "ropewalk/testing/tensors.h"
#include "ropewalk/weights/permute_qk.h"

namespace ropewalk {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::random_tensor;

constexpr const char* kConfig =
    R"({"model_type": "llama", "hidden_size": 32, "num_attention_heads": 4, "num_key_value_heads": 2,
        "num_hidden_layers": 1, "max_position_embeddings": 256, "rms_norm_eps": 1e-6)";
constexpr const char* kLayer = "model.layers.0.self_attn.";

std::string text_of(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()};
}

// A folder of LLaMA with 4 heads and 2 key heads of 8 channels.
struct Folder {
  TempFolder folder;
  Tensor q = random_tensor({32, 32}, 1), k = random_tensor({16, 32}, 2);

  explicit Folder(const std::string& more = "") {
    folder.file("config.json", kConfig + more + "}");
    write_safetensors(folder / "model.safetensors",
                      {{std::string(kLayer) + "q_proj.weight", q.view()},
                       {std::string(kLayer) + "k_proj.weight", k.view()}});
  }
  // As llama.cpp's converter writes it, but for the heads by which it moves k.
  void write_gguf(int64_t key_heads, float base = 10000) const {
    const auto layout = [](int64_t rows, int64_t heads, Pairing pairing) {
      return RotaryLayout{rows / heads, {{0, rows / heads, pairing}}};
    };
    const auto moved = [&](const Tensor& w, int64_t heads) {
      const int64_t rows = w.shape[0];
      return text_of(permute_qk(w.view(), heads, layout(rows, heads, Pairing::half_split),
                                layout(rows, heads, Pairing::interleaved)));
    };
    GgufBytes bytes;
    bytes.text("general.architecture", "llama").u32("llama.embedding_length", 32);
    bytes.u32("llama.block_count", 1).u32("llama.context_length", 256);
    bytes.u32("llama.attention.head_count", 4).u32("llama.attention.head_count_kv", 2);
    bytes.f32("llama.rope.freq_base", base).u32("llama.rope.dimension_count", 8);
    bytes.tensor("blk.0.attn_q.weight", {32, 32}, 0, 0);
    bytes.tensor("blk.0.attn_k.weight", {32, 16}, 0, q.bytes.size());
    folder.file("m.gguf", bytes.file(moved(q, 4) + moved(k, key_heads)));
  }
  Verification verified(const VerifyOptions& options = {}) const {
    return verify(read_model(folder.path()), folder.path(), options);
  }
};

TEST(Verify, AGgufWhoseRowsWereMoved) {
  const Folder folder;
  folder.write_gguf(2);
  const Verification found = folder.verified();
  EXPECT_FALSE(found.faulty());
  EXPECT_FALSE(found.unread());
  ASSERT_EQ(found.others.size(), 1U);
  ASSERT_EQ(found.others[0].rows.size(), 2U);
  for (const PermutedRows& rows : found.others[0].rows) {
    EXPECT_EQ(rows.relation, PermutedRows::Relation::moved);
    EXPECT_TRUE(rows.expected);
  }
}

// ggml-org/llama.cpp#3364.
TEST(Verify, W01_AGgufWhoseKeysWereMovedByTheHeadsOfQ) {
  const Folder folder;
  folder.write_gguf(4);
  const Verification found = folder.verified();
  EXPECT_TRUE(found.faulty());
  const PermutedRows& keys = found.others.at(0).rows.at(1);
  EXPECT_TRUE(keys.wrong_heads);
  EXPECT_EQ(keys.heads, 4);
  EXPECT_TRUE(found.others[0].rows[0].expected);
}

TEST(Verify, AGgufOfAnotherBase) {
  const Folder folder(R"(, "rope_theta": 1000000)");
  folder.write_gguf(2);
  const Verification found = folder.verified();
  EXPECT_TRUE(found.faulty());
  ASSERT_EQ(found.others.at(0).comparison.differences.size(), 1U);
  EXPECT_EQ(found.others[0].comparison.differences[0].field, "rope_theta");
  EXPECT_FALSE(are_wrong(found.others[0].rows));
}

// The same frequencies by other keys: a base that an ntk of fixed factor gives. What depends on the
// length is no such thing.
TEST(Verify, TheSameTurnsByOtherKeys) {
  const Folder folder(R"(, "rope_scaling": {"rope_type": "linear", "factor": 1})");
  folder.write_gguf(2);
  const Verification found = folder.verified();
  EXPECT_FALSE(found.faulty());
  EXPECT_FALSE(found.others.at(0).minor.empty());
  const Folder dynamic(R"(, "rope_scaling": {"rope_type": "dynamic", "factor": 2})");
  dynamic.write_gguf(2);
  EXPECT_TRUE(dynamic.verified().faulty());
}

TEST(Verify, WhatCannotBeRead) {
  Folder folder;
  const fs::path file = folder.folder / "model.safetensors";
  fs::resize_file(file, fs::file_size(file) - 1);
  Verification found = folder.verified();
  EXPECT_THAT(found.weights_unread, HasSubstr("missing 1"));
  EXPECT_TRUE(found.unread());
  EXPECT_FALSE(found.faulty());
  fs::remove(file);
  found = folder.verified();
  EXPECT_FALSE(found.has_weights);
  EXPECT_FALSE(found.unread());
  const fs::path none = folder.folder / "none";
  found = folder.verified({.against = none});
  EXPECT_THAT(found.others.at(0).unread, HasSubstr("none"));
  EXPECT_TRUE(found.unread());
}

TEST(Verify, LayersOfTheWeights) {
  const Folder folder;
  EXPECT_FALSE(folder.verified().faulty());
  folder.folder.file(
      "config.json",
      std::string(kConfig).replace(std::string(kConfig).find("layers\": 1"), 10, "layers\": 2") +
          "}");
  const Verification found = folder.verified();
  EXPECT_THAT(found.layers_fault, HasSubstr("q_proj.weight\": expected for layer 1 of 2"));
  EXPECT_TRUE(found.faulty());
  EXPECT_THAT(found.layers_beyond, IsEmpty());
}

}  // namespace
}  // namespace ropewalk
