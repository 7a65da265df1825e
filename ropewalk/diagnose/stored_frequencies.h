#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/base/dtype.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// Frequencies that a checkpoint keeps beside the weights (`...rotary_emb.inv_freq`), where a
// conversion or a cast can spoil them.
struct StoredFrequencies {
  enum class Fault {
    differs,      // not what the config says, scaled or not, within the rounding of their type
    other_count,  // `count` of them, where the config gives `expected_count`
    no_rotation,  // of a layer that does not rotate
    rounded,      // right but for the rounding of a type of 16 bits
  };
  std::filesystem::path file{};
  std::string tensor{};
  DType dtype = DType::f32;
  Fault fault = Fault::differs;
  size_t count = 0, expected_count = 0;
  size_t pair = 0;                  // differs: the first that does; rounded: the one farthest off
  double stored = 0, expected = 0;  // of that pair
  // In radians, for an engine that turns by them: the most that a pair is off within so many
  // positions, min(|stored - expected| (positions - 1), pi).
  double phase_error = 0;
  int64_t positions = 0;

  bool operator==(const StoredFrequencies&) const = default;
};

std::string_view name(StoredFrequencies::Fault fault);

// Compares one list, which a layer of this rotation keeps; nothing where all is well. `positions`
// is the context. Throws as make_spectrum.
std::optional<StoredFrequencies> check_frequencies(const RopeConfig& rope,
                                                   const std::vector<double>& stored, DType dtype,
                                                   int64_t positions);

// Every list of a checkpoint that is not as the model's config says. 4096 positions where the model
// does not tell its context. Throws as Checkpoint.
std::vector<StoredFrequencies> check_stored_frequencies(const ModelEncoding& model,
                                                        const std::filesystem::path& checkpoint);

}  // namespace ropewalk
