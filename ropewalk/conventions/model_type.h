#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ropewalk/conventions/attention_rule.h"
#include "ropewalk/conventions/default_rope.h"
#include "ropewalk/conventions/key_alias.h"
#include "ropewalk/conventions/parts.h"
#include "ropewalk/conventions/position_rules.h"
#include "ropewalk/conventions/special.h"
#include "ropewalk/conventions/weight_names.h"
#include "ropewalk/encoding/terms.h"

namespace ropewalk {

// One kind of layer, by its name in /layer_types and in a nested /rope_parameters.
struct LayerKind {
  std::string_view name;  // "full_attention"
  char letter = 0;        // in a pattern; 0: the first of its name, "F"
  bool rotates = true;    // false: the layer knows no positions (NoPE, convolution, recurrence)
  Mixer mixer = Mixer::attention;
  bool windowed = false;  // sees the window of the type's AttentionRule only
  // Where transformers 4 states the base of this kind, and what holds when it is not stated; 0:
  // that of the model type.
  std::string_view theta_key = "rope_theta";
  double rope_theta = 0;
  double rotary_fraction = 0;          // as rope_theta
  bool takes_rope_scaling = true;      // the flat block of transformers 4 speaks for this kind too
  std::string_view head_dim_key = {};  // the kind has its own head_dim (Gemma 4): its key
  int64_t head_dim = 0;                // and what holds without it
  std::string_view kv_heads_key = {};  // the kind has its own heads of k and v: their key ...
  int64_t kv_heads_factor = 1;         // ... and, without it, how often those of the others (MiMo)
};

// A key beside /layer_types that says which layers are of which kind, or which of them rotate.
struct LayerKey {
  enum class States {
    nothing,
    names,             // the name of each layer's kind ...
    names_repeat,      // ... again and again
    letters,           // a text with the letter of each layer's kind ...
    letters_repeat,    // ... again and again; the last layer is of kinds[0] all the same (EXAONE 4)
    indices,           // the layers of kinds[0], by their numbers ...
    indices_from_one,  // ... counted from 1; a key "a/b" lies in an object
    kind_numbers,      // each layer's kind, by its index in `kinds`
    every,             // one layer in so many is of kinds[0]: how long the pattern is
    offset,            // the first layer of kinds[0] in the pattern
    second_from,       // the layers from this number on are of kinds[1] (Qwen 2)
    first_from,        // those from it on are of kinds[0] (Qwen 2 MoE)
    alike_if_null,     // there and null: all layers are alike and rotate (EXAONE 4)
    rotates,           // 1 for a layer that rotates, 0 for one that does not
    rotates_every,     // one layer in so many does not: how long `rotates` is
    bases,             // a base for each layer, 0 for one that does not rotate
  };
  using enum States;
  States states = nothing;
  std::string_view key = {};
  int64_t value = 0;  // what holds without the key, of second_from and first_from
};

// Which layer is of which kind: by /layer_types, else by the first of `keys` that the file has,
// else by the pattern.
struct LayerRule {
  std::span<const LayerKind> kinds;  // empty: all layers are alike
  // The kinds by their letters, again and again: "SSSF". "F|SFSS|F": the first layer, the pattern
  // (counted from layer 0), the last layer. Empty: all layers are of kinds[0].
  std::string_view pattern = {};
  // Where kinds do not say it, R for a layer that rotates and - for one that does not, again and
  // again; with "<" before it, counted from the last layer. Empty: each kind says it.
  std::string_view rotates = {};
  LayerKey keys[3] = {};
};

// What becomes of partial_rotary_factor.
enum class Fraction {
  whole_head,  // the model's code does not read it
  leading,     // the first int(head_dim * factor) channels turn
};

// The head of multi-head latent attention: qk_nope_head_dim channels that pass, then
// qk_rope_head_dim that turn.
struct LatentHead {
  int64_t nope_dim = 0, rope_dim = 0;  // defaults of the two keys; rope_dim 0: an ordinary head
  bool writes_half_split = false;      // reads pairs interleaved, writes them half-split
  bool key_decides = false;            // rope_interleave (default true) chooses between the two
  int64_t q_rank = 0, kv_rank = 512;   // defaults of q_lora_rank and kv_lora_rank
  double eps = 1e-6;                   // of the norms of the two latent vectors ...
  std::string_view eps_key = {};       // ... or this key's
  bool scales_by_rank = false;         // times sqrt(hidden_size / rank): LongCat
};

// A file without a rope block that has the first key is scaled by rope_type dynamic with that
// factor, from the length that the second one states.
struct DynamicKeys {
  std::string_view factor = {}, length = {};
};

// Positions of several axes.
struct MultiAxis {
  int64_t axes = 0;  // 0: plain positions
  MropeOrder order = MropeOrder::contiguous;
  int64_t section[4] = {0, 0, 0, 0};  // default of mrope_section; all 0: it must be stated
  bool key_decides = false;           // mrope_interleaved chooses interleaved or contiguous
};

// The same model as a GGUF file of llama.cpp. No key of a GGUF states the pairing.
struct GgufForm {
  std::string_view architecture;  // "": llama.cpp has none
  Pairing pairing = Pairing::half_split;
};
constexpr GgufForm gguf_neox(std::string_view architecture) {
  return {architecture, Pairing::half_split};
}
constexpr GgufForm gguf_norm(std::string_view architecture) {
  return {architecture, Pairing::interleaved};
}

// What the code of one model_type does that no key of its config.json says, and what holds when a
// key is absent. Plain data: most types are these lines and nothing else.
struct ModelType {
  std::string_view name;          // value of /model_type
  std::string_view architecture;  // value of /architectures/0, for a file without model_type
  std::string_view other_architecture = {};  // another name of the same class
  std::string_view config_class;             // whose defaults these are: "Qwen3Config"

  std::span<const KeyAlias> aliases = {};

  // hidden_size, heads and layers where a part of a model does not state them; a whole file must,
  // if it rotates.
  struct Size {
    int64_t hidden_size = 0, heads = 0, layers = 0;
  } size = {};
  bool has_layers = true;  // of attention that is described here; a CNN has none
  int64_t head_dim = 0;    // 0: hidden_size / num_attention_heads
  std::string_view head_dim_key = "head_dim";
  int64_t kv_heads = 0;                     // 0: as many as query heads
  int64_t max_positions = 2048;             // 0: not stated
  std::string_view max_positions_key = {};  // the key that counts, before all others
  Pairing pairing = Pairing::half_split;
  double rope_theta = 10000;
  std::string_view theta_key = {};  // another name of rope_theta
  bool fixed_theta = false;         // rope_theta is written into the code; no rope key is read
  Fraction fraction = Fraction::whole_head;
  double rotary_fraction = 1;
  std::string_view fraction_key = {};    // another name of partial_rotary_factor
  std::string_view rotary_dim_key = {};  // states the channels themselves: GPT-J's rotary_dim
  int64_t rotary_dim = 0;                // its default; 0: none
  bool rounds_odd_up = false;  // an odd number of channels turns with one more, by its own speeds
  DynamicKeys dynamic = {};    // dynamic scaling by keys at the top of the file
  std::span<const DefaultRope> default_rope = {};  // where the file has no block
  std::string_view yarn_type = {};  // the scaling that the code makes of rope_type yarn
  bool reads_alpha = false;         // rope_type dynamic with alpha is a fixed base
  LayerRule layers = {};
  LatentHead latent = {};
  MultiAxis multi_axis = {};
  bool reversed = false;

  Positions positions = Positions::rotary;
  OnlyIf only_if = {};
  AlibiRule alibi = {};
  SinusoidalRule sinusoidal = {};
  LearnedRule learned = {};
  BucketRule buckets = {};
  RelativeRule relative = {};
  ConvolutionRule convolution = {};
  FeatureForm features = FeatureForm::fourier;

  IntegerKey value_dim = {};  // channels of a head of v; 0: head_dim
  AttentionRule attention = {};
  WeightNames weights = {};
  const WeightNames* other_weights = nullptr;  // of another generation of the same name
  std::string_view remark = {};  // what else a user should know; printed, nothing more

  GgufForm gguf = {};

  // A model of several parts: the text is described by the object under this key, of the type named
  // there or else of `part_type`. A file without the object has its keys at the top.
  std::string_view part = {};
  std::string_view part_type = {};
  std::span<const Part> parts = {};  // what else knows positions
  std::string_view encoding = {};    // in words, where the lines above do not tell it

  // In place of the common reader, for what does not fit the lines above, and what it reads.
  Special special = Special::none;
  const VisionRope* tower = nullptr;  // of Special::vision_tower, memory_attention
  const AxesRule* axes = nullptr;     // of Special::diffusion
};

// Whether files of the type may have a rotation.
constexpr bool may_rotate(const ModelType& type) {
  bool some_kind = type.layers.kinds.empty();
  for (const LayerKind& kind : type.layers.kinds) some_kind = some_kind || kind.rotates;
  return type.positions == Positions::rotary && some_kind;
}

}  // namespace ropewalk
