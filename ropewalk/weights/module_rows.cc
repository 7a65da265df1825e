#include "ropewalk/weights/module_rows.h"

#include "ropewalk/models/family.h"

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

// The heads of q and k within the rows of the fused tensor; d channels of q and k, e of v.
std::vector<HeadRows> fused_heads(QkvForm form, const Layer& layer) {
  const int64_t d = layer.head_dim, e = layer.value_dim, heads = layer.heads,
                kv_heads = layer.kv_heads;
  const auto q = [&](int64_t first, int64_t step, int64_t count) {
    return HeadRows{false, first, step, count, 0, d};
  };
  const auto k = [&](int64_t first, int64_t step, int64_t count) {
    return HeadRows{true, first, step, count, 0, d};
  };
  if (form == QkvForm::fused_per_head ||
      (form == QkvForm::fused_or_per_head && heads == kv_heads)) {
    return {q(0, 2 * d + e, heads), k(d, 2 * d + e, kv_heads)};
  }
  std::vector<HeadRows> rows;
  if (form == QkvForm::fused_per_group) {
    const int64_t queries = heads / kv_heads, step = (queries + 1) * d + e;
    for (int64_t group = 0; group < kv_heads; ++group) rows.push_back(q(group * step, d, queries));
    rows.push_back(k(queries * d, step, kv_heads));
    return rows;
  }
  if (form == QkvForm::fused_in_four) {
    const int64_t part = heads / 4 * d;
    for (int64_t block = 0; block < 4; ++block) {
      rows.push_back(q(3 * part * block, d, heads / 4));
      rows.push_back(k(3 * part * block + 2 * part, d, heads / 4));
    }
    return rows;
  }
  return {q(0, d, heads), k(heads * d, d, kv_heads)};
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
