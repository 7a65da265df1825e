#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// The factor of a scaling is not max_positions / original: the factor is what counts.
struct FactorDisagrees {
  double factor = 0;
  int64_t max_positions = 0;
  double original = 0;  // original_max_position_embeddings

  bool operator==(const FactorDisagrees&) const = default;
};

// The file states no base, and that which the model's code takes then is small for so many
// positions: a file that lost its base looks the same.
struct BaseNotStated {
  double rope_theta = 0;
  int64_t max_positions = 0;

  bool operator==(const BaseNotStated&) const = default;
};

using Trap = std::variant<FactorDisagrees, BaseNotStated>;

// What often goes wrong with a model's file, each once.
std::vector<Trap> known_traps(const ModelEncoding& model);

}  // namespace ropewalk
