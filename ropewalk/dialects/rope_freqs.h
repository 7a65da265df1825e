#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace ropewalk {

// A scaling by name, with its parameters as in RopeConfig.
struct KnownScaling {
  std::string rope_type;
  std::map<std::string, double> parameters = {};
};

// The scaling from which a converter made the tensor rope_freqs of a GGUF:
// divisors of the frequencies, one per pair.
//   llama3        1, factor, or 1 / ((1 - t) / factor + t) between
//   proportional  1 for the pairs that turn, 1e30 for those that stand still
// The numbers must be those of the formula (to 2^-16: the converter's float32) with low_freq_factor
// 1, and powers of two for high_freq_factor and original_max_position_embeddings. Nothing for any
// other list, which stays what it is; "default" for divisors that are all 1.
// Source: generate_extra_tensors in conversion/llama.py and conversion/gemma.py of llama.cpp.
std::optional<KnownScaling> scaling_of_rope_freqs(std::span<const double> rope_freqs,
                                                  double rope_theta);

}  // namespace ropewalk
