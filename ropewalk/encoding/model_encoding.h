#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ropewalk/encoding/encodings.h"

namespace ropewalk {

// Where one fact about a model comes from.
struct Evidence {
  std::string field;   // "rope_theta"
  std::string value;   // "500000"
  std::string source;  // "config.json: /rope_theta", "default of the family", "derived: hidden_size
                       // / num_attention_heads"

  bool operator==(const Evidence&) const = default;
};

// A part of a model beside its decoder layers: "vision", "indexer", "encoder", ...
struct NamedEncoding {
  std::string name;
  PositionEncoding encoding;

  bool operator==(const NamedEncoding&) const = default;
};

// Everything about positions that one model's file says.
struct ModelEncoding {
  std::string name;    // preset name, or the file that was read
  std::string family;  // "llama", "baichuan", "chatglm"
  int64_t hidden_size = 0;
  int64_t heads = 0;     // query heads
  int64_t kv_heads = 0;  // key and value heads
  int64_t head_dim = 0;
  int64_t max_positions = 0;             // trained context in tokens; 0: not stated
  std::vector<PositionEncoding> layers;  // one per layer
  std::vector<NamedEncoding> others;     // what else in the model knows positions
  std::vector<Evidence> evidence;        // one per field that was read, defaulted or derived
  std::vector<std::string> warnings;     // what a user should know: ignored keys, reference quirks

  bool operator==(const ModelEncoding&) const = default;
};

}  // namespace ropewalk
