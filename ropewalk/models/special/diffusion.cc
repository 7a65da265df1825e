// Transformers of diffusion models, which turn a patch by its frame, row and column, each on
// channels of its own. Source: transformer_*.py, embeddings.py and the pipelines of diffusers
// 0.42.1.

#include "ropewalk/models/special/diffusion.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/models/check_scaling.h"
#include "ropewalk/models/declared_reader.h"
#include "ropewalk/models/defaults.h"
#include "ropewalk/models/dimensions.h"
#include "ropewalk/models/rope_keys.h"
#include "ropewalk/models/special/specials.h"

namespace ropewalk {

void read_diffusion_size(ConfigReader& config, ModelEncoding& model) {
  model.heads = config.integer("heads", {"num_attention_heads", "n_heads"}, kHeadCount);
  if (config.has("attention_head_dim")) {
    model.head_dim = config.integer("head_dim", {"attention_head_dim"}, kHeadDim);
    model.hidden_size = model.heads * model.head_dim;
  } else {
    model.hidden_size = config.integer("hidden_size", {"hidden_size", "dim"}, kHiddenSize);
    model.head_dim = derived_head_dim(config, model);
  }
  model.kv_heads = config.integer(
      "kv_heads",
      {"num_key_value_heads", "num_kv_heads", "n_kv_heads", "num_key_value_attention_heads"},
      kHeadCount, {{model.heads, "default: as many as query heads"}});
  check_kv_heads(config, model, "num_attention_heads");
  int64_t layers = config.integer("layers", {"num_layers", "n_layers"}, kLayerCount);
  if (const auto single = config.find_integer("num_single_layers", {0, 4096})) {
    config.note("layers of one stream", fmt::to_string(*single),
                config.source("num_single_layers"));
    layers += *single;
  }
  model.layers.resize(static_cast<size_t>(layers));
}

namespace {

using Dims = std::vector<int64_t>;

Dims default_dims(const AxesRule& rule, int64_t head_dim) {
  const int64_t side = 2 * (head_dim / 6);
  switch (rule.of_head) {
    case AxesRule::Dims::listed:
      break;
    case AxesRule::Dims::thirds:
      return {head_dim - 2 * side, side, side};
    case AxesRule::Dims::quarter_first:
      return {head_dim / 4, head_dim / 8 * 3, head_dim / 8 * 3};
    case AxesRule::Dims::halves:
      return {head_dim / 2, head_dim / 2};
    case AxesRule::Dims::first_half:
      return {head_dim / 2};
  }
  Dims dims;
  for (const int64_t dim : rule.dims) {
    if (dim > 0) dims.push_back(dim);
  }
  return dims;
}

Dims axis_dims(ConfigReader& config, const ModelEncoding& model, const ModelType& type,
               const AxesRule& rule) {
  Dims dims = default_dims(rule, model.head_dim);
  std::string source =
      rule.of_head == AxesRule::Dims::listed ? default_of(type) : "derived: head_dim";
  if (!rule.dims_key.empty()) {
    if (const auto stated = config.find_integers(rule.dims_key, {2, 65536, 2})) {
      dims = *stated;
      source = config.source(rule.dims_key);
    }
  }
  const int64_t sum = std::accumulate(dims.begin(), dims.end(), int64_t{0});
  const bool even = std::ranges::all_of(dims, [](int64_t dim) { return dim >= 2 && dim % 2 == 0; });
  if (dims.empty() || dims.size() > 16 || !even || sum > model.head_dim) {
    config.refuse(ErrorCode::malformed,
                  rule.dims_key.empty() ? "attention_head_dim" : rule.dims_key,
                  fmt::format("expected even channels for each axis, {} together at most, found {}",
                              model.head_dim, fmt::join(dims, ", ")));
  }
  config.note("channels of each axis", fmt::format("{}", fmt::join(dims, " ")), source);
  return dims;
}

}  // namespace

void special::diffusion(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const AxesRule& rule = *type.axes;
  read_diffusion_size(config, model);
  RopeConfig rope;
  rope.rope_theta = type.rope_theta;
  if (rule.theta_key.empty()) {
    config.note("rope_theta", fmt::to_string(rope.rope_theta),
                fmt::format("family: written into the code of {}", type.name));
  } else {
    rope.rope_theta = config.number("rope_theta", rule.theta_key, kRopeTheta,
                                    {type.rope_theta, default_of(type)});
  }
  check_rope_theta(config, rope.rope_theta);
  const Dims dims = axis_dims(config, model, type, rule);
  const int64_t sum = std::accumulate(dims.begin(), dims.end(), int64_t{0});
  rope.position_axes = std::ssize(dims);
  rope.inv_freq_dtype = rule.dtype;
  rope.mrope_order = rule.order;
  const bool alike = std::ranges::all_of(dims, [&](int64_t dim) { return dim == dims[0]; });
  rope.rotary_dim = alike ? dims[0] : sum;
  if (!alike) rope.axis_dims = dims;
  rope.layout = {model.head_dim, {{0, sum, type.pairing}}};
  const std::string code = fmt::format("family: the code of {}", type.name);
  config.note("position axes", std::string(rule.axes_in_words), code);
  config.note("inv_freq_dtype", std::string(name(rope.inv_freq_dtype)), code);
  config.note("pairing", std::string(name(type.pairing)), code);
  if (!type.remark.empty()) config.note("remark", std::string(type.remark), code);
  set_positions(model, rope);
}

}  // namespace ropewalk
