#include "ropewalk/weights/module_rows.h"

#include "ropewalk/models/family.h"
#include "ropewalk/weights/fused_rows.h"

namespace ropewalk {
namespace {

constexpr WeightNames kMetaNames{.form = QkvForm::separate,
                                 .layer = "layers.{}.attention.",
                                 .q = "wq",
                                 .k = "wk",
                                 .v = "wv",
                                 .o = "wo"};
// DeepSeek's own code, and mistral-inference.
constexpr WeightNames kDeepSeekNames{.form = QkvForm::latent,
                                     .layer = "layers.{}.attn.",
                                     .q = "wq",
                                     .o = "wo",
                                     .q_a = "wq_a",
                                     .q_b = "wq_b",
                                     .kv_a = "wkv_a",
                                     .kv_b = "wkv_b"};
constexpr WeightNames kMistralLatentNames{.form = QkvForm::latent,
                                          .layer = "layers.{}.attention.",
                                          .q = "wq",
                                          .o = "wo",
                                          .q_a = "wq_a",
                                          .q_b = "wq_b",
                                          .kv_a = "wkv_a_with_mqa",
                                          .kv_b = "wkv_b"};

constexpr WeightNames kGgufNames{.form = QkvForm::separate,
                                 .layer = "blk.{}.",
                                 .q = "attn_q",
                                 .k = "attn_k",
                                 .v = "attn_v",
                                 .o = "attn_output",
                                 .q_norm = "attn_q_norm",
                                 .k_norm = "attn_k_norm",
                                 .q_a = "attn_q_a",
                                 .q_b = "attn_q_b",
                                 .kv_a = "attn_kv_a_mqa"};

bool is_latent(const ModelEncoding& model) {
  return !model.layers.empty() && model.layers[0].attention.latent.kv_rank > 0;
}

// Those of one or several runs of rows.
void add_heads(const Rows& rows, bool keys, int64_t head_dim, std::vector<HeadRows>& heads) {
  if (rows.count == head_dim) {
    heads.push_back({keys, rows.first, rows.step, rows.blocks, 0, head_dim});
    return;
  }
  for (int64_t block = 0; block < rows.blocks; ++block) {
    heads.push_back(
        {keys, rows.first + block * rows.step, head_dim, rows.count / head_dim, 0, head_dim});
  }
}

// The heads of q and k within the rows of the fused tensor.
std::vector<HeadRows> fused_heads(QkvForm form, const Layer& layer) {
  const FusedRows rows = fused_rows(form, layer);
  std::vector<HeadRows> heads;
  add_heads(rows.q, false, layer.head_dim, heads);
  add_heads(rows.k, true, layer.head_dim, heads);
  return heads;
}

std::vector<ModuleRows> latent_modules(const WeightNames& names, const Layer& layer) {
  const LatentProjections& latent = layer.attention.latent;
  const int64_t d = layer.head_dim, turning = latent.shared_dim;
  return {{latent.q_rank == 0 ? names.q : names.q_b,
           layer.heads * d,
           {{false, 0, d, layer.heads, 0, d}}},
          {names.kv_a,
           latent.kv_rank + turning,
           {{true, latent.kv_rank, turning, 1, d - turning, turning}}}};
}

}  // namespace

std::vector<WeightNames> known_names(const ModelEncoding& model) {
  std::vector<WeightNames> names;
  const KnownType known = find_model_type(model.model_type);
  if (known.type == nullptr || known.type->weights.form == QkvForm::unknown) return names;
  names.push_back(known.type->weights);
  if (known.type->other_weights != nullptr) names.push_back(*known.type->other_weights);
  if (is_latent(model)) {
    names.insert(names.end(), {kDeepSeekNames, kMistralLatentNames});
  } else {
    names.push_back(kMetaNames);
  }
  return names;
}

std::vector<WeightNames> gguf_names(const ModelEncoding& model) {
  WeightNames names = kGgufNames, fused = kGgufNames;
  if (is_latent(model)) {
    names.form = QkvForm::latent;
    return {names};
  }
  fused.form = QkvForm::fused;
  fused.q = "attn_qkv";
  return {names, fused};
}

std::vector<ModuleRows> modules_with_heads(const WeightNames& names, const Layer& layer) {
  if (names.form == QkvForm::latent) return latent_modules(names, layer);
  const int64_t d = layer.head_dim, q = layer.heads * d, k = layer.kv_heads * d;
  std::vector<ModuleRows> modules;
  if (names.form == QkvForm::separate) {
    const int64_t step = names.gate_in_q ? 2 * d : d;  // of each head its channels, then its gates
    modules = {{names.q, layer.heads * step, {{false, 0, step, layer.heads, 0, d}}},
               {names.k, k, {{true, 0, d, layer.kv_heads, 0, d}}}};
  } else {
    modules = {{names.q, q + k + layer.kv_heads * layer.value_dim, fused_heads(names.form, layer)}};
  }
  modules.push_back({names.q_norm, q, {{false, 0, d, layer.heads, 0, d}}, true});
  modules.push_back({names.k_norm, k, {{true, 0, d, layer.kv_heads, 0, d}}, true});
  return modules;
}

}  // namespace ropewalk
