// ChatGLM-6B, ChatGLM2-6B, ChatGLM3-6B and GLM-4-9B: one model_type for two unlike encodings.
// Source: modeling_chatglm.py and configuration_chatglm.py of THUDM/chatglm-6b, chatglm2-6b,
// chatglm3-6b and glm-4-9b-chat.

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/dimensions.h"
#include "ropewalk/models/rope_keys.h"
#include "ropewalk/models/special/specials.h"

namespace ropewalk {
namespace {

constexpr NumberRule kRopeRatio{"a number above 0", [](double value) { return value > 0; }};

// Which revision's rule the position ids follow, by its special tokens.
void note_revision(ConfigReader& config) {
  struct Revision {
    std::string_view name;
    int64_t bos, vocabulary;
  };
  constexpr Revision kRevisions[] = {
      {"clamped: after bos the position stays at the mask token", 130004, 130528},
      {"continuing (March 2023): with gMASK the position goes on", 150004, 150528}};
  const auto bos = config.find_integer("bos_token_id", {0});
  const auto vocabulary = config.find_integer("vocab_size", {1});
  for (const Revision& revision : kRevisions) {
    if (bos ? *bos != revision.bos : vocabulary != revision.vocabulary) continue;
    config.note("position_rule", std::string(revision.name),
                config.source(bos ? "bos_token_id" : "vocab_size"));
    if (vocabulary && *vocabulary != revision.vocabulary) {
      config.warn(fmt::format("bos_token_id {} goes with a vocab_size of {}, found {}",
                              revision.bos, revision.vocabulary, *vocabulary));
    }
    return;
  }
  config.note("position_rule", "unknown",
              "neither bos_token_id nor vocab_size is that of a published revision");
  config.warn(
      "bos_token_id is neither 130004 nor 150004: which of the two rules of position ids holds "
      "is not known");
}

// Two windows of half a head, the first turned by the position, the second by the block position.
void read_6b(ConfigReader& config, ModelEncoding& model) {
  model.kv_heads = model.heads;
  config.note("kv_heads", fmt::to_string(model.kv_heads), "family: as many as query heads");
  model.head_dim = derived_head_dim(config, model);
  if (model.head_dim % 4 != 0) {
    config.refuse(ErrorCode::malformed, "hidden_size",
                  fmt::format("expected a head_dim that is a multiple of 4 (two windows of pairs), "
                              "found {}",
                              model.head_dim));
  }
  model.max_positions = config.integer("max_positions", {"max_sequence_length"}, kPositionCount,
                                       {{2048, "default of ChatGLMConfig"}});
  if (!config.boolean("position_encoding_2d", "position_encoding_2d",
                      {true, "default of ChatGLMConfig"})) {
    config.refuse(
        ErrorCode::unsupported, "position_encoding_2d",
        "no published ChatGLM-6B has one-dimensional positions, expected true, found false");
  }
  note_revision(config);

  RopeConfig rope;
  rope.rope_theta = 10000;
  rope.rotary_dim = model.head_dim / 2;
  rope.position_axes = 2;
  rope.inv_freq_dtype = DType::f16;
  rope.layout = {model.head_dim,
                 {{0, rope.rotary_dim, Pairing::half_split},
                  {rope.rotary_dim, rope.rotary_dim, Pairing::half_split}}};
  config.note("rope_theta", "10000", "family: written into RotaryEmbedding, no key is read");
  config.note("rotary_dim", fmt::to_string(rope.rotary_dim),
              "family: half a head for the position, half for the block position");
  config.note("pairing", "half_split", "family: rotate_half in modeling_chatglm.py");
  config.note("inv_freq_dtype", "f16", "family: inv_freq.half() in modeling_chatglm.py");
  config.warn(
      "the model's own code also multiplies position and inv_freq in f16 (up to 0.12 radians off "
      "at "
      "position 1000); here the f16 inv_freq is multiplied exactly");
  set_positions(model, rope);
}

// A key that is only a hint, in lower case; "" when it is no text.
std::string hint(const ConfigReader& config, const char* key) {
  const auto found = config.json().find(key);
  if (found == config.json().end() || !found->is_string()) return "";
  std::string text = found->get<std::string>();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// ChatGLM2's code, unlike that of its successors, makes the angles in the type of the weights.
// Their configs differ in no other key than a name.
void warn_of_chatglm2_angles(ConfigReader& config) {
  const bool half = hint(config, "torch_dtype") == "float16" || hint(config, "dtype") == "float16";
  const bool later = config.has("rope_ratio") ||  // which its code does not know
                     hint(config, "_name_or_path").find("chatglm3") != std::string::npos;
  if (!half || later) return;
  config.warn(
      "if this is ChatGLM2-6B: its own code makes the angles in torch_dtype float16, where "
      "positions "
      "above 2048 are rounded (2049 turns as 2048); here they are exact");
}

void read_kv_heads(ConfigReader& config, ModelEncoding& model) {
  const bool grouped = config.boolean("multi_query_attention", "multi_query_attention",
                                      {false, "default of ChatGLMConfig"});
  if (!grouped) {
    model.kv_heads = model.heads;
    config.note("kv_heads", fmt::to_string(model.kv_heads),
                "derived: multi_query_attention is false");
    return;
  }
  model.kv_heads = config.integer("kv_heads", {"multi_query_group_num"}, kHeadCount,
                                  {{1, "default of ChatGLMConfig"}});
  check_kv_heads(config, model, "multi_query_group_num");
}

// ChatGLM2, ChatGLM3 and GLM-4: the first half of each head turns, the rest passes.
void read_later(ConfigReader& config, ModelEncoding& model) {
  read_kv_heads(config, model);
  model.head_dim = config.integer("head_dim", {"kv_channels"}, {4, kHeadDim.most, 4});
  model.max_positions = config.integer("max_positions", {"seq_length"}, kPositionCount,
                                       {{2048, "default of ChatGLMConfig"}});
  const double ratio =
      config.number("rope_ratio", "rope_ratio", kRopeRatio, {1, "default of the family"});
  const bool original =
      config.boolean("original_rope", "original_rope", {true, "default of the family"});

  RopeConfig rope;
  rope.rope_theta = 10000 * ratio;
  if (!kRopeTheta.holds(rope.rope_theta)) {
    config.refuse(ErrorCode::malformed, "rope_ratio",
                  fmt::format("expected 10000 * rope_ratio to be {}, found {}", kRopeTheta.expected,
                              rope.rope_theta));
  }
  check_rope_theta(config, rope.rope_theta);
  rope.rotary_dim = model.head_dim / 2;
  const Pairing pairing = original ? Pairing::interleaved : Pairing::half_split;
  rope.layout = {model.head_dim, {{0, rope.rotary_dim, pairing}}};
  config.note("rope_theta", fmt::to_string(rope.rope_theta), "derived: 10000 * rope_ratio");
  config.note("rotary_dim", fmt::to_string(rope.rotary_dim), "family: the first half of the head");
  config.note("pairing", std::string(name(pairing)),
              original ? "derived: original_rope is true" : "derived: original_rope is false");
  warn_of_chatglm2_angles(config);
  set_positions(model, rope);
}

}  // namespace

void special::chatglm(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const auto sign_of_6b =
      config.first_of({"position_encoding_2d", "inner_hidden_size", "max_sequence_length"});
  const auto sign_of_later =
      config.first_of({"kv_channels", "multi_query_attention", "multi_query_group_num",
                       "original_rope", "rope_ratio", "seq_length"});
  if (sign_of_6b && sign_of_later) {
    config.refuse(
        ErrorCode::malformed, *sign_of_6b,
        fmt::format(
            "expected a key of ChatGLM-6B or one of ChatGLM2 or later, found both (beside {})",
            config.pointer_to(*sign_of_later)));
  }
  if (!sign_of_6b && !sign_of_later) {
    config.refuse(
        ErrorCode::unsupported, "kv_channels",
        "no key tells ChatGLM-6B (position_encoding_2d, inner_hidden_size) from ChatGLM2 and "
        "later, expected one of these, kv_channels, multi_query_group_num or rope_ratio, found "
        "none");
  }
  config.note("generation", sign_of_6b ? "ChatGLM-6B" : "ChatGLM2, ChatGLM3 or GLM-4",
              "told by a key that only it has: " +
                  config.source(sign_of_6b ? *sign_of_6b : *sign_of_later));
  model.hidden_size = config.integer("hidden_size", {"hidden_size"}, kHiddenSize);
  model.heads = config.integer("heads", {"num_attention_heads"}, kHeadCount);
  model.layers.resize(static_cast<size_t>(
      config.integer("layers", {"num_layers", "num_hidden_layers"}, kLayerCount)));
  (sign_of_6b ? read_6b : read_later)(config, model);
  read_attention(config, model, type);
  if (sign_of_6b) {
    for (Layer& layer : model.layers) layer.attention.mask = Mask::prefix;
    config.note("mask", "prefix", "family: get_masks in modeling_chatglm.py");
  }
}

}  // namespace ropewalk
