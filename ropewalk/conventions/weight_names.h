#pragma once

#include <string_view>

namespace ropewalk {

// How the projections of q, k and v lie in a checkpoint. Rows are output channels.
enum class QkvForm {
  unknown,
  separate,           // three tensors
  fused,              // one: all of q, then k, then v
  fused_per_head,     // one: of each head q, k and v (GPT-NeoX, BLOOM, ChatGLM-6B)
  fused_per_group,    // one: of each head of k its queries, then k, then v (Falcon 40B, InternLM 2)
  fused_or_per_head,  // the first where heads share keys, else the second (ChatGLM 2)
  fused_in_four,      // four blocks, each its heads of q, then v, then k (CodeGen)
  latent,             // q through q_a, q_b, and k and v through kv_a, kv_b
};

// The names of an attention layer's tensors, without ".weight" and ".bias". Names that a checkpoint
// has not are no fault where the layer does not need them.
struct WeightNames {
  QkvForm form = QkvForm::unknown;
  std::string_view layer = "layers.{}.self_attn.";  // behind the model's own prefix
  std::string_view q = "q_proj";                    // or the fused one
  std::string_view k = "k_proj", v = "v_proj", o = "o_proj";
  std::string_view q_norm = "q_norm", k_norm = "k_norm";
  std::string_view gate = "gate_proj";
  bool gate_in_q = false;  // q has, for each head, its channels and then those of the gate
  std::string_view output_norm = "attn_sub_norm";
  std::string_view sinks = "sinks";
  // Of buckets of distances: the first layer's serves all, or each layer has its own.
  std::string_view bucket_bias = "relative_attention_bias";
  bool bucket_bias_in_each = false;
  std::string_view q_a = "q_a_proj", q_a_norm = "q_a_layernorm", q_b = "q_b_proj";
  std::string_view kv_a = "kv_a_proj_with_mqa", kv_a_norm = "kv_a_layernorm", kv_b = "kv_b_proj";
};

inline constexpr WeightNames kSeparate{.form = QkvForm::separate};
inline constexpr WeightNames kLatent{.form = QkvForm::latent};

}  // namespace ropewalk
