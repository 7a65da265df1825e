#include "ropewalk/positions/shards.h"

#include <algorithm>

#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

using Ids = std::vector<int64_t>;

// NVIDIA/Megatron-LM#5243: later sequences of a packed row had the positions of the first.
TEST(PositionsShards, G01_Zigzag) {
  const auto shard = [](const Ids& cu_seqlens, int64_t rank) {
    return shard_tokens(cu_seqlens, {2, rank, ShardOrder::zigzag});
  };
  EXPECT_EQ(shard({0, 8}, 0), (TokenShard{{0, 1, 6, 7}, {0, 1, 6, 7}}));
  EXPECT_EQ(shard({0, 8}, 1), (TokenShard{{2, 3, 4, 5}, {2, 3, 4, 5}}));
  EXPECT_EQ(shard({0, 4, 8}, 0), (TokenShard{{0, 3, 4, 7}, {0, 3, 0, 3}}));
  EXPECT_EQ(shard({0, 4, 8}, 1), (TokenShard{{1, 2, 5, 6}, {1, 2, 1, 2}}));
}

// A later chunk does not begin at 0 again (thunlp/Seq1F1B#6).
TEST(PositionsShards, G03_Contiguous) {
  const auto shard = [](const Ids& cu_seqlens, int64_t rank) {
    return shard_tokens(cu_seqlens, {2, rank, ShardOrder::contiguous});
  };
  EXPECT_EQ(shard({0, 2048}, 1).positions.front(), 1024);
  EXPECT_EQ(shard({0, 4, 8}, 1), (TokenShard{{4, 5, 6, 7}, {0, 1, 2, 3}}));
  EXPECT_EQ(shard({0, 3, 8}, 1), (TokenShard{{4, 5, 6, 7}, {1, 2, 3, 4}}));
}

TEST(PositionsShards, M4_FewerTokensThanRanks) {
  for (const ShardOrder order : {ShardOrder::contiguous, ShardOrder::zigzag}) {
    size_t tokens = 0;
    for (int64_t rank = 0; rank < 8; ++rank) {
      tokens += shard_tokens(Ids{0, 3}, {8, rank, order}).tokens.size();
    }
    EXPECT_EQ(tokens, 3u);
  }
  EXPECT_TRUE(shard_tokens(Ids{0}, {}).tokens.empty());
}

TEST(PositionsShards, RanksThatAreNone) {
  for (const ShardSpec& spec : {ShardSpec{0, 0}, ShardSpec{2, 2}, ShardSpec{2, -1},
                                ShardSpec{INT64_MAX, 0}, ShardSpec{-2, 0}}) {
    EXPECT_ROPEWALK_ERROR(shard_tokens(Ids{0, 8}, spec), ErrorCode::invalid_argument,
                          "shard: expected a rank of 1 to 1048576 ranks, found rank ");
  }
  EXPECT_ROPEWALK_ERROR(shard_tokens(Ids{1, 8}, {}), ErrorCode::invalid_argument, "cu_seqlens");
}

// Every token belongs to one rank, the shards are as even as they can be, and each position is that
// in its sequence.
ROPEWALK_PROPERTY(PositionsShards, RanksShareTheTokens, [] {
  Ids cu_seqlens = {0};
  for (const int64_t length : *rc::gen::container<Ids>(rc::gen::inRange<int64_t>(0, 40))) {
    cu_seqlens.push_back(cu_seqlens.back() + length);
  }
  const int64_t ranks = *rc::gen::inRange<int64_t>(1, 9);
  for (const ShardOrder order : {ShardOrder::contiguous, ShardOrder::zigzag}) {
    Ids positions(static_cast<size_t>(cu_seqlens.back()), -1);
    for (int64_t rank = 0; rank < ranks; ++rank) {
      const TokenShard shard = shard_tokens(cu_seqlens, {ranks, rank, order});
      RC_ASSERT(std::is_sorted(shard.tokens.begin(), shard.tokens.end()));
      for (size_t i = 0; i < shard.tokens.size(); ++i) {
        int64_t& position = positions.at(static_cast<size_t>(shard.tokens[i]));
        RC_ASSERT(position == -1);
        position = shard.positions[i];
      }
      const int64_t share = cu_seqlens.back() / ranks;
      const auto slack = order == ShardOrder::contiguous
                             ? int64_t{1}
                             : 2 * static_cast<int64_t>(cu_seqlens.size());
      RC_ASSERT(std::abs(static_cast<int64_t>(shard.tokens.size()) - share) <= slack);
    }
    for (size_t i = 0; i + 1 < cu_seqlens.size(); ++i) {
      for (int64_t token = cu_seqlens[i]; token < cu_seqlens[i + 1]; ++token) {
        RC_ASSERT(positions[static_cast<size_t>(token)] == token - cu_seqlens[i]);
      }
    }
  }
});

}  // namespace
}  // namespace ropewalk
