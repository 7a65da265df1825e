#include "cli/layer_weights.h"

#include <cstring>
#include <variant>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/formats/checkpoint.h"

namespace ropewalk::cli {
namespace {

// Rows `first`, `first + step`, ... of blocks of `block` rows: the rows of one projection within a
// fused one.
Tensor rows_of(const Tensor& fused, int64_t first, int64_t block, int64_t step, int64_t blocks) {
  Dims shape = fused.shape;
  shape[0] = block * blocks;
  Tensor out = make_tensor(fused.dtype, shape);
  const size_t row = fused.bytes.size() / static_cast<size_t>(fused.shape[0]);
  for (int64_t b = 0; b < blocks; ++b) {
    std::memcpy(out.bytes.data() + static_cast<size_t>(b * block) * row,
                fused.bytes.data() + static_cast<size_t>(first + b * step) * row,
                static_cast<size_t>(block) * row);
  }
  return out;
}

class LayerReader {
 public:
  LayerReader(const std::string& path, const ModelEncoding& model) : file_(path), model_(model) {}

  bool has(const std::string& name) const { return file_.contains(name); }

  // A float32 copy; throws unless its shape is [rows, columns] (or [rows] for columns 0).
  Tensor read(const std::string& name, int64_t rows, int64_t columns) const {
    const Tensor stored = file_.read(name);
    const Dims want = columns > 0 ? Dims{rows, columns} : Dims{rows};
    if (!(stored.shape == want)) {
      throw Error(ErrorCode::malformed,
                  fmt::format("{}: tensor \"{}\": shape {}, expected {} for {} heads and {} key "
                              "heads of {} channels",
                              file_.label(), escaped(name), to_string(stored.shape),
                              to_string(want), model_.heads, model_.kv_heads, model_.head_dim));
    }
    return converted(stored.view(), DType::f32);
  }

  std::optional<Tensor> read_bias(const std::string& name, int64_t rows) const {
    if (!has(name)) return std::nullopt;
    return read(name, rows, 0);
  }

 private:
  Checkpoint file_;
  const ModelEncoding& model_;
};

struct Sizes {
  int64_t q, kv, hidden, head_dim, heads;
};

LayerWeights separate(const LayerReader& file, const std::string& prefix, const Sizes& s) {
  LayerWeights w{file.read(prefix + "q_proj.weight", s.q, s.hidden),
                 file.read(prefix + "k_proj.weight", s.kv, s.hidden),
                 file.read(prefix + "v_proj.weight", s.kv, s.hidden),
                 file.read(prefix + "o_proj.weight", s.hidden, s.q)};
  w.bq = file.read_bias(prefix + "q_proj.bias", s.q);
  w.bk = file.read_bias(prefix + "k_proj.bias", s.kv);
  w.bv = file.read_bias(prefix + "v_proj.bias", s.kv);
  w.bo = file.read_bias(prefix + "o_proj.bias", s.hidden);
  return w;
}

// q, k and v one after the other; or, `per_head`, q, k and v of each head one after the other.
LayerWeights fused(const LayerReader& file, const std::string& qkv, const std::string& out,
                   const Sizes& s, bool per_head) {
  const auto part = [&](const Tensor& all, int index) {
    if (per_head) return rows_of(all, index * s.head_dim, s.head_dim, 3 * s.head_dim, s.heads);
    return rows_of(all, index == 0 ? 0 : s.q + (index - 1) * s.kv, index == 0 ? s.q : s.kv, 0, 1);
  };
  const Tensor weight = file.read(qkv + ".weight", s.q + 2 * s.kv, s.hidden);
  LayerWeights w{part(weight, 0), part(weight, 1), part(weight, 2),
                 file.read(out + ".weight", s.hidden, s.q)};
  if (const auto bias = file.read_bias(qkv + ".bias", s.q + 2 * s.kv)) {
    w.bq = part(*bias, 0);
    w.bk = part(*bias, 1);
    w.bv = part(*bias, 2);
  }
  w.bo = file.read_bias(out + ".bias", s.hidden);
  return w;
}

ConstTensorView view_of_bias(const std::optional<Tensor>& bias) {
  return bias ? bias->view() : ConstTensorView{};
}

}  // namespace

AttentionWeights LayerWeights::view() const {
  return {wq.view(),        wk.view(),        wv.view(),        wo.view(),
          view_of_bias(bq), view_of_bias(bk), view_of_bias(bv), view_of_bias(bo)};
}

LayerWeights read_layer_weights(const std::string& path, const ModelEncoding& model,
                                int64_t layer) {
  const LayerReader file(path, model);
  const Sizes sizes{model.heads * model.head_dim, model.kv_heads * model.head_dim,
                    model.hidden_size, model.head_dim, model.heads};
  if (model.family == "llama")
    return separate(file, fmt::format("model.layers.{}.self_attn.", layer), sizes);
  if (model.family == "baichuan") {
    const std::string prefix = fmt::format("model.layers.{}.self_attn.", layer);
    return fused(file, prefix + "W_pack", prefix + "o_proj", sizes, false);
  }
  if (model.family == "chatglm") {
    const auto* rope = std::get_if<RopeConfig>(&model.layers.front());
    const bool first_generation = rope != nullptr && rope->position_axes == 2;
    const std::string prefix =
        first_generation ? fmt::format("transformer.layers.{}.attention.", layer)
                         : fmt::format("transformer.encoder.layers.{}.self_attention.", layer);
    return fused(file, prefix + "query_key_value", prefix + "dense", sizes, first_generation);
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: the names of the weights of family {} are not known", escaped(path),
                          model.family));
}

}  // namespace ropewalk::cli
