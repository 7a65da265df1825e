#include "ropewalk/weights/layer_weights.h"

#include <string>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/models/family.h"
#include "ropewalk/weights/fused_rows.h"
#include "ropewalk/weights/layer_reader.h"

namespace ropewalk {
namespace {

// Whose names a model's tensors have.
const ModelType& type_of(const std::filesystem::path& path, const ModelEncoding& model) {
  const KnownType known = find_model_type(model.model_type);
  if (known.type != nullptr && known.type->weights.form != QkvForm::unknown) return *known.type;
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: the names of the weights of a \"{}\" are not known to ropewalk",
                          escaped(path.string()), escaped(model.model_type)));
}

struct Sizes {
  int64_t q, k, v, out;  // rows of the projections of q, k and v; columns of the last

  explicit Sizes(const Layer& layer)
      : q(layer.heads * layer.head_dim),
        k(layer.kv_heads * layer.head_dim),
        v(layer.kv_heads * layer.value_dim),
        out(layer.heads * layer.value_dim) {}
};

void read_separate(const LayerReader& file, const Layer& layer, LayerWeights& w) {
  const WeightNames& names = file.names();
  const Sizes size(layer);
  w.wk = file.weight(names.k, size.k);
  if (!layer.attention.value_is_key) w.wv = file.weight(names.v, size.v);
  w.bk = file.bias(names.k, size.k);
  w.bv = file.bias(names.v, size.v);
  if (!names.gate_in_q) {
    w.wq = file.weight(names.q, size.q);
    w.bq = file.bias(names.q, size.q);
    return;
  }
  // Of each head its channels, then its gates.
  const Tensor both = file.weight(names.q, 2 * size.q);
  const int64_t d = layer.head_dim;
  w.wq = rows_of(both, {.first = 0, .count = d, .step = 2 * d, .blocks = layer.heads});
  w.w_gate = rows_of(both, {.first = d, .count = d, .step = 2 * d, .blocks = layer.heads});
  if (const auto bias = file.bias(names.q, 2 * size.q)) {
    w.bq = rows_of(*bias, {.first = 0, .count = d, .step = 2 * d, .blocks = layer.heads});
    w.b_gate = rows_of(*bias, {.first = d, .count = d, .step = 2 * d, .blocks = layer.heads});
  }
}

void read_fused(const LayerReader& file, const Layer& layer, LayerWeights& w) {
  const Sizes size(layer);
  const int64_t all = size.q + size.k + size.v;
  const Tensor weight = file.weight(file.names().q, all);
  const FusedRows rows = fused_rows(file.names().form, layer);
  w.wq = rows_of(weight, rows.q);
  w.wk = rows_of(weight, rows.k);
  w.wv = rows_of(weight, rows.v);
  if (const auto bias = file.bias(file.names().q, all)) {
    w.bq = rows_of(*bias, rows.q);
    w.bk = rows_of(*bias, rows.k);
    w.bv = rows_of(*bias, rows.v);
  }
}

void read_latent(const LayerReader& file, const Layer& layer, LayerWeights& w) {
  const WeightNames& names = file.names();
  const LatentProjections& latent = layer.attention.latent;
  const int64_t turning = latent.shared_dim;
  const Sizes size(layer);
  if (latent.q_rank == 0) {
    w.wq = file.weight(names.q, size.q);
    w.bq = file.bias(names.q, size.q);
  } else {
    w.wq_a = file.weight(names.q_a, latent.q_rank);
    w.bq_a = file.bias(names.q_a, latent.q_rank);
    w.q_a_norm = file.numbers(names.q_a_norm);
    w.wq = file.matrix(names.q_b, {size.q, latent.q_rank});
    w.bq = file.bias(names.q_b, size.q);
  }
  w.wkv_a = file.weight(names.kv_a, latent.kv_rank + turning);
  w.bkv_a = file.bias(names.kv_a, latent.kv_rank + turning);
  w.kv_a_norm = file.numbers(names.kv_a_norm);
  const int64_t up = layer.heads * (layer.head_dim - turning + layer.value_dim);
  w.wkv_b = file.matrix(names.kv_b, {up, latent.kv_rank});
}

void read_norms(const LayerReader& file, const Layer& layer, LayerWeights& w) {
  const WeightNames& names = file.names();
  const AttentionConfig& attention = layer.attention;
  if (attention.qk_norm.kind != NormKind::none && attention.qk_norm.weights) {
    w.q_norm = file.norm(names.q_norm, layer.heads);
    w.k_norm = file.norm(names.k_norm, layer.kv_heads);
    w.q_norm_bias = file.find_numbers(names.q_norm, ".bias");
    w.k_norm_bias = file.find_numbers(names.k_norm, ".bias");
  }
  if (attention.output_norm.kind != NormKind::none && attention.output_norm.weights) {
    w.output_norm = file.numbers(names.output_norm);
  }
  if (attention.sinks) w.sinks = file.numbers(names.sinks, "");
  if (const auto* bias = std::get_if<BucketBiasConfig>(&layer.positions)) {
    w.bucket_bias = file.bucket_bias({bias->buckets, bias->heads});
  }
}

void read_gate(const LayerReader& file, const Layer& layer, LayerWeights& w) {
  if (layer.attention.output_gate == OutputGate::none || w.w_gate) return;
  const bool by_head = layer.attention.output_gate == OutputGate::per_head;
  const int64_t gates = by_head ? layer.heads : layer.heads * layer.value_dim;
  w.w_gate = file.weight(file.names().gate, gates);
  w.b_gate = file.bias(file.names().gate, gates);
}

}  // namespace

LayerWeights read_layer_weights(const std::filesystem::path& path, const ModelEncoding& model,
                                int64_t layer) {
  const Layer& of = layer_at(model, layer);
  const ModelType& type = type_of(path, model);
  const LayerReader file(path, type.weights, type.other_weights, model.hidden_size, of, layer);
  LayerWeights w;
  switch (file.names().form) {
    case QkvForm::separate:
      read_separate(file, of, w);
      break;
    case QkvForm::latent:
      read_latent(file, of, w);
      break;
    default:
      read_fused(file, of, w);
  }
  w.wo = file.matrix(file.names().o, {model.hidden_size, of.heads * of.value_dim});
  w.bo = file.bias(file.names().o, model.hidden_size);
  if (!w.bo) w.bo = file.find_numbers(file.names().o, "_bias");  // GPT-NeoX Japanese
  read_norms(file, of, w);
  read_gate(file, of, w);
  w.unused = file.unused();
  return w;
}

}  // namespace ropewalk
