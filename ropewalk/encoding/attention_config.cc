#include "ropewalk/encoding/attention_config.h"

namespace ropewalk {

std::string_view name(NormKind kind) {
  switch (kind) {
    case NormKind::none:
      return "none";
    case NormKind::rms:
      return "rms";
    case NormKind::l2:
      return "l2";
    case NormKind::layer:
      return "layer";
  }
  return "";
}

std::string_view name(NormExtent extent) {
  return extent == NormExtent::head ? "head" : "all_heads";
}

std::string_view name(NormPlace place) {
  return place == NormPlace::before_rotation ? "before_rotation" : "after_rotation";
}

std::string_view name(Mask mask) {
  switch (mask) {
    case Mask::causal:
      return "causal";
    case Mask::full:
      return "full";
    case Mask::prefix:
      return "prefix";
  }
  return "";
}

std::string_view name(QueryScale::Rule rule) {
  return rule == QueryScale::Rule::log_floor ? "log_floor" : "log_ratio";
}

std::string_view name(OutputGate gate) {
  switch (gate) {
    case OutputGate::none:
      return "none";
    case OutputGate::per_channel:
      return "per_channel";
    case OutputGate::per_head:
      return "per_head";
  }
  return "";
}

std::string_view name(NotComputed what) {
  switch (what) {
    case NotComputed::unknown:
      return "unknown";
    case NotComputed::differential_attention:
      return "differential_attention";
    case NotComputed::dynamic_mask:
      return "dynamic_mask";
    case NotComputed::sparse_indexer:
      return "sparse_indexer";
    case NotComputed::expert_heads:
      return "expert_heads";
    case NotComputed::shared_keys:
      return "shared_keys";
    case NotComputed::hidden_state_beside:
      return "hidden_state_beside";
    case NotComputed::compressed_keys:
      return "compressed_keys";
    case NotComputed::convolved_projections:
      return "convolved_projections";
    case NotComputed::softplus_gate:
      return "softplus_gate";
    case NotComputed::growing_queries:
      return "growing_queries";
    case NotComputed::prompt_window:
      return "prompt_window";
    case NotComputed::dual_chunk:
      return "dual_chunk";
    case NotComputed::learned_query_scale:
      return "learned_query_scale";
    case NotComputed::other:
      return "other";
  }
  return "";
}

}  // namespace ropewalk
