#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/encoding/attention_config.h"
#include "ropewalk/encoding/encodings.h"
#include "ropewalk/encoding/mrope_rules.h"
#include "ropewalk/encoding/patch_grid.h"
#include "ropewalk/encoding/terms.h"

namespace ropewalk {

// One layer of a model: its heads, how it knows positions, what else it does to the scores.
struct Layer {
  Mixer mixer = Mixer::attention;
  int64_t heads = 0;      // query heads
  int64_t kv_heads = 0;   // key and value heads
  int64_t head_dim = 0;   // channels of a head of q and k
  int64_t value_dim = 0;  // of v
  PositionEncoding positions;
  AttentionConfig attention;

  bool operator==(const Layer&) const = default;
};

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

// Everything about positions and attention that one model's file says.
struct ModelEncoding {
  std::string name;        // preset name, or the file that was read
  std::string family;      // "llama", "baichuan", "chatglm"
  std::string model_type;  // "qwen3": whose code it is
  int64_t hidden_size = 0;
  int64_t heads = 0;  // of most layers; what a layer has is in the layer
  int64_t kv_heads = 0;
  int64_t head_dim = 0;
  int64_t max_positions = 0;          // trained context in tokens; 0: not stated
  bool states_base = true;            // no layer without a window turns with a class's own base
  std::vector<Layer> layers;          // one per layer
  std::vector<NamedEncoding> others;  // what else in the model knows positions
  std::optional<PatchGrid> patches;   // of its vision tower, or of itself if it is one
  std::optional<MropeRules> mrope;    // of the tokens of pictures among its text
  std::vector<Evidence> evidence;     // one per field that was read, defaulted or derived
  std::vector<std::string> warnings;  // what a user should know: ignored keys, reference quirks

  bool operator==(const ModelEncoding&) const = default;
};

// The positions of each layer, as references for a loop. (std::views::transform says it in a word,
// which clang 14 does not understand with libstdc++ 12.)
std::vector<std::reference_wrapper<const PositionEncoding>> layer_positions(
    const ModelEncoding& model);
void layer_positions(ModelEncoding&&) = delete;  // it would not outlive a loop

// One layer of the model. Throws invalid_argument naming the number of its layers.
const Layer& layer_at(const ModelEncoding& model, int64_t layer);
void layer_at(ModelEncoding&&, int64_t) = delete;

// The rotary encoding of one layer. Throws as layer_at, and for a layer that does not rotate.
const RopeConfig& rope_at(const ModelEncoding& model, int64_t layer);
void rope_at(ModelEncoding&&, int64_t) = delete;

// Whether position ids change what the layer does: it rotates, or its queries grow with their
// positions. ALiBi counts tokens.
bool reads_position_ids(const Layer& layer);

// Every layer knows positions in this way.
void set_positions(ModelEncoding& model, const PositionEncoding& positions);

}  // namespace ropewalk
