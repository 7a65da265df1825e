#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "ropewalk/positions/shards.h"

namespace ropewalk::cli {

// Options of attend for several ranks, and of a plan for them.
struct RankOptions {
  std::string cu_seqlens, order, deadline, largest_message;
  std::string plan, tokens, dtype, rate, link;
  bool json = false;
};

void declare_rank_options(CLI::App& app, RankOptions& options);

// Throws invalid_argument for options that do not go together.
void check_rank_options(const RankOptions& options);

// Whether the work is cut as for several ranks, be it for one.
bool is_for_ranks(const RankOptions& options);

// "zigzag", as where nothing is given, or "contiguous".
ShardOrder shard_order(const RankOptions& options);

}  // namespace ropewalk::cli
