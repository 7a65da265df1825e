#pragma once

#include <span>
#include <string_view>

#include "ropewalk/conventions/model_type.h"

namespace ropewalk {

// What ropewalk knows about one family of models. Constant data: there is nothing to register.
struct Family {
  std::string_view name;
  std::span<const ModelType> types;
  // Keys that hint at the family where the file does not name it. Only for a message: nothing is
  // ever decided by them.
  std::span<const std::string_view> telltale_keys = {};
};

// Each line of conventions.inc declares one family here. Its file defines it by its qualified name,
// which does not compile without the line; and a line without a file does not link.
namespace family {
#define ROPEWALK_FAMILY(name) extern const Family name;
#include "ropewalk/conventions/conventions.inc"
#undef ROPEWALK_FAMILY
}  // namespace family

// In the order of conventions.inc.
std::span<const Family* const> all_families();

// A model type and its family.
struct KnownType {
  const Family* family = nullptr;
  const ModelType* type = nullptr;
};

// By the value of /model_type, or another name of one; both null for one that is not known.
KnownType find_model_type(std::string_view name);

}  // namespace ropewalk
