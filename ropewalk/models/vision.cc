#include "ropewalk/models/vision.h"

#include <fmt/format.h>

#include "ropewalk/dialects/notes.h"
#include "ropewalk/models/declared_reader.h"
#include "ropewalk/models/defaults.h"
#include "ropewalk/models/dimensions.h"
#include "ropewalk/models/input_reader.h"
#include "ropewalk/models/rope_keys.h"

namespace ropewalk {
namespace {

constexpr IntegerRule kMerge{1, 1024};
constexpr NumberRule kPace{"a number in 0..1e9",
                           [](double value) { return value >= 0 && value <= 1e9; }};
constexpr std::string_view kCode = "family: rot_pos_emb of the vision tower";
constexpr std::string_view kTower = "family: the code of the vision tower";

// Qwen2-VL calls the tower's own size embed_dim, and hidden_size that of the text.
std::string_view size_key(const ConfigReader& vision) {
  return vision.has("embed_dim") ? "embed_dim" : "hidden_size";
}

double base_of(ConfigReader& vision, const VisionRope& tower) {
  constexpr std::string_view kKey = "rope_theta";
  auto theta = vision.find_number(kKey, kRopeTheta);
  std::string source = vision.source(kKey);
  if (std::optional<ConfigReader> block = vision.find_object("rope_parameters"); block && !theta) {
    theta = block->find_number(kKey, kRopeTheta);
    source = block->source(kKey);
  }
  if (!theta) source = kTower;
  vision.note("vision rope_theta", fmt::to_string(theta.value_or(tower.rope_theta)), source);
  return theta.value_or(tower.rope_theta);
}

RopeConfig rope_of(ConfigReader& vision, const VisionRope& tower, int64_t head_dim) {
  RopeConfig rope;
  rope.rope_theta = base_of(vision, tower);
  rope.position_axes = tower.axes;
  rope.mrope_order = tower.order;
  rope.rotary_dim = tower.axes == 2 ? head_dim / 2 : 2 * (head_dim / 6);
  const int64_t turning = tower.axes * rope.rotary_dim;
  rope.layout.head_dim = head_dim;
  for (int64_t axis = 0; tower.window_per_axis && axis < tower.axes; ++axis) {
    rope.layout.windows.push_back({axis * rope.rotary_dim, rope.rotary_dim, tower.pairing});
  }
  if (!tower.window_per_axis) rope.layout.windows = {{0, turning, tower.pairing}};
  if (tower.order == MropeOrder::strided) {
    rope.mrope_section.assign(static_cast<size_t>(tower.axes), rope.rotary_dim / 2);
    rope.rotary_dim = turning;
  }
  vision.note("vision axes", std::string(in_words(tower.patches.axes)), std::string(kCode));
  return rope;
}

PatchGrid patches_of(ConfigReader& vision, const VisionRope& tower) {
  PatchGrid patches = tower.patches;
  if (!tower.merge_key.empty()) {
    patches.merge = vision.integer("vision merge", {tower.merge_key}, kMerge,
                                   {{tower.patches.merge, "default of the vision tower"}});
  }
  if (patches.first != 0) {
    vision.note("vision first", fmt::to_string(patches.first), std::string(kCode));
  }
  if (patches.class_token) vision.note("vision class token", "does not turn", std::string(kCode));
  return patches;
}

// What a tower adds to its patches beside the rotation, under the name of its part, or its own.
void add_tables(ConfigReader& vision, ModelEncoding& model, const VisionRope& tower,
                TableOwner owner, std::string_view part) {
  owner.code = kTower;
  if (!tower.table.tensor.empty()) {
    model.others.push_back(
        {fmt::format("{}input", part), read_learned_rule(vision, tower.table, owner)});
  }
  if (tower.frame_sines) {
    model.others.push_back(
        {fmt::format("{}frames", part),
         SinusoidalConfig{.d_model = owner.width, .layout = SinusoidalLayout::sin_cos}});
  }
}

// Two axes of pairs need a multiple of 4, three at least 6 channels.
void check_head_dim(const ConfigReader& vision, const VisionRope& tower, int64_t head_dim,
                    const std::string& found) {
  if (tower.axes == 2 ? head_dim >= 4 && head_dim % 4 == 0 : head_dim >= 6) return;
  vision.refuse(ErrorCode::malformed, size_key(vision),
                fmt::format("expected a head_dim that is {}, found {}",
                            tower.axes == 2 ? "a multiple of 4 (two axes of pairs)"
                                            : "at least 6 (three axes of pairs)",
                            found));
}

}  // namespace

void add_vision(ConfigReader& config, ModelEncoding& model, const VisionRope& tower) {
  std::optional<ConfigReader> vision = config.find_object("vision_config");
  if (!vision) return;
  const auto size = vision->find_integer(size_key(*vision), kHiddenSize);
  const std::string_view heads_key =
      vision->first_of({"num_heads", "num_attention_heads"}).value_or("num_heads");
  const auto heads = vision->find_integer(heads_key, kHeadCount);
  auto head_dim = vision->find_integer("head_dim", kHeadDim);
  if (!head_dim && (!size || !heads)) {
    config.warn(fmt::format("{} does not state its size, so it is left out",
                            config.pointer_to("vision_config")));
    return;
  }
  std::string found = fmt::to_string(head_dim.value_or(0));
  std::string source = vision->source("head_dim");
  if (!head_dim) {
    head_dim = *size % *heads == 0 ? *size / *heads : 0;
    found = fmt::format("{} / {} heads", *size, *heads);
    source = fmt::format("derived: {} / {}", size_key(*vision), heads_key);
  }
  check_head_dim(*vision, tower, *head_dim, found);
  vision->note("vision head_dim", fmt::to_string(*head_dim), source);
  model.others.push_back({"vision", rope_of(*vision, tower, *head_dim)});
  model.patches = patches_of(*vision, tower);
  add_tables(
      *vision, model, tower,
      {.width = size.value_or(0), .defaults = "default of the vision tower", .prefix = "vision "},
      "vision ");
}

void add_mrope(ConfigReader& config, ModelEncoding& model, const MropeRule& rule) {
  std::optional<ConfigReader> vision = config.find_object("vision_config");
  if (!vision) return;
  constexpr std::string_view kMergeKey = "spatial_merge_size";
  const auto merge = vision->find_integer(kMergeKey, kMerge);
  MropeRules rules{.spatial_merge = merge.value_or(rule.spatial_merge),
                   .temporal_merge = rule.temporal_merge.value,
                   .frames_apart = rule.frames_apart};
  // Otherwise the tower's patches have said it.
  if (!model.patches || model.patches->merge != rules.spatial_merge) {
    vision->note("vision merge", fmt::to_string(rules.spatial_merge),
                 merge ? vision->source(kMergeKey) : "default of the vision tower");
  }
  if (!rule.temporal_merge.key.empty()) {
    rules.temporal_merge =
        vision->integer("vision temporal merge", {rule.temporal_merge.key}, kMerge,
                        {{rule.temporal_merge.value, "default of the vision tower"}});
  }
  if (!rule.tokens_per_second.key.empty()) {
    const std::string_view key = rule.tokens_per_second.key;
    const auto stated = vision->find_number(key, kPace);
    rules.tokens_per_second = stated.value_or(rule.tokens_per_second.value);
    vision->note("tokens per second", fmt::to_string(rules.tokens_per_second),
                 stated ? vision->source(key) : "default of the vision tower");
  }
  if (rules.frames_apart) {
    vision->note("frames of a video", "apart, a timestamp before each",
                 "family: get_rope_index of the model");
  }
  model.mrope = rules;
}

void read_vision(ConfigReader& config, ModelEncoding& model, const ModelType& type,
                 const VisionRope& tower, const Said<int64_t>& size) {
  const std::string reason = default_of(type);
  model.hidden_size = settled(model, "hidden_size",
                              size ? size : config.said_integer(size_key(config), kHiddenSize),
                              kHiddenSize, {{type.size.hidden_size, reason}});
  model.heads = config.integer("heads", {"num_heads", "num_attention_heads"}, kHeadCount,
                               {{type.size.heads, reason}});
  model.kv_heads = model.heads;
  const int64_t layers = config.integer("layers", {"depth", "num_hidden_layers"}, kLayerCount,
                                        {{type.size.layers, reason}});
  if (const auto stated = config.find_integer("head_dim", kHeadDim)) {
    model.head_dim = *stated;
    config.note("head_dim", fmt::to_string(*stated), config.source("head_dim"));
  } else {
    model.head_dim = derived_head_dim(config, model);
  }
  check_head_dim(config, tower, model.head_dim, fmt::to_string(model.head_dim));
  model.layers.resize(static_cast<size_t>(layers));
  set_positions(model, rope_of(config, tower, model.head_dim));
  model.patches = patches_of(config, tower);
  add_tables(config, model, tower, {.width = model.hidden_size, .defaults = reason}, "");
  config.note("pairing", std::string(name(tower.pairing)),
              fmt::format("family: the code of {}", type.name));
}

}  // namespace ropewalk
