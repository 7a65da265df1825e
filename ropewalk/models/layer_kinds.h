#pragma once

#include <vector>

#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/models/config_reader.h"
#include "ropewalk/models/model_type.h"

namespace ropewalk {

inline bool is_windowed(const LayerKind& kind) { return kind.windowed; }

// A kind of layer whose positions are read as those of an earlier one need not be read again.
bool same_positions(const LayerKind& a, const LayerKind& b);

// All kinds rotate, and in one way.
bool turn_alike(std::span<const LayerKind> kinds);

// The kind of each of `count` layers: an index into rule.kinds, by /layer_types or else by the
// rule. Throws unsupported for a kind that is not listed.
std::vector<size_t> read_layer_kinds(ConfigReader& config, const LayerRule& rule, size_t count);

// Which layers rotate, by no_rope_layers (1: it does) or no_rope_layer_interval.
std::vector<bool> read_rotating_layers(ConfigReader& config, const LayerRule& rule, size_t count);

// Gives each layer its own base, by rule.bases_key.
void read_layer_bases(ConfigReader& config, const LayerRule& rule, std::vector<Layer>& layers);

}  // namespace ropewalk
