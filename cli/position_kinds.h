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
  int64_t most = INT64_MAX;  // ids that will be printed, if they are not written to a file

  const std::string& text_of(std::string_view option) const { return options.find(option)->second; }
  int64_t integer_of(const std::string& option, int64_t fallback, int64_t least = INT64_MIN) const;
};

// Throws invalid_argument for more ids than will be printed: to be called before they are made.
void check_printed(const PositionRequest& request, int64_t ids);

// "4,5" is "4" and "5".
std::vector<std::string> items_of(const std::string& text, char separator = ',');

// A way to make position ids, and the options that it takes.
struct PositionKind {
  std::string_view name;
  MadePositions (*make)(const PositionRequest& request);
  std::vector<std::string_view> options;
};

// Those of pictures.
MadePositions positions_of_grid(const PositionRequest& request);
MadePositions positions_of_mrope(const PositionRequest& request);

std::span<const PositionKind> position_kinds();

}  // namespace ropewalk::cli
