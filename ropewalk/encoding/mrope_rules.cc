#include "ropewalk/encoding/mrope_rules.h"

namespace ropewalk {

std::string_view name(MropeNext next) { return next == MropeNext::side ? "side" : "largest"; }

}  // namespace ropewalk
