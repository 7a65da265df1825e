#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <nlohmann/json.hpp>

namespace ropewalk {

// The rope block of a config.json from which a converter made the tensor rope_freqs of a GGUF:
// divisors of the frequencies, one per pair.
//   llama3        1, factor, or 1 / ((1 - t) / factor + t) between
//   proportional  1 for the pairs that turn, 1e30 for those that stand still
// The numbers must be those of the formula (to 2^-16: the converter's float32) with low_freq_factor
// 1, and powers of two for high_freq_factor and original_max_position_embeddings. Nothing for any
// other list, which stays what it is; {"rope_type": "default"} for divisors that are all 1.
// Source: generate_extra_tensors in conversion/llama.py and conversion/gemma.py of llama.cpp.
std::optional<nlohmann::ordered_json> block_of_rope_freqs(std::span<const double> rope_freqs,
                                                          double rope_theta);

}  // namespace ropewalk
