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
  double rope_theta = 0;             // counts before a key at the top of the file; 0: none
  double partial_rotary_factor = 0;  // so does this
  double query_beta = 0;             // llama_4_scaling_beta; 0: none
  std::string_view kind = {};        // of layers; "": of all

  // Whether it speaks for layers of a kind; those of a type without kinds have no name.
  constexpr bool holds_for(std::string_view layers) const { return kind.empty() || kind == layers; }
};

}  // namespace ropewalk
