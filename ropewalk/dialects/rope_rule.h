#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ropewalk/conventions/default_rope.h"
#include "ropewalk/dialects/key_rules.h"

namespace ropewalk {

// The keys that state the rotation of one kind of layer, and what holds without them.
struct RopeRule {
  Default<double> rope_theta;
  std::string_view theta_key = "rope_theta";  // where transformers 4 states it
  bool top_theta_first = false;               // there it counts before the block's (DeepSeek-V4)
  std::string_view theta_alias = {};          // another name; "a/b" is in an object
  std::string_view fraction_alias = {};       // another name of partial_rotary_factor
  std::string_view kind = {};                 // "full_attention"; empty: all layers are alike
  bool windowed = false;                      // of layers with a window
  bool takes_rope_scaling = true;   // false: a flat block speaks for other kinds of layers only
  bool several_axes = false;        // mrope_section is read
  std::string_view yarn_type = {};  // what rope_type yarn means here; empty: itself
  bool reads_alpha = false;         // HunYuan: dynamic with alpha is a fixed base
  bool scales_queries = false;      // Mistral: llama_4_scaling_beta of the block
  // Without a block, a scaling dynamic by the first key, from the length of the second (Nomic).
  std::string_view dynamic_factor = {}, dynamic_length = {};
  std::span<const DefaultRope> default_rope = {};  // where the file has no block
  int64_t max_positions = 0;  // max_position_embeddings, for the scalings that need it
};

// The scaling that the code of a type makes of one that the file names: `yarn_type` of any YaRN.
std::string rope_type_of_code(const std::string& rope_type, std::string_view yarn_type);

}  // namespace ropewalk
