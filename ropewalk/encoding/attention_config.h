#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ropewalk {

enum class NormKind {
  none,
  rms,    // x / sqrt(mean(x^2) + eps)
  l2,     // x / max(|x|, eps); the same direction as rms, of length 1
  layer,  // (x - mean(x)) / sqrt(var(x) + eps)
};
enum class NormExtent { head, all_heads };  // over the channels of a head, or of all heads at once
enum class NormPlace { before_rotation, after_rotation };

// A norm of q and k, of v, or of what a layer's heads give.
struct Norm {
  NormKind kind = NormKind::none;
  NormExtent extent = NormExtent::head;
  NormPlace place = NormPlace::before_rotation;  // of q and k
  double eps = 1e-6;
  bool weights = true;       // multiplied by a learned number for each channel ...
  bool unit_offset = false;  // ... of which the checkpoint keeps what it is above 1 (Gemma)

  bool operator==(const Norm&) const = default;
};

// Which keys a query sees, but for windows, chunks and padding.
enum class Mask {
  causal,  // itself and those before it
  full,    // all
  prefix,  // all of the prompt, and those before it: ChatGLM-6B
};

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

// What the heads give is multiplied by a number between 0 and 1 before the last projection.
enum class OutputGate {
  none,
  per_channel,  // sigmoid(x Wg): one for each channel of each head
  per_head,     // sigmoid(x Wg): one for each head
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

// What a model's code does that no field says and attend does not compute; it refuses by this name.
enum class NotComputed {
  unknown,                 // nobody has looked at what the code does
  differential_attention,  // two softmaxes are subtracted: DiffLlama
  dynamic_mask,            // keys are chosen by their values: Doge
  sparse_indexer,          // keys are chosen by an indexer: DeepSeek-V3.2
  expert_heads,            // the heads are experts that a router chooses: JetMoE
  shared_keys,             // k and v are those of an earlier layer: Gemma 3n, Gemma 4
  hidden_state_beside,     // the layer reads the input beside the hidden state: Zamba2
  compressed_keys,         // keys of many tokens are made one: DeepSeek-V4
  convolved_projections,   // q, k or v are convolved over the tokens: Zaya
  softplus_gate,           // the output gate is no sigmoid: Laguna
  growing_queries,         // q grows with a power of the position: Beam
  prompt_window,           // a window, but for the prompt: Unlimited-OCR
  learned_query_scale,     // q is multiplied by learned numbers: TimesFM
  other,                   // what has no name here
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

std::string_view name(NormKind kind);
std::string_view name(NormExtent extent);
std::string_view name(NormPlace place);
std::string_view name(Mask mask);
std::string_view name(QueryScale::Rule rule);
std::string_view name(OutputGate gate);
std::string_view name(NotComputed what);

}  // namespace ropewalk
