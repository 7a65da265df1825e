#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/positions/positions.h"

namespace ropewalk::cli {

// Position ids as `ropewalk positions` makes them.
struct MadePositions {
  PositionArray array;                      // [S], [B, S] or [axes, 1, S]
  std::vector<std::string_view> axes = {};  // a name for each axis
  std::vector<int64_t> tokens = {};         // of a shard: their places in the whole stream
  std::vector<int64_t> next = {};           // the position of each row's next token
};

// What the command line says: VALUES, and the text of each option that belongs to some kinds, ""
// for one that is not given.
struct PositionRequest {
  std::string values;
  std::map<std::string, std::string, std::less<>> options;
};

// A way to make position ids, and the options that it takes.
struct PositionKind {
  std::string_view name;
  MadePositions (*make)(const PositionRequest& request);
  std::vector<std::string_view> options;
};

std::span<const PositionKind> position_kinds();

}  // namespace ropewalk::cli
