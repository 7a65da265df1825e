#include <fmt/format.h>

#include "ropewalk/models/check_scaling.h"
#include "ropewalk/models/declared_reader.h"
#include "ropewalk/models/defaults.h"
#include "ropewalk/models/rope_keys.h"
#include "ropewalk/models/special/diffusion.h"
#include "ropewalk/models/special/specials.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {

// Phi 3 with pictures: longrope whatever the type of the block says.
void special::omnigen(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_diffusion_size(config, model);
  const std::string reason = default_of(type);
  model.max_positions = config.integer("max_positions", {"max_position_embeddings"}, kPositionCount,
                                       {{131072, reason}});
  const auto keys = read_rope_keys(config, {.rope_theta = {type.rope_theta, reason},
                                            .theta_key = {},
                                            .theta_alias = "rope_base",
                                            .max_positions = model.max_positions});
  if (!keys || !reads_parameter(keys->rope_type, "short_factor")) {
    config.refuse(
        ErrorCode::malformed, "rope_scaling",
        fmt::format("expected a block of type su with a short_factor and a long_factor, found {}",
                    keys ? keys->rope_type : "none"));
  }
  RopeConfig rope;
  rope.rope_theta = keys->rope_theta;
  rope.rope_type = keys->rope_type;
  rope.parameters = keys->parameters;
  rope.lists = keys->lists;
  rope.rotary_dim = model.head_dim;
  rope.layout = {model.head_dim, {{0, model.head_dim, type.pairing}}};
  check_scaling(config, rope);
  config.note("pairing", std::string(name(type.pairing)),
              fmt::format("family: the code of {}", type.name));
  set_positions(model, rope);
}

}  // namespace ropewalk
