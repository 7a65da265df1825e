// DeepSeek-V4. Source: configuration_deepseek_v4.py and modeling_deepseek_v4.py of transformers.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/check_scaling.h"
#include "ropewalk/models/declared_reader.h"
#include "ropewalk/models/defaults.h"
#include "ropewalk/models/rope_keys.h"
#include "ropewalk/models/special/specials.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {
namespace {

constexpr std::string_view kSliding = "sliding_attention";
constexpr std::string_view kCompressed[] = {"compressed_sparse_attention",
                                            "heavily_compressed_attention"};

void check_count(const ConfigReader& config, std::string_view key, size_t found, size_t layers) {
  if (found >= layers) return;  // one more is that of the layer that predicts
  config.refuse(ErrorCode::malformed, key,
                fmt::format("expected {} entries, one for each layer, found {}", layers, found));
}

// Which layers see a window only, and turn with the base of that; all others compress their keys.
std::vector<bool> read_sliding(ConfigReader& config, size_t layers) {
  std::vector<bool> sliding(layers, false);
  const auto names = config.find_texts("layer_types");
  const auto ratios = config.find_integers("compress_ratios", {0, 1 << 20});
  if (names) {
    check_count(config, "layer_types", names->size(), layers);
    for (size_t i = 0; i < layers; ++i) {
      sliding[i] = names->at(i) == kSliding;
      if (sliding[i] || names->at(i) == kCompressed[0] || names->at(i) == kCompressed[1]) continue;
      config.refuse(ErrorCode::unsupported, "layer_types",
                    fmt::format("expected layers of the kinds {}, {}, {}, found \"{}\"", kSliding,
                                kCompressed[0], kCompressed[1], escaped(names->at(i))));
    }
    config.note("layer_types", "sliding_attention turns as main, the others as compress",
                config.source("layer_types"));
  } else if (ratios) {
    check_count(config, "compress_ratios", ratios->size(), layers);
    for (size_t i = 0; i < layers; ++i) sliding[i] = ratios->at(i) == 0;
    config.note("layer_types", "0 turns as main, the others as compress",
                config.source("compress_ratios"));
  } else {
    config.note("layer_types", "all compress", "default of DeepseekV4Config");
  }
  return sliding;
}

int64_t rotary_dim(ConfigReader& config, const ModelEncoding& model, const RopeKeys& keys,
                   std::string_view kind) {
  const auto stated = config.find_integer("qk_rope_head_dim", kHeadDim);
  int64_t dim = stated.value_or(model.head_dim / 8);
  std::string_view key = "qk_rope_head_dim";
  std::string source = stated ? config.source(key) : "default of DeepseekV4Config: head_dim / 8";
  if (keys.partial_rotary_factor) {
    key = "partial_rotary_factor";
    dim = static_cast<int64_t>(static_cast<double>(model.head_dim) * *keys.partial_rotary_factor);
    source = keys.fraction_source;
  }
  if (dim < 2 || dim % 2 != 0 || dim > model.head_dim) {
    config.refuse(ErrorCode::malformed, key,
                  fmt::format("expected an even number of rotated channels in 2..{}, found {}",
                              model.head_dim, dim));
  }
  config.note(fmt::format("{} rotary_dim", kind), fmt::to_string(dim), source);
  return dim;
}

RopeConfig last_channels(const RopeKeys& keys, int64_t head_dim, int64_t dim) {
  RopeConfig rope;
  rope.rope_theta = keys.rope_theta;
  rope.rope_type = keys.rope_type;
  rope.parameters = keys.parameters;
  rope.lists = keys.lists;
  rope.rotary_dim = dim;
  rope.layout = {head_dim, {{head_dim - dim, dim, Pairing::interleaved}}};
  return rope;
}

RopeRule rule_of(const ModelEncoding& model, std::string_view kind, double theta) {
  return {.rope_theta = {theta, "default of DeepseekV4Config"},
          .kind = kind,
          .max_positions = model.max_positions};
}

RopeKeys keys_of(ConfigReader& config, const RopeRule& rule) {
  if (auto keys = read_rope_keys(config, rule)) return *keys;
  config.refuse(ErrorCode::unsupported, "rope_parameters",
                fmt::format("expected an object for {}, found null", rule.kind));
}

// The rope_theta of a block with no object of its own for "compress" is not that of the
// compressed layers.
void check_flat_theta(const ConfigReader& config, const RopeRule& rule) {
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const auto block = config.json().find(key);
    if (block == config.json().end() || !block->is_object() || !block->contains("rope_theta")) {
      continue;
    }
    if (config.has(rule.theta_key)) continue;
    config.refuse(ErrorCode::malformed, rule.theta_key,
                  fmt::format("expected the base of the compressed layers, because {} has another "
                              "rope_theta; found no such key",
                              config.pointer_to(key)));
  }
}

// One object for each of the two rotations; keys at the top then count for nothing that it
// states.
bool is_nested(const ConfigReader& config) {
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const auto block = config.json().find(key);
    if (block == config.json().end() || !block->is_object()) continue;
    if (const auto own = block->find("compress"); own != block->end() && own->is_object()) {
      return true;
    }
  }
  return false;
}

RopeKeys compress_keys(ConfigReader& config, const ModelEncoding& model) {
  RopeRule rule = rule_of(model, "compress", 160000);
  rule.theta_key = "compress_rope_theta";
  rule.top_theta_first = !is_nested(config);
  check_flat_theta(config, rule);
  RopeKeys keys = keys_of(config, rule);
  if (scaling_traits(keys.rope_type).yarn && !keys.parameters.contains("attention_factor")) {
    // Left to yarn it would be 0.1 ln(factor) + 1, which the model was not trained with.
    keys.parameters["attention_factor"] = 1;
    config.note("compress attention_factor", "1", "family: the code of deepseek_v4");
  }
  return keys;
}

}  // namespace

// Two rotations: layers that see a window only turn with rope_theta and no scaling, those that
// compress their keys with compress_rope_theta and the block.
void special::deepseek_v4(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_heads(config, model, type);
  const std::vector<bool> sliding = read_sliding(config, model.layers.size());
  RopeRule main_rule = rule_of(model, "main", type.rope_theta);
  main_rule.takes_rope_scaling = false;
  const RopeKeys main_keys = keys_of(config, main_rule);
  const RopeKeys compressed_keys = compress_keys(config, model);
  const int64_t dim = rotary_dim(config, model, compressed_keys, "compress");
  const RopeConfig main_rope =
      last_channels(main_keys, model.head_dim, rotary_dim(config, model, main_keys, "main"));
  const RopeConfig compressed = last_channels(compressed_keys, model.head_dim, dim);
  check_scaling(config, main_rope);
  check_scaling(config, compressed);
  for (size_t i = 0; i < sliding.size(); ++i) {
    model.layers[i].positions = sliding[i] ? main_rope : compressed;
  }
  config.note("pairing", "interleaved", "family: rotate_half of pairs of neighbours");
  config.note("k and v", "one: what the heads give is turned back by the query's position",
              "family: the code of deepseek_v4");
  config.note("compressed key", "at the first position of its run",
              "family: the code of deepseek_v4");
  read_attention(config, model, type);
  const int64_t index_dim =
      config.integer("index_head_dim", {"index_head_dim"}, kHeadDim, {{128, default_of(type)}});
  if (dim > index_dim) {
    config.refuse(
        ErrorCode::malformed, "index_head_dim",
        fmt::format("expected at least the {} channels that turn, found {}", dim, index_dim));
  }
  model.others.push_back({"indexer", last_channels(compressed_keys, index_dim, dim)});
}

}  // namespace ropewalk
