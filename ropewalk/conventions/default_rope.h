#pragma once

#include <span>
#include <string_view>

namespace ropewalk {

// The rope block that a class has where the file has none.
struct DefaultRope {
  struct Parameter {
    std::string_view key;
    double value;
  };
  std::string_view rope_type = "default";
  std::span<const Parameter> parameters = {};
  double partial_rotary_factor = 0;  // 0: that of the row
  double query_beta = 0;             // llama_4_scaling_beta; 0: none
  std::string_view kind = {};        // of layers; "": of all

  // Whether it speaks for layers of a kind; those of a type without kinds have no name.
  constexpr bool holds_for(std::string_view layers) const { return kind.empty() || kind == layers; }
};

}  // namespace ropewalk
