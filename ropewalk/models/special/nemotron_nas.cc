#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ropewalk/models/declared_reader.h"
#include "ropewalk/models/special/specials.h"

namespace ropewalk {

// Llama-Nemotron of NVIDIA: LLaMA's layers, some of them without attention, each with heads of k
// and v of its own. /block_configs/i/attention states n_heads_in_group, the query heads of each
// head of k, or null where the layer has none: no_op, or replace_with_linear.
// Source: modeling_decilm.py of nvidia/Llama-3_1-Nemotron-51B-Instruct.
void special::nemotron_nas(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_declared(config, model, type);
  const auto blocks = config.json().find("block_configs");
  if (blocks == config.json().end() || !blocks->is_array()) return;
  const auto refuse = [&](const std::string& what) {
    config.refuse(ErrorCode::malformed, "block_configs", what);
  };
  if (blocks->size() != model.layers.size()) {
    refuse(fmt::format("expected an entry for each of {} layers, found {}", model.layers.size(),
                       blocks->size()));
  }
  for (size_t i = 0; i < model.layers.size(); ++i) {
    const auto& block = (*blocks)[i];
    if (!block.is_object() || !block.contains("attention") || !block["attention"].is_object()) {
      refuse(fmt::format("expected an object with attention at {}, found another value", i));
    }
    const auto group = block["attention"].value("n_heads_in_group", nlohmann::ordered_json());
    if (group.is_null()) {
      model.layers[i] = {.mixer = Mixer::none};
      continue;
    }
    if (!group.is_number_integer() || group.get<int64_t>() < 1 ||
        model.heads % group.get<int64_t>() != 0) {
      refuse(fmt::format("expected a divisor of the {} attention heads at {}, found {}",
                         model.heads, i, group.dump()));
    }
    model.layers[i].kv_heads = model.heads / group.get<int64_t>();
  }
  config.note("kv_heads of a layer", "num_attention_heads / n_heads_in_group",
              config.source("block_configs"));
}

}  // namespace ropewalk
