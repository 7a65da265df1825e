#include "ropewalk/models/vision.h"

#include <fmt/format.h>

namespace ropewalk {

void add_vision_grid(ConfigReader& config, ModelEncoding& model) {
  std::optional<ConfigReader> vision = config.find_object("vision_config");
  if (!vision) return;
  // Qwen2-VL calls the tower's own size embed_dim, and hidden_size that of the text.
  const std::string_view size_key = vision->has("embed_dim") ? "embed_dim" : "hidden_size";
  const auto size = vision->find_integer(size_key, kHiddenSize);
  const std::string_view heads_key =
      vision->first_of({"num_heads", "num_attention_heads"}).value_or("num_heads");
  const auto heads = vision->find_integer(heads_key, kHeadCount);
  if (!size || !heads) {
    config.warn(fmt::format("{} does not state its size, so it is left out",
                            config.pointer_to("vision_config")));
    return;
  }
  const int64_t head_dim = *size / *heads;
  if (*size % *heads != 0 || head_dim % 4 != 0) {
    vision->refuse(ErrorCode::malformed, size_key,
                   fmt::format("expected a head_dim that is a multiple of 4 (two axes of pairs), "
                               "found {} / {} heads",
                               *size, *heads));
  }
  RopeConfig rope;
  rope.rotary_dim = head_dim / 2;
  rope.position_axes = 2;
  rope.layout = {head_dim, {{0, head_dim, Pairing::half_split}}};
  vision->note("vision head_dim", fmt::to_string(head_dim),
               fmt::format("derived: {} / {}", size_key, heads_key));
  vision->note("vision axes", "row, then column", "family: rot_pos_emb of the vision tower");
  model.others.push_back({"vision", rope});
}

}  // namespace ropewalk
