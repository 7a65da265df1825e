#include "ropewalk/weights/wrong_shapes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/formats/checkpoint_index.h"
#include "ropewalk/formats/safetensors.h"
#include "ropewalk/models/family.h"
#include "ropewalk/weights/layer_reader.h"

namespace ropewalk {
namespace {

// The headers of a checkpoint, each file opened when one of its tensors is asked for.
class Headers {
 public:
  explicit Headers(const std::filesystem::path& path) {
    if (path.extension() != ".json") {
      files_ = {path};
      for (const auto& [name, entry] : file(0).entries()) tensors_.emplace(name, 0);
      return;
    }
    CheckpointIndex index = read_checkpoint_index(path);
    for (const auto& each : index.files) files_.push_back(path.parent_path() / each.name);
    tensors_ = std::move(index.tensors);
  }

  const std::map<std::string, size_t, std::less<>>& tensors() const { return tensors_; }

  // Of a tensor of floating point numbers; no shape for any other.
  std::optional<std::pair<std::filesystem::path, Dims>> shape(const std::string& name) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) return std::nullopt;
    const auto& entries = file(found->second).entries();
    const auto entry = entries.find(name);
    if (entry == entries.end() || !is_float(entry->second.dtype)) return std::nullopt;
    return std::pair{files_[found->second], entry->second.shape};
  }

 private:
  static bool is_float(DType dtype) {
    return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::bf16 ||
           dtype == DType::f16;
  }

  const SafetensorsFile& file(size_t number) {
    return opened_.try_emplace(number, files_[number]).first->second;
  }

  std::vector<std::filesystem::path> files_;
  std::map<std::string, size_t, std::less<>> tensors_;
  std::map<size_t, SafetensorsFile> opened_;
};

using Shapes = std::vector<std::pair<std::string_view, Dims>>;

Shapes latent_shapes(const WeightNames& names, const Layer& layer, int64_t hidden) {
  const LatentProjections& latent = layer.attention.latent;
  const int64_t q = layer.heads * layer.head_dim,
                kept = layer.head_dim - latent.shared_dim + layer.value_dim;
  Shapes shapes = {{names.kv_a, {latent.kv_rank + latent.shared_dim, hidden}},
                   {names.kv_b, {layer.heads * kept, latent.kv_rank}}};
  if (latent.q_rank == 0) {
    shapes.push_back({names.q, {q, hidden}});
  } else {
    shapes.push_back({names.q_a, {latent.q_rank, hidden}});
    shapes.push_back({names.q_b, {q, latent.q_rank}});
  }
  return shapes;
}

// What read_layer_weights expects of the projections.
Shapes expected_shapes(const WeightNames& names, const Layer& layer, int64_t hidden) {
  const int64_t q = layer.heads * layer.head_dim, k = layer.kv_heads * layer.head_dim,
                v = layer.kv_heads * layer.value_dim;
  Shapes shapes;
  if (names.form == QkvForm::latent) {
    for (const auto& each : latent_shapes(names, layer, hidden)) shapes.push_back(each);
  } else if (names.form == QkvForm::separate) {
    shapes.push_back({names.q, {names.gate_in_q ? 2 * q : q, hidden}});
    shapes.push_back({names.k, {k, hidden}});
    if (!layer.attention.value_is_key) shapes.push_back({names.v, {v, hidden}});
  } else {
    shapes.push_back({names.q, {q + k + v, hidden}});
  }
  shapes.push_back({names.o, {hidden, layer.heads * layer.value_dim}});
  return shapes;
}

void check_layer_shapes(Headers& headers, const WeightNames& names, const ModelEncoding& model,
                        int64_t number, std::vector<WrongShape>& wrong) {
  const Layer& layer = model.layers[static_cast<size_t>(number)];
  const std::vector<std::string> prefixes =
      prefixes_of(headers.tensors(), first_projection(names, layer, number));
  if (prefixes.size() != 1) return;
  const std::string prefix = prefixes.front() + fmt::format(fmt::runtime(names.layer), number);
  for (const auto& [name, expected] : expected_shapes(names, layer, model.hidden_size)) {
    const std::string tensor = fmt::format("{}{}.weight", prefix, name);
    const auto found = headers.shape(tensor);
    if (!found || found->second == expected) continue;
    wrong.push_back({.file = found->first,
                     .tensor = tensor,
                     .layer = number,
                     .heads = layer.heads,
                     .kv_heads = layer.kv_heads,
                     .head_dim = layer.head_dim,
                     .expected = expected,
                     .found = found->second});
  }
}

// The first of the layers whose projections have the same shapes.
std::vector<int64_t> first_layers(const ModelEncoding& model) {
  const auto same = [](const Layer& a, const Layer& b) {
    return a.heads == b.heads && a.kv_heads == b.kv_heads && a.head_dim == b.head_dim &&
           a.value_dim == b.value_dim && a.attention.latent == b.attention.latent &&
           a.attention.value_is_key == b.attention.value_is_key;
  };
  std::vector<int64_t> first;
  for (int64_t i = 0; i < std::ssize(model.layers); ++i) {
    const Layer& layer = model.layers[static_cast<size_t>(i)];
    if (layer.mixer != Mixer::attention || !layer.attention.not_computed.empty()) continue;
    const bool known = std::any_of(first.begin(), first.end(), [&](int64_t other) {
      return same(layer, model.layers[static_cast<size_t>(other)]);
    });
    if (!known) first.push_back(i);
  }
  return first;
}

}  // namespace

std::vector<WrongShape> wrong_shapes(const std::filesystem::path& checkpoint,
                                     const ModelEncoding& model) {
  std::vector<WrongShape> wrong;
  const KnownType known = find_model_type(model.model_type);
  if (known.type == nullptr || known.type->weights.form == QkvForm::unknown) return wrong;
  Headers headers(checkpoint);
  for (const int64_t layer : first_layers(model)) {
    const bool listed =
        !prefixes_of(
             headers.tensors(),
             first_projection(known.type->weights, model.layers[static_cast<size_t>(layer)], layer))
             .empty();
    const WeightNames* names = listed || known.type->other_weights == nullptr
                                   ? &known.type->weights
                                   : known.type->other_weights;
    check_layer_shapes(headers, *names, model, layer, wrong);
  }
  return wrong;
}

}  // namespace ropewalk
