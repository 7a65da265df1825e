#pragma once

#include <nlohmann/json.hpp>

#include "ropewalk/encoding/encodings.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/encoding/rotary_layout.h"
#include "ropewalk/encoding/spectrum.h"

namespace ropewalk {

// The plain data as JSON: the keys are the names of the fields, in their order, and an enum is its
// name(). Numbers are written so that reading them gives the same number.

// {"head_dim": 128, "windows": [{"offset": 0, "dim": 128, "pairing": "half_split"}]}
nlohmann::ordered_json to_json(const RotaryLayout& layout);

nlohmann::ordered_json to_json(const RopeConfig& config);
nlohmann::ordered_json to_json(const AlibiConfig& config);
nlohmann::ordered_json to_json(const SinusoidalConfig& config);
nlohmann::ordered_json to_json(const LearnedConfig& config);
nlohmann::ordered_json to_json(const BucketBiasConfig& config);
nlohmann::ordered_json to_json(const RelativeConfig& config);
nlohmann::ordered_json to_json(const ConvolutionConfig& config);
nlohmann::ordered_json to_json(const FeatureConfig& config);

// Every field, null where there is none: {"softmax_scale": 0.088, "qk_norm": {"kind": "rms", ...},
// "mask": "causal", "window_left": 4095, "window_right": null, ...}
nlohmann::ordered_json to_json(const AttentionConfig& config);

// inv_freq, axis and attention_scaling; not the fixed-point fractions, which follow from inv_freq.
nlohmann::ordered_json to_json(const Spectrum& spectrum);

// {"kind": "rope"} or none, alibi, sinusoidal, and then the fields of that one.
nlohmann::ordered_json to_json(const PositionEncoding& encoding);

// {"mixer": "attention", "heads": 32, "kv_heads": 8, "head_dim": 128, "value_dim": 128,
// "encoding": {...}, "attention": {...}}; attention is null where there is none.
nlohmann::ordered_json to_json(const Layer& layer);

// {"axes": "hw", "merge": 2, "first": 0, "class_token": false}; merge is null where no file says
// it.
nlohmann::ordered_json to_json(const PatchGrid& patches);
nlohmann::ordered_json to_json(const MropeRules& rules);

// `layer_count`, and in `layers` one entry for each run of equal layers:
//   {"first": 0, "last": 31, "mixer": "attention", "heads": 32, ..., "encoding": {"kind": "rope",
//   ...}, "attention": {...}}
// max_positions is null where the file does not state it; `patches` is there for a vision tower.
nlohmann::ordered_json to_json(const ModelEncoding& model);

}  // namespace ropewalk
