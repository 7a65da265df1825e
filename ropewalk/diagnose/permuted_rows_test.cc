#include "ropewalk/diagnose/permuted_rows.h"

#include "ropewalk/formats/safetensors.h"
#include "ropewalk/models/models.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/temp_folder.h"
#include "ropewalk/testing/tensors.h"
#include "ropewalk/weights/permute_qk.h"

namespace ropewalk {
namespace {

namespace fs = std::filesystem;
using Relation = PermutedRows::Relation;
using testing::random_tensor;

constexpr int64_t kHidden = 48, kHeads = 6, kKeyHeads = 2, kHeadDim = 16;
constexpr Pairing kPairs = Pairing::interleaved, kHalves = Pairing::half_split;

// phi: its class turns a part of the head, and has the names of LLaMA.
ModelEncoding phi(double fraction, Pairing pairing = kHalves) {
  ModelEncoding model = read_model_config(
      R"({"model_type": "phi", "hidden_size": 96, "num_attention_heads": 6,
          "num_key_value_heads": 2, "num_hidden_layers": 1, "partial_rotary_factor": )" +
          std::to_string(fraction) + "}",
      "config.json");
  auto& rope = std::get<RopeConfig>(model.layers[0].positions);
  for (RotaryWindow& window : rope.layout.windows) window.pairing = pairing;
  return model;
}

struct Pair {
  Tensor q, k;
};

Pair random_pair() {
  return {random_tensor({kHeads * kHeadDim, kHidden}, 1),
          random_tensor({kKeyHeads * kHeadDim, kHidden}, 2)};
}

fs::path write(const TempFolder& folder, const char* name, const Pair& pair) {
  write_safetensors(folder / name, {{"model.layers.0.self_attn.q_proj.weight", pair.q.view()},
                                    {"model.layers.0.self_attn.k_proj.weight", pair.k.view()}});
  return folder / name;
}

// q and k of a copy in which they were moved by so many heads, over so many channels.
Pair moved(const Pair& pair, int64_t q_heads, int64_t k_heads, Pairing from, Pairing to,
           int64_t dim = 0) {
  const auto layout = [&](int64_t rows, int64_t heads, Pairing pairing) {
    return RotaryLayout{rows / heads, {{0, dim > 0 ? dim : rows / heads, pairing}}};
  };
  const int64_t q = pair.q.shape[0], k = pair.k.shape[0];
  return {permute_qk(pair.q.view(), q_heads, layout(q, q_heads, from), layout(q, q_heads, to)),
          permute_qk(pair.k.view(), k_heads, layout(k, k_heads, from), layout(k, k_heads, to))};
}

std::vector<PermutedRows> compared(const Pair& a, const ModelEncoding& model_a, const Pair& b,
                                   const ModelEncoding& model_b) {
  const TempFolder folder;
  return compare_rows(write(folder, "a.safetensors", a), model_a, write(folder, "b.safetensors", b),
                      model_b);
}

TEST(PermutedRows, MovedAndNotMoved) {
  const Pair a = random_pair(), b = moved(a, kHeads, kKeyHeads, kHalves, kPairs);
  for (const Pairing reads_b : {kHalves, kPairs}) {
    const auto rows = compared(a, phi(1), b, phi(1, reads_b));
    ASSERT_EQ(rows.size(), 2U);
    for (const PermutedRows& each : rows) {
      EXPECT_EQ(each.relation, Relation::moved);
      EXPECT_FALSE(each.to_half_split);
      EXPECT_FALSE(each.wrong_heads);
      EXPECT_EQ(each.heads, each.keys ? kKeyHeads : kHeads);
      EXPECT_EQ(each.expected, reads_b == kPairs);
      EXPECT_TRUE(each.exact);
    }
    for (const PermutedRows& each : compared(a, phi(1), a, phi(1, reads_b))) {
      EXPECT_EQ(each.relation, Relation::same);
      EXPECT_EQ(each.expected, reads_b == kHalves);
    }
    EXPECT_TRUE(compared(b, phi(1), a, phi(1))[0].to_half_split);
  }
}

// ggml-org/llama.cpp#3364 and huggingface/transformers#31788: k moved with the heads of q, or with
// heads / key heads.
TEST(PermutedRows, W01_W03_KeysByTheWrongHeads) {
  const Pair b = {random_tensor({8 * kHeadDim, kHidden}, 3),
                  random_tensor({2 * kHeadDim, kHidden}, 4)};
  const auto model = [](Pairing pairing) {
    ModelEncoding made = phi(1, pairing);
    made.layers[0].heads = 8;
    return made;
  };
  for (const int64_t wrong : {8, 4}) {
    const auto rows =
        compared(b, model(kHalves), moved(b, 8, wrong, kHalves, kPairs), model(kPairs));
    EXPECT_TRUE(rows[0].expected);
    EXPECT_EQ(rows[1].relation, Relation::moved);
    EXPECT_TRUE(rows[1].wrong_heads);
    EXPECT_EQ(rows[1].heads, wrong);
    EXPECT_EQ(rows[1].layer_heads, 2);
    EXPECT_FALSE(rows[1].expected);
  }
}

TEST(PermutedRows, APartOfTheHead) {
  const Pair a = random_pair();
  const auto right =
      compared(a, phi(0.5), moved(a, kHeads, kKeyHeads, kHalves, kPairs, 8), phi(0.5, kPairs));
  EXPECT_TRUE(right[0].expected && right[1].expected);
  EXPECT_FALSE(right[0].whole_head);
  const auto whole =
      compared(a, phi(0.5), moved(a, kHeads, kKeyHeads, kHalves, kPairs), phi(0.5, kPairs));
  EXPECT_TRUE(whole[0].whole_head);
  EXPECT_FALSE(whole[0].expected);
}

TEST(PermutedRows, RoundedTrainedFurtherAndOther) {
  const Pair a = random_pair();
  Pair b = moved(a, kHeads, kKeyHeads, kHalves, kPairs);
  for (const DType dtype : {DType::bf16, DType::f16}) {
    const Pair rounded{converted(b.q.view(), dtype), converted(b.k.view(), dtype)};
    EXPECT_TRUE(compared(a, phi(1), rounded, phi(1, kPairs))[0].exact);
    EXPECT_TRUE(compared(rounded, phi(1, kPairs), a, phi(1))[1].expected);
  }
  auto* q = reinterpret_cast<float*>(b.q.bytes.data());
  const std::vector<float> noise = testing::floats(random_tensor(b.q.shape, 9));
  for (size_t i = 0; i < noise.size(); ++i) q[i] += 0.2F * noise[i];
  const auto further = compared(a, phi(1), b, phi(1, kPairs));
  EXPECT_TRUE(further[0].expected);
  EXPECT_FALSE(further[0].exact);
  EXPECT_NEAR(further[0].cosine, 0.98, 0.01);
  const Pair c{random_tensor(a.q.shape, 7), random_tensor(a.k.shape, 8)};
  const auto other = compared(a, phi(1), c, phi(1));
  EXPECT_EQ(other[0].relation, Relation::differs);
  EXPECT_FALSE(other[0].expected);
  EXPECT_LT(other[0].cosine, 0.2);
}

// Rows [from, from + count) of a tensor, as many as the list says.
Tensor taken(const std::vector<std::pair<const Tensor*, int64_t>>& heads) {
  Tensor out = make_tensor(DType::f32, {std::ssize(heads) * kHeadDim, kHidden});
  constexpr size_t kBytes = kHeadDim * kHidden * sizeof(float);
  for (size_t i = 0; i < heads.size(); ++i) {
    const auto& [tensor, head] = heads[i];
    std::copy_n(tensor->bytes.data() + static_cast<size_t>(head) * kBytes, kBytes,
                out.bytes.data() + i * kBytes);
  }
  return out;
}

TEST(PermutedRows, HeadsInAnotherOrder) {
  const Pair a = random_pair();
  const Tensor *q = &a.q, *k = &a.k;
  const Pair b{taken({{q, 1}, {q, 0}, {q, 2}, {q, 3}, {q, 5}, {q, 4}}), a.k};
  const auto rows = compared(a, phi(1), b, phi(1));
  EXPECT_EQ(rows[0].relation, Relation::ordered);
  EXPECT_FALSE(rows[0].expected);
  EXPECT_EQ(rows[0].origins.head_order, (std::vector<int64_t>{1, 0, 2, 3, 5, 4}));
  EXPECT_EQ(rows[1].relation, Relation::same);
  // A fused tensor cut otherwise: heads of k among those of q.
  const Pair c{taken({{q, 0}, {q, 1}, {q, 2}, {k, 0}, {q, 3}, {q, 4}}), taken({{q, 5}, {k, 1}})};
  const auto cut = compared(a, phi(1), c, phi(1));
  EXPECT_EQ(cut[0].relation, Relation::ordered);
  EXPECT_TRUE(cut[0].origins.head_order.empty());
  EXPECT_EQ(cut[0].origins.found, 6 * kHeadDim);
  EXPECT_EQ(cut[0].origins.of_other, kHeadDim);
  EXPECT_EQ(cut[0].origins.source[3 * kHeadDim], 6 * kHeadDim);
  EXPECT_EQ(cut[1].origins.of_other, kHeadDim);
}

TEST(PermutedRows, RepeatedKeyHeads) {
  const Pair a = random_pair();
  const Tensor* k = &a.k;
  ModelEncoding all = phi(1);
  all.layers[0].kv_heads = kHeads;
  for (const bool in_groups : {true, false}) {
    Pair b{a.q,
           taken({{k, 0}, {k, in_groups ? 0 : 1}, {k, 0}, {k, 1}, {k, in_groups ? 1 : 0}, {k, 1}})};
    const auto rows = compared(a, phi(1), b, all);
    EXPECT_EQ(rows[1].relation, Relation::ordered);
    EXPECT_EQ(rows[1].expected, in_groups);
    EXPECT_EQ(std::ssize(rows[1].origins.head_order), kHeads);
  }
}

}  // namespace
}  // namespace ropewalk
