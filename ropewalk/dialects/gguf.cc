#include "ropewalk/dialects/gguf.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/conventions/layer_kinds.h"
#include "ropewalk/dialects/gguf_attention.h"
#include "ropewalk/dialects/gguf_rope.h"
#include "ropewalk/dialects/notes.h"
#include "ropewalk/dialects/rope_rule.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {
namespace {

constexpr std::string_view kPattern = "attention.sliding_window_pattern";
constexpr std::string_view kTurning = "rope.dimension_count";
constexpr IntegerRule kPassing{0, 65536, 2};  // channels of a latent head that do not turn
// What llama.cpp takes where the file has no rope.freq_base.
constexpr double kDefaultBase = 10000;

struct Translator {
  GgufKeys& keys;
  const ModelType& type;
  ModelEncoding& findings;
  StatedModel stated;
};

// One number, or one for each layer: 0 for a layer that does not attend.
Said<int64_t> said_count(Translator& to, std::string_view name) {
  const auto counts = to.keys.integers(name);
  if (!counts) return to.keys.said_integer(name, kHeadCount);
  const auto layers = to.keys.integer("block_count");
  if (layers && std::ssize(*counts) != *layers) {
    to.keys.fail(name, fmt::format("expected {} numbers, one for each layer, found {}", *layers,
                                   counts->size()));
  }
  const int64_t most = counts->empty() ? 0 : *std::max_element(counts->begin(), counts->end());
  std::vector<bool>& attends = to.stated.layers.attends;
  attends.resize(counts->size(), true);
  for (size_t i = 0; i < counts->size(); ++i) {
    const int64_t count = (*counts)[i];
    if (count == 0) attends[i] = false;
    if (count == 0 || count == most) continue;
    warn(to.findings, fmt::format("{}: the layers differ, of {} heads is spoken here",
                                  escaped(to.keys.key(name)), most));
  }
  Said<int64_t> said = to.keys.said<int64_t>(name, most);
  if (!kHeadCount.holds(most)) {
    refuse(ErrorCode::malformed, said.source,
           fmt::format("expected {}, found {}", in_words(kHeadCount), most));
  }
  return said;
}

void read_recurrent_layers(Translator& to) {
  const auto recurrent = to.keys.integers("attention.recurrent_layers");
  if (!recurrent) return;
  std::vector<bool>& attends = to.stated.layers.attends;
  attends.resize(std::max(attends.size(), recurrent->size()), true);
  for (size_t i = 0; i < recurrent->size(); ++i) {
    if ((*recurrent)[i] != 0) attends[i] = false;
  }
}

// The key of a latent head is made of what passes and what turns.
void read_latent_head(Translator& to) {
  to.keys.key("attention.head_count_kv");  // 1: the latent vector itself
  const std::string_view whole =
      is_absorbed(to.keys) ? "attention.key_length_mla" : "attention.key_length";
  const auto head_dim = to.keys.integer(whole);
  StatedLatent& latent = to.stated.latent;
  latent.rope_dim = to.keys.said_integer(kTurning, kHeadDim);
  if (!head_dim) to.keys.fail(whole, "expected the channels of a head, found no such key");
  if (!latent.rope_dim) {
    to.keys.fail(kTurning, "expected the channels that turn, found no such key");
  }
  if (*latent.rope_dim > *head_dim) {
    to.keys.fail(kTurning, fmt::format("expected at most the {} channels of a head, found {}",
                                       *head_dim, *latent.rope_dim));
  }
  latent.nope_dim = to.keys.said<int64_t>(whole, *head_dim - *latent.rope_dim);
  if (!kPassing.holds(*latent.nope_dim)) {
    to.keys.fail(whole, fmt::format("expected the {} that turn and {}, found {}", *latent.rope_dim,
                                    in_words(kPassing), *head_dim));
  }
  latent.q_rank = to.keys.said_integer("attention.q_lora_rank", kRank);
  latent.q_rank.null = !latent.q_rank;  // absent: q has no latent vector, as in V2-Lite
  latent.kv_rank = to.keys.said_integer("attention.kv_lora_rank", kRank);
}

void read_size(Translator& to) {
  StatedSize& size = to.stated.size;
  size.hidden_size = to.keys.said_integer("embedding_length", kHiddenSize);
  size.max_positions = to.keys.said_integer("context_length", kPositionCount);
  size.layers = to.keys.said_integer("block_count", kLayerCount);
  // Layers that predict further tokens stand after the model's own.
  const auto further = to.keys.integer("nextn_predict_layers");
  if (further && *further > 0 && size.layers && *size.layers > *further) {
    *size.layers.value -= *further;
  }
  size.heads = said_count(to, "attention.head_count");
  read_recurrent_layers(to);
  if (to.type.latent.rope_dim > 0) return read_latent_head(to);
  size.kv_heads = said_count(to, "attention.head_count_kv");
  size.head_dim = to.keys.said_integer("attention.key_length", kHeadDim);
}

// Which layers have a window: true for each that has, or one in so many has none.
void read_windows(Translator& to) {
  const LayerRule& rule = to.type.layers;
  StatedLayers& layers = to.stated.layers;
  if (layers.alike) return;
  const auto sliding = std::find_if(rule.kinds.begin(), rule.kinds.end(), is_windowed);
  const auto full = std::find_if_not(rule.kinds.begin(), rule.kinds.end(), is_windowed);
  if (sliding == rule.kinds.end() || full == rule.kinds.end()) {
    // Qwen 3.5's full_attention_interval has its name of config.json.
    const LayerKey* every = find_key(rule, LayerKey::every);
    if (every != nullptr) layers.every = to.keys.said_integer(every->key, {1, 4096});
    return;
  }
  if (const auto windows = to.keys.integers(kPattern)) {
    std::vector<std::string> names;
    for (const int64_t has_window : *windows) {
      names.emplace_back(has_window != 0 ? sliding->name : full->name);
    }
    const int64_t own = to.stated.size.layers.value_or(0);
    if (own > 0 && std::ssize(names) > own) names.resize(static_cast<size_t>(own));
    layers.names = to.keys.said(kPattern, std::optional(std::move(names)));
  } else if (find_key(rule, LayerKey::every) != nullptr) {
    layers.every = to.keys.said_integer(kPattern, {1, 4096});
  }
}

std::optional<int64_t> head_dim(Translator& to, const LayerKind& kind) {
  if (is_windowed(kind)) {
    if (const auto own = to.keys.integer("attention.key_length_swa")) return own;
  }
  if (to.stated.latent.rope_dim) return to.stated.latent.rope_dim.value;
  const StatedSize& size = to.stated.size;
  if (size.head_dim) return size.head_dim.value;
  return size.hidden_size && size.heads ? std::optional(*size.hidden_size / *size.heads)
                                        : std::nullopt;
}

// What the model's own code has for a parameter of its scaling.
std::optional<double> default_parameter(const ModelType& type, std::string_view key) {
  for (const DefaultRope& rope : type.default_rope) {
    for (const DefaultRope::Parameter& parameter : rope.parameters) {
      if (parameter.key == key) return parameter.value;
    }
  }
  return std::nullopt;
}

// The file has no key for it, and llama.cpp always rounds: the model's code counts.
void set_truncate(Translator& to, StatedRope& rope) {
  const auto truncate = default_parameter(to.type, "truncate");
  if (!truncate || !scaling_traits(*rope.rope_type).yarn) return;
  rope.parameters["truncate"] = {
      *truncate ? 1.0 : 0.0, fmt::format("no key states it, the code of {}", to.type.name), {}};
  warn(to.findings,
       "llama.cpp rounds the ends of YaRN's ramp to whole pairs, the model's own code does not");
}

// What turns of the heads of one kind; nothing where the scaling says it.
Said<int64_t> said_turning(Translator& to, const LayerKind& kind, const StatedRope& rope) {
  const bool own = is_windowed(kind) && to.keys.integer("rope.dimension_count_swa");
  const std::string_view name = own ? "rope.dimension_count_swa" : kTurning;
  if (rope.partial_rotary_factor) {
    to.keys.key(name);
    return {};
  }
  Said<int64_t> said = to.keys.said_integer(name, {0, 65536});
  const int64_t whole = head_dim(to, kind).value_or(0);
  if (said && whole > 0 && (*said < 2 || *said > whole || *said % 2 != 0)) {
    to.keys.fail(name, fmt::format("expected an even number in 2..{}, found {}", whole, *said));
  }
  return said;
}

// The file has numbers of their own for layers with a window.
bool windows_differ(GgufKeys& keys) {
  const auto head_dim = keys.integer("attention.key_length_swa");
  const auto turning = keys.integer("rope.dimension_count_swa");
  const auto base = keys.number("rope.freq_base_swa");
  return (head_dim && head_dim != keys.integer("attention.key_length")) ||
         (turning && turning != keys.integer(kTurning)) ||
         (base && base != keys.number("rope.freq_base"));
}

void read_rotations(Translator& to) {
  const std::span<const LayerKind> kinds = kinds_of(to.type.layers, to.stated.layers.alike);
  const double base = to.keys.number("rope.freq_base").value_or(kDefaultBase);
  const int64_t turning = to.keys.integer(kTurning).value_or(head_dim(to, LayerKind{}).value_or(0));
  const bool latent = to.type.latent.rope_dim > 0;
  StatedRope scaling = gguf_scaling(to.keys, base, turning / 2, latent);
  scaling.rope_type.value = rope_type_of_code(*scaling.rope_type, to.type.yarn_type);
  set_truncate(to, scaling);
  to.stated.states_each_kind = !turn_alike(kinds) || windows_differ(to.keys);
  for (const LayerKind& kind : kinds) {
    StatedKind& own = to.stated.kinds.emplace_back();
    if (!kind.rotates) continue;
    if (kind.takes_rope_scaling) own.rope = scaling;
    if (!own.rope.rope_type) {
      own.rope.rope_type.source = "default: rope.scaling speaks for other kinds of layers";
    }
    own.rope.place = fmt::format("{}: {}.rope", to.keys.file().label(), to.keys.architecture());
    const bool own_base = to.keys.number("rope.freq_base_swa") || kind.rope_theta != 0;
    own.rope.rope_theta = to.keys.said_number(
        is_windowed(kind) && own_base ? "rope.freq_base_swa" : "rope.freq_base", kRopeTheta);
    if (is_windowed(kind)) {
      own.head_dim = to.keys.said_integer("attention.key_length_swa", kHeadDim);
    }
    if (!latent) own.rotary_dim = said_turning(to, kind, own.rope);
  }
}

// Then the file says which, whatever the rule of the model type.
bool some_layer_does_not_attend(GgufKeys& keys) {
  for (const char* name : {"attention.head_count", "attention.head_count_kv"}) {
    const auto counts = keys.integers(name);
    if (counts && std::find(counts->begin(), counts->end(), 0) != counts->end()) return true;
  }
  return keys.integers("attention.recurrent_layers").has_value();
}

// Without a window all layers are alike, as in MobileLLM, which is a llama4 to llama.cpp.
bool all_alike(GgufKeys& keys, const LayerRule& rule) {
  const auto window = keys.integer("attention.sliding_window");
  const bool windows = std::any_of(rule.kinds.begin(), rule.kinds.end(), is_windowed);
  return some_layer_does_not_attend(keys) || (window == 0 && (windows || !rule.rotates.empty())) ||
         (window.value_or(0) == 0 && find_key(rule, LayerKey::alike_if_null) != nullptr);
}

}  // namespace

bool states_windows(GgufKeys& keys) { return keys.file().metadata().contains(keys.key(kPattern)); }

StatedModel stated_model(GgufKeys& keys, const ModelType& type, bool rotates,
                         ModelEncoding& findings) {
  Translator to{keys, type, findings, {.label = keys.file().label()}};
  to.stated.layers.alike = all_alike(keys, type.layers);
  read_size(to);
  read_windows(to);
  if (rotates) read_rotations(to);
  to.stated.attention = gguf_attention(keys, type, to.stated, head_dim(to, LayerKind{}));
  to.stated.index_head_dim = keys.said_integer("attention.indexer.key_length", kHeadDim);
  return std::move(to.stated);
}

}  // namespace ropewalk
