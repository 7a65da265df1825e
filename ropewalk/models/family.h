#pragma once

#include <span>
#include <string_view>

#include "ropewalk/models/config_reader.h"

namespace ropewalk {

// What ropewalk knows about one family of models. Constant data: there is nothing to register.
struct Family {
  std::string_view name;
  std::span<const std::string_view> model_types;  // values of /model_type
  std::span<const std::string_view>
      architectures;  // values of /architectures/0, for a file without model_type
  // Keys that hint at the family where the file does not name it. Only for a message: nothing is
  // ever decided by them.
  std::span<const std::string_view> telltale_keys;
  std::string_view encoding;  // for a list of the families
  void (*read)(ConfigReader& config, ModelEncoding& model);
};

// Each line of models.inc declares one family here. Its file defines it by its qualified name,
// which does not compile without the line; and a line without a file does not link.
namespace family {
#define ROPEWALK_FAMILY(name) extern const Family name;
#include "ropewalk/models/models.inc"
#undef ROPEWALK_FAMILY
}  // namespace family

// In the order of models.inc.
std::span<const Family* const> all_families();

// The family that a config names. Throws unsupported or malformed naming what the file says, the
// families there are, and what the file's keys suggest.
const Family& find_family(ConfigReader& config);

}  // namespace ropewalk
