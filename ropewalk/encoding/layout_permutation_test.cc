#include "ropewalk/encoding/layout_permutation.h"

#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

using ::testing::ElementsAre;

constexpr Pairing kPairs = Pairing::interleaved, kHalves = Pairing::half_split;

RotaryLayout one(int64_t head_dim, int64_t offset, int64_t dim, Pairing pairing) {
  return {head_dim, {{offset, dim, pairing}}};
}

// facts of convert_llama_weights_to_hf.py: view(heads, d / 2, 2).transpose(1, 2).
TEST(LayoutPermutation, MetaToHuggingFace) {
  EXPECT_THAT(permutation(one(8, 0, 8, kPairs), one(8, 0, 8, kHalves)),
              ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(permutation(one(8, 0, 8, kHalves), one(8, 0, 8, kPairs)),
              ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
}

// normal_to_neox of llama.cpp's converter for GLM-4V: d = 4 of 8.
TEST(LayoutPermutation, APartOfTheHead) {
  EXPECT_THAT(permutation(one(8, 0, 4, kPairs), one(8, 0, 4, kHalves)),
              ElementsAre(0, 2, 1, 3, 4, 5, 6, 7));
  EXPECT_THAT(permutation(one(8, 4, 4, kPairs), one(8, 4, 4, kHalves)),
              ElementsAre(0, 1, 2, 3, 4, 6, 5, 7));
}

// ChatGLM-6B's two windows; a window that is moved, what does not turn behind it.
TEST(LayoutPermutation, Windows) {
  const RotaryLayout two{8, {{0, 4, kHalves}, {4, 4, kHalves}}};
  EXPECT_THAT(permutation(two, with_pairing(two, kPairs)), ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
  EXPECT_THAT(permutation(one(6, 2, 4, kPairs), one(6, 0, 4, kPairs)),
              ElementsAre(2, 3, 4, 5, 0, 1));
  EXPECT_THAT(permutation(two, one(8, 0, 8, kHalves)), ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
}

TEST(LayoutPermutation, OneAfterItsInverseIsNone) {
  const RotaryLayout a{12, {{8, 4, kPairs}, {0, 6, kHalves}}},
      b{12, {{0, 4, kHalves}, {4, 6, kPairs}}};
  const auto there = permutation(a, b), back = permutation(b, a);
  for (size_t c = 0; c < there.size(); ++c) {
    EXPECT_EQ(there[static_cast<size_t>(back[c])], static_cast<int64_t>(c));
  }
}

TEST(LayoutPermutation, LayoutsThatDoNotFit) {
  EXPECT_ROPEWALK_ERROR(permutation(one(8, 0, 8, kPairs), one(6, 0, 6, kPairs)),
                        ErrorCode::invalid_argument, "found 8 channels with 4 pairs and 6 with 3");
  EXPECT_ROPEWALK_ERROR(permutation(one(8, 0, 8, kPairs), one(8, 0, 4, kPairs)),
                        ErrorCode::invalid_argument, "count of pairs");
  EXPECT_ROPEWALK_ERROR(permutation(one(7, 0, 7, kPairs), one(7, 0, 7, kHalves)),
                        ErrorCode::invalid_argument, "found 7");
}

}  // namespace
}  // namespace ropewalk
