#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ropewalk/encoding/terms.h"

namespace ropewalk {

// What the code of a model type does to q, k, v and the scores: the keys that decide, and what
// holds where a key is absent. Plain data. A key may be in an object: "attn_config/clip_qkv".

struct NumberKey {
  std::string_view key = {};  // "": nothing states it
  double value = 0;
};
struct IntegerKey {
  std::string_view key = {};
  int64_t value = 0;
};
struct SwitchKey {
  std::string_view key = {};  // "": nothing decides, it holds
  bool value = true;
};

struct ScaleRule {
  std::string_view key = {};
  double value = 0;                  // without the key; 0: head_dim^-0.5
  bool inverse_root = false;         // the scale is 1 / sqrt of either
  double factor = 1;                 // times this ...
  std::string_view factor_key = {};  // ... or what this key states
};

// The norm that holds, the key of its eps, and the key that switches it on.
struct NormRule {
  Norm norm = {};
  std::string_view eps_key = "rms_norm_eps";
  SwitchKey on = {};
  bool rotating_layers_only = false;
  std::string_view extent_key = {};  // "qwen3": per head; anything else: over all heads
};

// A number of keys, the query's own among them. Null switches it off.
struct WindowRule {
  std::string_view key = {};
  int64_t value = 0;  // 0: none
  SwitchKey on = {};
  bool all_layers = false;      // else the layers of the kinds that have a window
  bool unrotated_only = false;  // ... or those that do not rotate: SmolLM3 ...
  bool rotated_only = false;    // ... or those that do: Muse
  bool halved = false;          // of both sides together: T5Gemma 2's encoder
  int64_t beyond_half = 0;      // the same, of a mask that bidirectional_key makes full: Gemma 4
  int64_t divisor = 1;          // of the number: 2 for ModernBERT
};

enum class QueryScaleFrom {
  nothing,
  llama4,   // attn_temperature_tuning, floor_scale, attn_scale; in layers that do not rotate
  mistral,  // llama_4_scaling_beta of the rope block
};

struct AttentionRule {
  bool known = false;  // somebody has looked at the code
  ScaleRule scale = {};
  NormRule qk_norm = {};
  Norm v_norm = {};       // its eps is that of qk_norm
  Norm output_norm = {};  // so is its
  Mask mask = Mask::causal;
  std::string_view bidirectional_key = {};  // true: the mask is full, a window is to both sides
  WindowRule window = {};
  IntegerKey chunk = {};  // of the layers that rotate
  NumberKey softcap = {};
  bool sinks = false;
  bool sinks_in_windows_only = false;
  QueryScaleFrom query_scale = QueryScaleFrom::nothing;
  NumberKey key_multiplier = {{}, 1};
  NumberKey value_multiplier = {{}, 1};
  NumberKey clip_qkv = {};
  OutputGate output_gate = OutputGate::none;
  SwitchKey gate_on = {};
  SwitchKey value_is_key = {{}, false};  // in layers without a window
  // The last so many layers take k and v of an earlier one.
  IntegerKey shared_kv = {};
  std::span<const NotComputed> not_computed = {};

  // Some norm of q and k, of v or of what the heads give.
  constexpr bool norms() const {
    return qk_norm.norm.kind != NormKind::none || v_norm.kind != NormKind::none ||
           output_norm.kind != NormKind::none;
  }
};

inline constexpr NotComputed kDifferential[] = {NotComputed::differential_attention};
inline constexpr NotComputed kDynamicMask[] = {NotComputed::dynamic_mask};
inline constexpr NotComputed kSparseIndexer[] = {NotComputed::sparse_indexer};
inline constexpr NotComputed kExpertHeads[] = {NotComputed::expert_heads};
inline constexpr NotComputed kHiddenStateBeside[] = {NotComputed::hidden_state_beside};
inline constexpr NotComputed kCompressedKeys[] = {NotComputed::compressed_keys};
inline constexpr NotComputed kSoftplusGate[] = {NotComputed::softplus_gate};
inline constexpr NotComputed kGrowingQueries[] = {NotComputed::growing_queries};
inline constexpr NotComputed kPromptWindow[] = {NotComputed::prompt_window};
inline constexpr NotComputed kLearnedQueryScale[] = {NotComputed::learned_query_scale};
inline constexpr NotComputed kOther[] = {NotComputed::other};
inline constexpr NotComputed kConvolvedProjections[] = {NotComputed::convolved_projections};

// Nothing but softmax(q.k head_dim^-0.5) v, causal.
inline constexpr AttentionRule kPlainAttention{.known = true};

constexpr NormRule rms_norm(double eps) { return {.norm = {.kind = NormKind::rms, .eps = eps}}; }
constexpr NormRule rms_norm_of_all(double eps) {
  return {.norm = {.kind = NormKind::rms, .extent = NormExtent::all_heads, .eps = eps}};
}
constexpr NormRule rms_norm_after(double eps) {
  return {.norm = {.kind = NormKind::rms, .place = NormPlace::after_rotation, .eps = eps}};
}
constexpr NormRule layer_norm_if(std::string_view key, bool value) {
  return {.norm = {.kind = NormKind::layer, .eps = 1e-5},
          .eps_key = "layer_norm_eps",
          .on = {key, value}};
}

}  // namespace ropewalk
