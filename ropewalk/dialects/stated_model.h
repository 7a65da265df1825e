#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ropewalk/dialects/said.h"
#include "ropewalk/encoding/encodings.h"

namespace ropewalk {

// What a file says about a model, each value with its source: no default of a
// class is filled in. A dialect makes it of a config.json, a GGUF or a params.json;
// resolve() makes a ModelEncoding of it and of what the model's code says.

struct StatedSize {
  Said<int64_t> hidden_size, heads, kv_heads, head_dim, layers, max_positions;
};

// Latent attention: channels of a head that pass and that turn, ranks of the projections, the eps
// of their norms.
struct StatedLatent {
  Said<int64_t> nope_dim, rope_dim, q_rank, kv_rank;
  Said<double> eps;
  Said<bool> interleaved;
};

// The rotation of one kind of layers.
struct StatedRope {
  bool has_block = false;       // the file has a rope block, whichever layers it speaks for
  std::string passes;           // the source that says that they do not rotate; "": none does
  std::string place;            // of the block: "config.json: /rope_scaling"; "": the file has none
  Said<std::string> rope_type;  // as make_spectrum knows it
  Said<double> rope_theta;      //
  Said<double> partial_rotary_factor;                           // of the block, else of the file
  std::map<std::string, Said<double>, std::less<>> parameters;  // as in RopeConfig
  std::map<std::string, Said<std::vector<double>>, std::less<>> lists;
  Said<std::vector<int64_t>> mrope_section;
  Said<bool> mrope_interleaved;
  Said<double> query_beta, query_length;  // the scale of a query by its position: Mistral
};

struct StatedKind {
  StatedRope rope;
  Said<int64_t> head_dim, kv_heads;  // of this kind only
  Said<int64_t> rotary_dim;          // channels that turn
};

// Which layer is of which kind; a file says it in one of these ways, or not at all.
struct StatedLayers {
  bool alike = false;                                    // the file lets all layers be of one kind
  Said<std::vector<std::string>> names;                  // of the kind of each layer ...
  bool names_repeat = false;                             // ... again and again ...
  bool last_is_first_kind = false;                       // ... but for the last layer
  Said<std::vector<int64_t>> of_first_kind;              // these layers, by their numbers ...
  int64_t first_number = 0;                              // ... counted from this
  Said<std::vector<int64_t>> kind_numbers;               // each layer's kind, by its index
  Said<int64_t> every, offset, second_from, first_from;  // as LayerKey::States
  Said<std::vector<int64_t>> rotates;                    // 1: the layer rotates
  Said<int64_t> rotates_every;
  Said<std::vector<double>> bases;                     // of each layer; 0: it does not rotate
  std::vector<bool> attends;                           // empty: all do
  std::map<size_t, Said<int64_t>> kv_heads, head_dim;  // of single layers, by their numbers
};

struct StatedAttention {
  Said<double> softmax_scale, softmax_factor, softcap, key_multiplier, value_multiplier, clip_qkv;
  Said<bool> normed;
  Said<std::string> norm_extent;
  Said<double> norm_eps;
  Said<bool> windowed;
  Said<int64_t> window, chunk, value_dim, shared_kv;
  Said<bool> bidirectional, gated, value_is_key;
  std::string dual_chunk;  // where the file has chunks in which positions start again; "": none
  Said<bool> query_scaled;
  Said<double> query_beta, query_floor;  // Llama 4
};

struct StatedAlibi {
  Said<double> max_bias;
  AlibiForm form = AlibiForm::relative;
};

struct StatedModel {
  std::string label;     // of the file
  bool is_part = false;  // an object in a file: it may leave its size to the class
  StatedSize size;
  StatedLatent latent;
  StatedLayers layers;
  // One for each kind of the convention, one where it has none. Of kinds that turn alike, and that
  // the file does not state one by one, the first speaks for all.
  std::vector<StatedKind> kinds;
  bool states_each_kind = false;
  StatedAttention attention;
  Said<int64_t> index_head_dim;      // of the indexer that chooses keys
  std::optional<StatedAlibi> alibi;  // the scores get a bias, nothing turns
  std::string no_positions;          // the source that says that nothing encodes them
};

}  // namespace ropewalk
