#include "ropewalk/weights/layer_reader.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/nearest_name.h"

namespace ropewalk {
namespace {

// Tensors that a model's other parts call by the same names.
constexpr std::string_view kOtherParts[] = {"vision", "visual", "audio", "encoder.", "draft"};

// "; near it is model.layers.1.self_attn.q_proj.weight" or the first name there is.
std::string like(const Checkpoint& file, const std::string& name) {
  std::string nearest;
  size_t least = SIZE_MAX;
  for (const auto& [tensor, index] : file.tensors()) {
    const size_t end = std::min(tensor.size(), name.size());
    const size_t distance = edit_distance(tensor.substr(tensor.size() - end), name);
    if (distance >= least) continue;
    least = distance;
    nearest = tensor;
  }
  return nearest.empty() ? "" : fmt::format("; near it is \"{}\"", escaped(nearest));
}

std::string prefix_of(const Checkpoint& file, const std::string& name) {
  const std::vector<std::string> prefixes = prefixes_of(file.tensors(), name);
  if (prefixes.empty()) {
    throw Error(ErrorCode::malformed,
                fmt::format("{}: expected a tensor \"...{}\", found none among {} tensors{}",
                            file.label(), escaped(name), file.tensors().size(), like(file, name)));
  }
  if (prefixes.size() == 1) return prefixes.front();
  throw Error(
      ErrorCode::malformed,
      fmt::format("{}: expected one tensor \"...{}\", found one behind each of {}", file.label(),
                  escaped(name), escaped(fmt::format("{}", fmt::join(prefixes, ", ")))));
}

std::string_view first_name(const WeightNames& names, const Layer& layer) {
  return names.form == QkvForm::latent && layer.attention.latent.q_rank > 0 ? names.q_a : names.q;
}

}  // namespace

bool is_of_other_part(std::string_view prefix) {
  return std::any_of(std::begin(kOtherParts), std::end(kOtherParts),
                     [&](std::string_view part) { return prefix.find(part) != prefix.npos; });
}

std::vector<std::string> prefixes_of(const std::map<std::string, size_t, std::less<>>& tensors,
                                     std::string_view name) {
  std::vector<std::string> prefixes, own;
  for (const auto& [tensor, file] : tensors) {
    if (!tensor.ends_with(name)) continue;
    const std::string prefix = tensor.substr(0, tensor.size() - name.size());
    if (!prefix.empty() && !prefix.ends_with('.')) continue;
    prefixes.push_back(prefix);
    if (!is_of_other_part(prefix)) own.push_back(prefix);
  }
  return own.empty() ? prefixes : own;
}

std::string first_projection(const WeightNames& names, const Layer& layer, int64_t number) {
  return fmt::format("{}{}.weight", fmt::format(fmt::runtime(names.layer), number),
                     first_name(names, layer));
}

Tensor rows_of(const Tensor& tensor, const Rows& rows) {
  Dims shape = tensor.shape;
  shape[0] = rows.count * rows.blocks;
  Tensor out = make_tensor(tensor.dtype, shape);
  const size_t row = tensor.bytes.size() / static_cast<size_t>(tensor.shape[0]);
  for (int64_t b = 0; b < rows.blocks; ++b) {
    std::memcpy(out.bytes.data() + static_cast<size_t>(b * rows.count) * row,
                tensor.bytes.data() + static_cast<size_t>(rows.first + b * rows.step) * row,
                static_cast<size_t>(rows.count) * row);
  }
  return out;
}

LayerReader::LayerReader(const std::filesystem::path& path, const WeightNames& names,
                         const WeightNames* others, int64_t hidden_size, const Layer& layer,
                         int64_t number)
    : file_(path), names_(&names), hidden_(hidden_size), layer_(layer) {
  std::string first = first_projection(names, layer, number);
  if (others != nullptr && prefixes_of(file_.tensors(), first).empty()) {
    names_ = others;
    first = first_projection(*others, layer, number);
  }
  const std::string start = prefix_of(file_, first);
  prefix_ = start + fmt::format(fmt::runtime(names_->layer), number);
  first_prefix_ = start + fmt::format(fmt::runtime(names_->layer), 0);
}

Tensor LayerReader::read(const std::string& name, const Dims* shape) const {
  const Tensor stored = file_.read(name);
  used_.insert(name);
  if (shape != nullptr && !(stored.shape == *shape)) {
    throw Error(ErrorCode::malformed,
                fmt::format("{}: tensor \"{}\": expected shape {} for {} heads and {} key heads of "
                            "{} channels, found {}",
                            file_.label(), escaped(name), to_string(*shape), layer_.heads,
                            layer_.kv_heads, layer_.head_dim, to_string(stored.shape)));
  }
  return converted(stored.view(), DType::f32);
}

Tensor LayerReader::matrix(std::string_view name, const Dims& shape) const {
  return read(fmt::format("{}{}.weight", prefix_, name), &shape);
}

Tensor LayerReader::bucket_bias(const Dims& shape) const {
  const std::string& prefix = names_->bucket_bias_in_each ? prefix_ : first_prefix_;
  return read(fmt::format("{}{}.weight", prefix, names_->bucket_bias), &shape);
}

std::optional<Tensor> LayerReader::bias(std::string_view name, int64_t rows) const {
  const std::string whole = fmt::format("{}{}.bias", prefix_, name);
  if (!file_.contains(whole)) return std::nullopt;
  const Dims shape{rows};
  return read(whole, &shape);
}

Tensor LayerReader::numbers(std::string_view name, std::string_view suffix) const {
  return read(fmt::format("{}{}{}", prefix_, name, suffix), nullptr);
}

std::optional<Tensor> LayerReader::find_numbers(std::string_view name,
                                                std::string_view suffix) const {
  const std::string whole = fmt::format("{}{}{}", prefix_, name, suffix);
  if (!file_.contains(whole)) return std::nullopt;
  return read(whole, nullptr);
}

std::vector<std::string> LayerReader::unused() const {
  constexpr std::string_view kBesideWeights[] = {"inv_freq", "masked_bias", "attention.bias",
                                                 "attn.bias", "rotary_pos_emb"};
  std::vector<std::string> unused;
  for (const auto& entry : file_.tensors()) {
    const std::string& tensor = entry.first;
    if (!tensor.starts_with(prefix_) || used_.contains(tensor)) continue;
    const bool beside = std::any_of(std::begin(kBesideWeights), std::end(kBesideWeights),
                                    [&](std::string_view end) { return tensor.ends_with(end); });
    // BERT's blocks keep the norm behind their residual here.
    if (!beside && tensor.find(".LayerNorm.") == tensor.npos) unused.push_back(tensor);
  }
  return unused;
}

Tensor LayerReader::norm(std::string_view name, int64_t heads) const {
  const std::string first = fmt::format("{}{}.norms.0.weight", prefix_, name);
  if (!file_.contains(first)) return numbers(name);
  const Dims of_head{layer_.head_dim};
  Tensor all = make_tensor(DType::f32, {heads, layer_.head_dim});
  for (int64_t h = 0; h < heads; ++h) {
    const Tensor one = read(fmt::format("{}{}.norms.{}.weight", prefix_, name, h), &of_head);
    std::memcpy(all.bytes.data() + static_cast<size_t>(h) * one.bytes.size(), one.bytes.data(),
                one.bytes.size());
  }
  return all;
}

}  // namespace ropewalk
