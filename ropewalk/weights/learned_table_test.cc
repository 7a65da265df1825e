#include "ropewalk/weights/learned_table.h"

#include <vector>

#include "ropewalk/formats/safetensors.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

// rows x 2 numbers: row r is [10 r, 10 r + 1].
std::vector<float> numbers(int64_t rows) {
  std::vector<float> list;
  for (int64_t r = 0; r < rows; ++r) {
    list.push_back(static_cast<float>(10 * r));
    list.push_back(static_cast<float>(10 * r + 1));
  }
  return list;
}

const LearnedConfig kRoberta{.rows = 6,
                             .d_model = 2,
                             .offset = 2,
                             .padding_position = 1,
                             .tensor = "embeddings.position_embeddings.weight"};

TEST(LearnedTable, PositionsTakeTheirRows) {
  const TempFolder folder;
  const std::vector<float> table = numbers(6);
  const ConstTensorView view =
      make_view(static_cast<const void*>(table.data()), DType::f32, {6, 2});
  write_safetensors(
      folder / "model.safetensors",
      {{"roberta.embeddings.position_embeddings.weight", view}, {"lm_head.weight", view}});
  const Tensor read = read_learned_table(folder / "model.safetensors", kRoberta);
  const Tensor rows = learned_rows(kRoberta, read.view(), std::vector<int64_t>{0, 3});
  ASSERT_EQ(rows.shape, (Dims{2, 2}));
  const auto* found = reinterpret_cast<const float*>(rows.bytes.data());
  EXPECT_EQ(std::vector<float>(found, found + 4), (std::vector<float>{20, 21, 50, 51}));
  for (const int64_t wrong : {int64_t{-1}, int64_t{4}}) {
    EXPECT_ROPEWALK_ERROR(learned_rows(kRoberta, read.view(), std::vector<int64_t>{wrong}),
                          ErrorCode::invalid_argument, "position: expected 0..3");
  }
}

TEST(LearnedTable, APictureKeepsAnAxisOfOne) {
  const TempFolder folder;
  const std::vector<float> table = numbers(5);
  write_safetensors(folder / "model.safetensors",
                    {{"vit.embeddings.position_embeddings",
                      make_view(static_cast<const void*>(table.data()), DType::f32, {1, 5, 2})}});
  const LearnedConfig config{.rows = 5, .d_model = 2, .tensor = "embeddings.position_embeddings"};
  EXPECT_EQ(read_learned_table(folder / "model.safetensors", config).shape, (Dims{5, 2}));
}

TEST(LearnedTable, WhatIsMissingOrOfAnotherShape) {
  const TempFolder folder;
  const std::vector<float> table = numbers(5);
  const ConstTensorView view =
      make_view(static_cast<const void*>(table.data()), DType::f32, {5, 2});
  write_safetensors(folder / "short.safetensors", {{kRoberta.tensor, view}});
  EXPECT_ROPEWALK_ERROR(read_learned_table(folder / "short.safetensors", kRoberta),
                        ErrorCode::malformed, "expected 6 rows of 2 numbers, found shape [5, 2]");
  write_safetensors(folder / "other.safetensors", {{"wpe.weight", view}});
  EXPECT_ROPEWALK_ERROR(read_learned_table(folder / "other.safetensors", kRoberta),
                        ErrorCode::malformed, "the learned table, found none among 1 tensors");
  write_safetensors(folder / "two.safetensors",
                    {{"a." + kRoberta.tensor, view}, {"b." + kRoberta.tensor, view}});
  EXPECT_ROPEWALK_ERROR(read_learned_table(folder / "two.safetensors", kRoberta),
                        ErrorCode::malformed, "found one behind each of a., b.");
}

// Qwen3-VL's grid is stretched over the picture's, Gemma 4 adds a row of each of two tables.
TEST(LearnedTable, WhatHasNoRowForEachPositionIsRefused) {
  LearnedConfig grid{.rows = 6, .d_model = 2, .resampling = Resampling::bilinear_corners};
  EXPECT_ROPEWALK_ERROR(read_learned_table("no.safetensors", grid), ErrorCode::unsupported,
                        "resampled to the picture's (bilinear_corners)");
  const std::vector<float> table = numbers(6);
  const ConstTensorView view =
      make_view(static_cast<const void*>(table.data()), DType::f32, {6, 2});
  const LearnedConfig two{.rows = 6, .tables = 2, .d_model = 2};
  EXPECT_ROPEWALK_ERROR(learned_rows(two, view, std::vector<int64_t>{0}), ErrorCode::unsupported,
                        "found 2 tables, one for each axis");
}

}  // namespace
}  // namespace ropewalk
