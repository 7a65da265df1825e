#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ropewalk/encoding/terms.h"

namespace ropewalk {

// q is multiplied by a number that grows with the position p.
struct QueryScale {
  enum class Rule {
    log_floor,  // 1 + beta ln(1 + floor((p + offset) / length)): Llama 4, Ministral 3
    log_ratio,  // ln(p + 1) / ln(length) where that is above 1: Qwen 1's logn
  };
  Rule rule = Rule::log_floor;
  double beta = 0;
  int64_t length = 0;
  int64_t offset = 0;

  bool operator==(const QueryScale&) const = default;
};

// The low-rank projections of multi-head latent attention: q = norm(x Wa) Wb, and the same for k
// and v; the channels of k that turn are one head, for all. Source: DeepSeek-V2.
struct LatentProjections {
  int64_t q_rank = 0;      // 0: q = x Wq
  int64_t kv_rank = 0;     // 0: no latent attention
  int64_t shared_dim = 0;  // the last channels of k, which all heads share, and which turn
  double eps = 1e-6;       // of both norms
  double q_scale = 1;      // of what leaves the norms: LongCat's mla_scale_q_lora ...
  double kv_scale = 1;     // ... and mla_scale_kv_lora

  bool operator==(const LatentProjections&) const = default;
};

// What a layer does to q, k, v and the scores besides positions. ALiBi is in AlibiConfig.
//   s = softcap((q . k) softmax_scale)  over the keys that mask, window and chunk leave
struct AttentionConfig {
  double softmax_scale = 0;  // 0: head_dim^-0.5
  Norm qk_norm;
  Norm v_norm;
  Norm output_norm;  // of all heads, before the last projection: BitNet
  Mask mask = Mask::causal;
  int64_t window_left = -1, window_right = -1;  // keys to either side that a query sees; -1: all
  int64_t chunk = 0;   // > 0: only keys p' with p' / chunk == p / chunk (whole numbers): Llama 4
  double softcap = 0;  // > 0: s = softcap tanh(s / softcap)
  bool sinks = false;  // a learned logit for each head joins the softmax: gpt-oss
  std::optional<QueryScale> query_scale;
  bool value_is_key = false;    // v is the projection of k, as it was before norm and rotation
  double key_multiplier = 1;    // of k, before everything else: Falcon-H1
  double value_multiplier = 1;  // of v: MiMo
  double clip_qkv = 0;          // > 0: q, k and v are cut to [-clip, clip]: OLMo, DBRX, MPT
  OutputGate output_gate = OutputGate::none;
  LatentProjections latent;
  std::vector<NotComputed> not_computed;

  bool operator==(const AttentionConfig&) const = default;
};

std::string_view name(QueryScale::Rule rule);
}  // namespace ropewalk
