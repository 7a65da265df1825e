#include "ropewalk/models/declared_reader.h"

#include <fmt/format.h>

#include "ropewalk/dialects/transformers.h"
#include "ropewalk/dialects/transformers_attention.h"
#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/resolve.h"
#include "ropewalk/models/resolve_size.h"

namespace ropewalk {

void read_declared(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  resolve(stated_model(config, type), type, defaults_of(type), model);
}

void read_heads(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  StatedModel stated{.label = config.label(), .is_part = config.is_part()};
  stated.size = stated_size(config, type);
  stated.latent = stated_latent(config, type);
  resolve_size(stated, type, defaults_of(type), model);
}

void read_attention(ConfigReader& config, ModelEncoding& model, const ModelType& type,
                    std::span<const LayerFacts> facts) {
  StatedModel stated{.label = config.label()};
  stated.latent = stated_latent(config, type);
  stated.attention = stated_attention(config, type);
  resolve_attention(stated, type, defaults_of(type), model, facts);
}

}  // namespace ropewalk
