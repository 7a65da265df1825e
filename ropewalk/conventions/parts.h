#pragma once

#include <cstdint>
#include <string_view>

#include "ropewalk/conventions/position_rules.h"
#include "ropewalk/encoding/patch_grid.h"
#include "ropewalk/encoding/terms.h"

namespace ropewalk {

// How a vision tower turns the patches of a grid: each axis has the frequencies
//   inv_freq_i = rope_theta^(-2i / d)
// with d = head_dim/2 for two axes and 2 floor(head_dim/6) for three, the channels that are left
// pass.
struct VisionRope {
  Pairing pairing = Pairing::half_split;
  // strided: both axes share the list of the whole head. alternating: they take turns.
  MropeOrder order = MropeOrder::contiguous;
  int64_t axes = 2;
  double rope_theta = 10000;
  bool window_per_axis = false;  // pairs lie within the axis's own channels
  // How its patches are numbered; .merge is the default where the file has no such key.
  PatchGrid patches = {};
  std::string_view merge_key = {};  // "": no key changes .merge
  LearnedRule table = {};           // added to the patches beside the rotation; no tensor: none
  bool frame_sines = false;         // sines of its frame are added to a patch of a film: Kimi-K2.5
};

// Qwen2-VL, Qwen2.5-VL, Qwen3-VL, GLM-4V, ...: the first half of the pairs of a head is turned by
// the row of the patch, the other half by the column.
// Source: Qwen2VLVisionRotaryEmbedding of transformers' modeling_qwen2_vl.py; for the patches,
// forward of each tower, get_vision_position_ids of vision_utils.py, Gemma 4's image processor.
inline constexpr VisionRope kVisionGrid{.patches = {.merge = 2}, .merge_key = "spatial_merge_size"};
inline constexpr VisionRope kQwen3Vision{.patches = {.merge = 2},
                                         .merge_key = "spatial_merge_size",
                                         .table = {.tensor = "pos_embed.weight",
                                                   .rows = {"num_position_embeddings", 2304},
                                                   .resampling = Resampling::bilinear_corners}};
inline constexpr VisionRope kGlmVision{.patches = {.merge = 2},
                                       .merge_key = "spatial_merge_size",
                                       .table = {.tensor = "embeddings.position_embedding.weight",
                                                 .resampling = Resampling::bicubic,
                                                 .picture = {.image = 336, .patch = 14}}};
// MLCD, whose class token, which is first, turns by learned angles.
inline constexpr VisionRope kVisionRows{};
inline constexpr VisionRope kPaddleVision{
    .table = {.tensor = "embeddings.position_embedding.weight",
              .resampling = Resampling::bilinear,
              .picture = {.image = 384, .patch = 14}}};
// Each picture comes with a merge of its own.
inline constexpr VisionRope kVideoLlamaVision{.patches = {.merge = 0}};
inline constexpr VisionRope kMuseVision{.patches = {.axes = PatchAxes::wh, .first = 1},
                                        .table = {.tensor = "position_embedding_table.weight",
                                                  .rows = {"pos_emb_height", 32},
                                                  .columns = {"pos_emb_width", 32},
                                                  .resampling = Resampling::bilinear_zeros}};
inline constexpr VisionRope kPixtralVision{.order = MropeOrder::strided};
inline constexpr VisionRope kLlama4Vision{
    .pairing = Pairing::interleaved,
    .patches = {.axes = PatchAxes::wh, .first = 1, .class_token = true},
    .table = {.tensor = "positional_embedding_vlm",
              .picture = {.image = 448, .patch = 14, .more = 1}}};
inline constexpr VisionRope kGemma4Vision{.rope_theta = 100,
                                          .window_per_axis = true,
                                          .patches = {.axes = PatchAxes::wh},
                                          .table = {.tensor = "position_embedding_table",
                                                    .rows = {"position_embedding_size", 10240},
                                                    .tables = 2}};
inline constexpr VisionRope kKimiVision{.order = MropeOrder::alternating,
                                        .patches = {.axes = PatchAxes::wh},
                                        .table = {.tensor = "pos_emb.position_embeddings",
                                                  .rows = {"pos_emb_height", 64},
                                                  .columns = {"pos_emb_width", 64},
                                                  .resampling = Resampling::bicubic},
                                        .frame_sines = true};
inline constexpr VisionRope kMiniMaxVision{
    .axes = 3, .patches = {.axes = PatchAxes::thw, .merge = 2}, .merge_key = "spatial_merge_size"};
// SAM 2 and its kin on video: the attention to memory turns as a tower does.
inline constexpr VisionRope kMemoryAttention{.pairing = Pairing::interleaved,
                                             .patches = {.axes = PatchAxes::wh}};

// How a model counts the tokens of its pictures, by keys of /vision_config.
struct MropeRule {
  int64_t spatial_merge = 2;  // without /spatial_merge_size
  IntegerKey temporal_merge = {{}, 1};
  NumberKey tokens_per_second = {};
  bool frames_apart = false;
};
inline constexpr MropeRule kQwen2Mrope{};
inline constexpr MropeRule kQwen25Mrope{.tokens_per_second = {"tokens_per_second", 4}};
inline constexpr MropeRule kErnieMrope{.temporal_merge = {"temporal_merge_size", 2}};
// Timestamps stand between the frames.
inline constexpr MropeRule kFramesApart{.frames_apart = true};

// What else of a model knows positions, beside its layers of text.
struct Part {
  enum class Kind {
    vision_tower,  // of /vision_config, if the file has one
    indexer,       // chooses what to attend to: the first channels of /index_head_dim turn
    model,         // a model of its own, in the object under `key`
  };
  Kind kind = Kind::vision_tower;
  std::string_view name = {};  // "vision": of a model ...
  std::string_view key = {};   // ... in this object: "vision_config" ...
  std::string_view type = {};  // ... of this model_type, if it names none
  const VisionRope* tower = nullptr;
  // Only where /vision_config/model_type is this: other models of the same type have other towers,
  // without rotation.
  std::string_view tower_type = {};
  Pairing pairing = Pairing::half_split;  // of the indexer
  const MropeRule* mrope = nullptr;       // of the text that has the tower's pictures
};

inline constexpr Part kGridTower[] = {{.tower = &kVisionGrid}};
inline constexpr Part kQwen2Tower[] = {{.tower = &kVisionGrid, .mrope = &kQwen2Mrope}};
inline constexpr Part kQwen25Tower[] = {{.tower = &kVisionGrid, .mrope = &kQwen25Mrope}};
inline constexpr Part kQwen3Tower[] = {{.tower = &kQwen3Vision, .mrope = &kFramesApart}};
inline constexpr Part kErnieTower[] = {{.tower = &kVisionGrid, .mrope = &kErnieMrope}};
inline constexpr Part kGlmTower[] = {{.tower = &kGlmVision, .mrope = &kFramesApart}};
inline constexpr Part kGlmOcrTower[] = {{.tower = &kVisionGrid, .mrope = &kFramesApart}};
inline constexpr Part kPaddleTower[] = {{.tower = &kPaddleVision, .mrope = &kQwen2Mrope}};
// Beside the sound of Qwen3-Omni, whose tokens count by seconds.
inline constexpr Part kQwen3OmniTower[] = {{.tower = &kQwen3Vision}};
inline constexpr Part kMuseTower[] = {{.tower = &kMuseVision}};
inline constexpr Part kPixtralTower[] = {{.tower = &kPixtralVision, .tower_type = "pixtral"}};
inline constexpr Part kLlama4Tower[] = {{.tower = &kLlama4Vision}};
inline constexpr Part kGemma4Tower[] = {{.tower = &kGemma4Vision}};
inline constexpr Part kKimiTower[] = {{.tower = &kKimiVision}};
inline constexpr Part kMiniMaxTower[] = {{.tower = &kMiniMaxVision}};
inline constexpr Part kHalfSplitIndexer[] = {{.kind = Part::Kind::indexer}};
inline constexpr Part kInterleavedIndexer[] = {
    {.kind = Part::Kind::indexer, .pairing = Pairing::interleaved}};

}  // namespace ropewalk
