#include "ropewalk/models/declared_reader.h"
#include "ropewalk/models/defaults.h"
#include "ropewalk/models/special/specials.h"

namespace ropewalk {

// The attention that layers share sees the hidden state beside the input: heads twice as wide.
void special::zamba2(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  ModelType wide = type;
  if (!config.has("attention_head_dim")) {
    const auto hidden = config.find_integer("hidden_size", kHiddenSize);
    const auto heads = config.find_integer("num_attention_heads", kHeadCount);
    if (hidden && heads) wide.head_dim = 2 * *hidden / *heads;
  }
  read_declared(config, model, wide);
}

}  // namespace ropewalk
