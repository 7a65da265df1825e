#pragma once

#include "ropewalk/conventions/model_type.h"
#include "ropewalk/dialects/config_reader.h"

namespace ropewalk {

// Each line of specials.inc declares one reader here. Its file defines it by its qualified name,
// which does not compile without the line; and a line without a file does not link.
namespace special {
#define ROPEWALK_SPECIAL(name) \
  void name(ConfigReader& config, ModelEncoding& model, const ModelType& type);
#include "ropewalk/conventions/specials.inc"
#undef ROPEWALK_SPECIAL
}  // namespace special

}  // namespace ropewalk
