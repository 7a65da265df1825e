#include "ropewalk/dialects/rope_rule.h"

#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {

std::string rope_type_of_code(const std::string& rope_type, std::string_view yarn_type) {
  return yarn_type.empty() || !scaling_traits(rope_type).yarn ? rope_type : std::string(yarn_type);
}

}  // namespace ropewalk
