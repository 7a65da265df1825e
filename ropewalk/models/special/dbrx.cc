#include <fmt/format.h>

#include "ropewalk/models/declared_reader.h"
#include "ropewalk/models/special/specials.h"

namespace ropewalk {

// DBRX keeps what its attention needs in an object of its own; so did transformers 4 the base.
void special::dbrx(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  ModelType stated = type;
  if (std::optional<ConfigReader> attention = config.find_object("attn_config")) {
    stated.kv_heads = attention->integer("kv_heads", {"kv_n_heads"}, kHeadCount,
                                         {{1, "default of DbrxAttentionConfig"}});
    if (const auto heads = config.find_integer("n_heads", kHeadCount);
        heads && *heads % stated.kv_heads != 0) {
      attention->refuse(ErrorCode::malformed, "kv_n_heads",
                        fmt::format("expected a divisor of the {} attention heads, found {}",
                                    *heads, stated.kv_heads));
    }
    stated.theta_key = "attn_config/rope_theta";
  }
  read_declared(config, model, stated);
}

}  // namespace ropewalk
