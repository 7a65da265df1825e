// Baichuan and Baichuan2. The 7B models rotate, the 13B models use ALiBi, and no key of their
// config.json says so: only the size tells them apart.
// Source: modeling_baichuan.py of baichuan-inc/Baichuan-7B, Baichuan-13B-Chat, Baichuan2-13B-Chat.

#include <fmt/format.h>

#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/dimensions.h"
#include "ropewalk/models/special/specials.h"

namespace ropewalk {
namespace {

struct Size {
  std::string_view name;
  int64_t hidden_size, heads, layers;
  bool rotates;
};

PositionEncoding rope(ConfigReader& config, const ModelEncoding& model) {
  RopeConfig rope;
  rope.rope_theta = 10000;
  rope.rotary_dim = model.head_dim;
  rope.layout = {model.head_dim, {{0, model.head_dim, Pairing::half_split}}};
  config.note("rope_theta", "10000", "family: written into RotaryEmbedding, no key is read");
  config.note("rotary_dim", fmt::to_string(rope.rotary_dim), "family: the whole head");
  config.note("pairing", "half_split", "family: rotate_half in modeling_baichuan.py");
  return rope;
}

PositionEncoding alibi(ConfigReader& config, const ModelEncoding& model) {
  config.note("max_bias", "8", "family: written into _get_interleave, no key is read");
  return AlibiConfig{.heads = model.heads, .max_bias = 8, .form = AlibiForm::key_position};
}

constexpr Size kSizes[] = {
    {"7B", 4096, 32, 32, true},
    {"13B", 5120, 40, 40, false},
};

// The size by which everything else is decided. The number of layers may be absent, as in the
// class's own defaults, but not another one.
const Size& find_size(ConfigReader& config, const ModelEncoding& model,
                      std::optional<int64_t> layers) {
  for (const Size& size : kSizes) {
    if (size.hidden_size != model.hidden_size || size.heads != model.heads) continue;
    if (layers.value_or(size.layers) == size.layers) return size;
  }
  config.refuse(
      ErrorCode::unsupported, "hidden_size",
      fmt::format(
          "the size alone says whether a Baichuan model uses RoPE or ALiBi, expected 4096 with 32 "
          "heads and 32 layers (7B: RoPE) or 5120 with 40 heads and 40 layers (13B: ALiBi), "
          "found {} with {} heads and {} layers",
          model.hidden_size, model.heads,
          layers ? fmt::to_string(*layers) : "an unstated number of"));
}

}  // namespace

void special::baichuan(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  model.hidden_size = config.integer("hidden_size", {"hidden_size"}, kHiddenSize);
  model.heads = config.integer("heads", {"num_attention_heads"}, kHeadCount);
  model.kv_heads = model.heads;
  config.note("kv_heads", fmt::to_string(model.kv_heads), "family: as many as query heads");
  const Size& size =
      find_size(config, model, config.find_integer("num_hidden_layers", kLayerCount));
  model.head_dim = derived_head_dim(config, model);
  const int64_t layers = config.integer("layers", {"num_hidden_layers"}, kLayerCount,
                                        {{size.layers, "default of BaichuanConfig at this size"}});
  model.max_positions =
      config.integer("max_positions", {"max_position_embeddings", "model_max_length"},
                     kPositionCount, {{4096, "default of BaichuanConfig"}});
  const PositionEncoding encoding = size.rotates ? rope(config, model) : alibi(config, model);
  config.note(
      "encoding", std::string(name(encoding)),
      fmt::format("inferred from the size: hidden_size {}, {} heads, {} layers is {}; no key "
                  "of a Baichuan config says it",
                  size.hidden_size, size.heads, size.layers, size.name));
  model.layers.resize(static_cast<size_t>(layers));
  set_positions(model, encoding);
  read_attention(config, model, type);
}

}  // namespace ropewalk
