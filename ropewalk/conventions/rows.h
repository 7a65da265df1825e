#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ropewalk/conventions/model_type.h"

namespace ropewalk {

// Rows of many models that differ in few things.

// The place of a config_class whose defaults nobody here has seen: what a file does not state is a
// guess, and evidence says so.
inline constexpr std::string_view kNotRead = "its class, which was not read";

// A type whose code is that of another, under names of its own, with what else it has of its own.
// What is not said is that of the other.
struct OwnNames {
  std::string_view name, architecture, config_class;
  ModelType::Size size = {};
  int64_t head_dim = -1, kv_heads = -1, max_positions = -1, window = -1;
  double rope_theta = 0;
  std::optional<LayerRule> layers = {};
  std::optional<MultiAxis> multi_axis = {};
  std::optional<AttentionRule> attention = {};
  std::optional<WeightNames> weights = {};
  GgufForm gguf = {};
  Special special = Special::none;
};
constexpr ModelType like(ModelType row, const OwnNames& own) {
  row.name = own.name;
  row.architecture = own.architecture;
  row.config_class = own.config_class;
  if (own.size.layers > 0) row.size = own.size;
  if (own.head_dim >= 0) row.head_dim = own.head_dim;
  if (own.kv_heads >= 0) row.kv_heads = own.kv_heads;
  if (own.max_positions >= 0) row.max_positions = own.max_positions;
  if (own.rope_theta > 0) row.rope_theta = own.rope_theta;
  if (own.layers) row.layers = *own.layers;
  if (own.multi_axis) row.multi_axis = *own.multi_axis;
  if (own.attention) row.attention = *own.attention;
  if (own.weights) row.weights = *own.weights;
  if (own.window >= 0) row.attention.window.value = own.window;
  row.gguf = own.gguf;
  if (own.special != Special::none) row.special = own.special;
  return row;
}

// A model whose positions are weights of its checkpoint.
struct LearnedRow {
  std::string_view name, architecture, config_class;
  ModelType::Size size = {};
  int64_t max_positions = 0;
  LearnedRule learned = {};
  std::string_view max_positions_key = {};
  std::span<const KeyAlias> aliases = {};
  Positions positions = Positions::learned;
  Mask mask = Mask::full;
  std::string_view remark = {};
};
// Without a size its layers are not described.
constexpr ModelType learned_table(const LearnedRow& row) {
  return {.name = row.name,
          .architecture = row.architecture,
          .config_class = row.config_class,
          .aliases = row.aliases,
          .size = row.size,
          .has_layers = row.size.layers > 0,
          .max_positions = row.max_positions,
          .max_positions_key = row.max_positions_key,
          .positions = row.positions,
          .learned = row.learned,
          .attention = {.mask = row.mask},
          .remark = row.remark};
}

// Nothing encodes position: the order is in what the layers are (convolutions, recurrence), or
// there is none.
constexpr ModelType without_positions(std::string_view name, std::string_view architecture,
                                      std::string_view config_class, std::string_view why) {
  return {.name = name,
          .architecture = architecture,
          .config_class = config_class,
          .has_layers = false,
          .max_positions = 0,
          .positions = Positions::none,
          .remark = why,
          .encoding = "none"};
}
inline constexpr std::string_view kConvolutionsAlone = "its layers are convolutions";
inline constexpr std::string_view kRecurrenceAlone = "its layers are recurrent";
inline constexpr std::string_view kNoOrder = "nothing of it depends on the order";

// Features of places, beside layers that are not described here.
constexpr ModelType with_features(std::string_view name, std::string_view architecture,
                                  std::string_view config_class, FeatureForm features,
                                  std::span<const Part> parts = {}) {
  return {.name = name,
          .architecture = architecture,
          .config_class = config_class,
          .has_layers = false,
          .max_positions = 0,
          .positions = Positions::features,
          .features = features,
          .parts = parts};
}

// Learned terms of distances. Without a size its layers are not described.
struct RelativeRow {
  std::string_view name, architecture, config_class;
  ModelType::Size size = {};
  int64_t max_positions = 0;
  LearnedRule learned = {};
  RelativeRule relative = {};
  std::span<const KeyAlias> aliases = {};
  OnlyIf only_if = {};
};
constexpr ModelType relative_terms(const RelativeRow& row) {
  return {.name = row.name,
          .architecture = row.architecture,
          .config_class = row.config_class,
          .aliases = row.aliases,
          .size = row.size,
          .has_layers = row.size.layers > 0,
          .max_positions = row.max_positions,
          .positions = Positions::relative,
          .only_if = row.only_if,
          .learned = row.learned,
          .relative = row.relative,
          .attention = {.mask = Mask::full}};
}

// A model of several parts, of which `part` is the one that is read first.
struct PartsRow {
  std::string_view name, architecture, config_class;
  std::string_view part, part_type;
  std::span<const Part> parts = {};
};
constexpr ModelType model_of_parts(const PartsRow& row) {
  return {.name = row.name,
          .architecture = row.architecture,
          .config_class = row.config_class,
          .part = row.part,
          .part_type = row.part_type,
          .parts = row.parts};
}
constexpr Part part_model(std::string_view name, std::string_view key, std::string_view type) {
  return {.kind = Part::Kind::model, .name = name, .key = key, .type = type};
}

// Known, and refused for a reason.
constexpr ModelType refused(std::string_view name, std::string_view architecture,
                            std::string_view config_class, std::string_view why) {
  return {.name = name,
          .architecture = architecture,
          .config_class = config_class,
          .max_positions = 0,
          .positions = Positions::other,
          .remark = why,
          .encoding = "refused"};
}

// A table of sines and cosines, as `table` says.
constexpr ModelType sinusoidal_table(std::string_view name, std::string_view architecture,
                                     std::string_view config_class, int64_t max_positions,
                                     SinusoidalRule table, std::string_view encoding) {
  return {.name = name,
          .architecture = architecture,
          .config_class = config_class,
          .max_positions = max_positions,
          .positions = Positions::sinusoidal,
          .sinusoidal = table,
          .encoding = encoding};
}

inline constexpr std::string_view kEncoderAndDecoder = "input of encoder and decoder";
inline constexpr SinusoidalRule kFairseqTable{.part = kEncoderAndDecoder,
                                              .layout = SinusoidalLayout::fairseq,
                                              .first = FirstRow::after_padding};
inline constexpr std::string_view kSinCosAdded = "sinusoidal sin_cos, added to the input";
inline constexpr std::string_view kFairseqAdded = "sinusoidal fairseq, added to the input";
inline constexpr std::string_view kSinusoidalByKey =
    "sinusoidal interleaved by a key, else a learned table";

// A vision tower that has a config of its own: the grid of Qwen2-VL, or another one.
struct TowerRow {
  std::string_view name, config_class;
  ModelType::Size size;
  const VisionRope* tower = &kVisionGrid;
  std::string_view encoding =
      "RoPE half_split, rows on the first half of the pairs, columns on the second";
  Special special = Special::vision_tower;
};
constexpr ModelType vision_tower(const TowerRow& row) {
  return {.name = row.name,
          .config_class = row.config_class,
          .size = row.size,
          .max_positions = 0,
          .pairing = row.tower->pairing,
          .encoding = row.encoding,
          .special = row.special,
          .tower = row.tower};
}
constexpr ModelType memory_attention(std::string_view name, std::string_view config_class,
                                     int64_t layers) {
  return vision_tower({name,
                       config_class,
                       {256, 1, layers},
                       &kMemoryAttention,
                       "RoPE interleaved in the attention to memory, columns on the first half of "
                       "the head, rows on the second",
                       Special::memory_attention});
}

// A tower that is known, and whose angles are no rotation by integer positions.
constexpr ModelType refused_tower(std::string_view name, std::string_view config_class,
                                  std::string_view why, std::string_view encoding) {
  return {.name = name,
          .config_class = config_class,
          .max_positions = 0,
          .positions = Positions::other,
          .remark = why,
          .encoding = encoding};
}
inline constexpr std::string_view kFractionalCoordinates =
    "its angles are 2 pi c theta^(-4k/head_dim) for coordinates c in -1..1: on n rows, the "
    "position 2i + 1 - n of row i with the frequencies 2 pi theta^(-4k/head_dim) / n, which depend "
    "on the picture; spectrum_from_inv_freq takes them";

// A transformer of diffusers, whose config.json names the class under /_class_name.
struct DiffusionRow {
  std::string_view name;
  double rope_theta;
  const AxesRule* axes = nullptr;
  std::string_view encoding = "RoPE interleaved, 3 axes with channels of their own";
  std::string_view remark = {};
  Pairing pairing = Pairing::interleaved;
  OnlyIf only_if = {};
  Special special = Special::diffusion;
};
constexpr ModelType diffusion(const DiffusionRow& row) {
  return {.name = row.name,
          .config_class = row.name,
          .max_positions = 0,
          .pairing = row.pairing,
          .rope_theta = row.rope_theta,
          .only_if = row.only_if,
          .remark = row.remark,
          .encoding = row.encoding,
          .special = row.special,
          .axes = row.axes};
}
inline constexpr std::string_view kAxesOfTheKey =
    "RoPE interleaved, axes with channels of their own by a key";
inline constexpr std::string_view kImageIds = "first id, row, column; text has zeros";
inline constexpr AxesRule kFluxAxes{
    .dims_key = "axes_dims_rope", .dims = {16, 56, 56}, .axes_in_words = kImageIds};
// Wan and what grew from it.
inline constexpr AxesRule kWanAxes{.of_head = AxesRule::Dims::thirds};

}  // namespace ropewalk
