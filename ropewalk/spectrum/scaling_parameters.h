#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ropewalk {

// Which numbers a parameter may have, in words for a message and as a test.
struct ParameterRule {
  std::string_view expected;  // "a positive number"
  bool (*holds)(double value);
};

enum class ParameterKind {
  number,   // of RopeConfig::parameters
  boolean,  // the same, where true is 1
  list,     // of RopeConfig::lists
};

// A key of a rope block that a rope_type reads.
struct ScalingParameter {
  std::string_view key;  // as in config.json
  ParameterRule rule;    // of the number, or of each number of the list
  ParameterKind kind = ParameterKind::number;
  // What holds where the config has no such key: a number, or in words how it follows from others.
  // With neither the key is required.
  std::optional<double> fallback = std::nullopt;
  std::string_view derived = "";

  bool required() const { return !fallback && derived.empty(); }
};

// Every parameter that make_spectrum reads for a rope_type or an alias; a key that is not among
// them changes nothing. Throws unsupported, listing what there is, for a rope_type that is not
// known.
std::span<const ScalingParameter> scaling_parameters(std::string_view rope_type);

// The list that every rope_type reads: `freq_factors`, divisors of the frequencies, one per pair
// (the tensor rope_freqs of a GGUF).
extern const ScalingParameter kFreqFactors;

// The rope_types that there are, without aliases.
std::vector<std::string_view> rope_types();

// Another name of a rope_type: "su" is "longrope".
struct RopeTypeAlias {
  std::string_view alias, rope_type;
};
std::vector<RopeTypeAlias> rope_type_aliases();

// The rope_type of that name or alias. Throws unsupported, listing what there is.
std::string_view canonical_rope_type(std::string_view name);

}  // namespace ropewalk
