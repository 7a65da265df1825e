#pragma once

#include <span>
#include <string_view>

#include "ropewalk/models/config_reader.h"
#include "ropewalk/models/model_type.h"

namespace ropewalk {

// What ropewalk knows about one family of models. Constant data: there is nothing to register.
struct Family {
  std::string_view name;
  std::span<const ModelType> types;
  // Keys that hint at the family where the file does not name it. Only for a message: nothing is
  // ever decided by them.
  std::span<const std::string_view> telltale_keys = {};
  std::string_view encoding = {};  // for a list of the families
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

// A model type and its family.
struct KnownType {
  const Family* family = nullptr;
  const ModelType* type = nullptr;
};

// By the value of /model_type; both null for one that is not known.
KnownType find_model_type(std::string_view name);

// The same for a name that the user gave: throws invalid_argument.
KnownType known_type(std::string_view name);

// The type that a config names. Throws unsupported or malformed naming what the file says, the
// nearest types there are, and what the file's keys suggest.
KnownType find_model_type(ConfigReader& config);

// Reads the model of a config of a known type, its parts too.
void read_model_type(ConfigReader& config, ModelEncoding& model, const KnownType& known);

}  // namespace ropewalk
