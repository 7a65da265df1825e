#include "ropewalk/models/defaults.h"

#include <fmt/format.h>

namespace ropewalk {

double Defaults::theta_of(const LayerKind& kind) const {
  const bool own = kinds == Kinds::have_their_own || kind.windowed;
  return own && kind.rope_theta != 0 ? kind.rope_theta : rope_theta;
}

double Defaults::fraction_of(const LayerKind& kind) const {
  const bool own = kinds == Kinds::have_their_own && kind.rotary_fraction != 0;
  return own ? kind.rotary_fraction : rotary_fraction;
}

std::string default_of(const ModelType& type) {
  return fmt::format("default of {}", type.config_class);
}

Defaults defaults_of(const ModelType& type) {
  return {.code_name = std::string(type.name),
          .reason = default_of(type),
          .code = fmt::format("family: the code of {}", type.name),
          .size = type.size,
          .head_dim = type.head_dim,
          .kv_heads = type.kv_heads,
          .max_positions = type.max_positions,
          .rotary_dim = type.rotary_dim,
          .rope_theta = type.rope_theta,
          .fixed_theta = type.fixed_theta,
          .rotary_fraction = type.rotary_fraction,
          .rope = type.default_rope,
          .pairing = type.pairing,
          .writes_half_split = type.latent.writes_half_split,
          .key_decides = type.latent.key_decides};
}

Defaults llama_cpp_defaults(Pairing pairing) {
  return {.code_name = "llama.cpp",
          .reason = "default of llama.cpp",
          .code = "family: the code of llama.cpp",
          .pairing = pairing,
          .kinds = Defaults::Kinds::windows_have_a_base};
}

}  // namespace ropewalk
