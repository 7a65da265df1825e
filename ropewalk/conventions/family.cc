#include "ropewalk/conventions/family.h"

#include "ropewalk/conventions/other_names.h"

namespace ropewalk {
namespace {

#define ROPEWALK_FAMILY(name) &family::name,
constexpr const Family* kFamilies[] = {
#include "ropewalk/conventions/conventions.inc"
};
#undef ROPEWALK_FAMILY

}  // namespace

std::span<const Family* const> all_families() { return kFamilies; }

KnownType find_model_type(std::string_view name) {
  const std::string_view other = type_of_other_name(other_model_types(), name);
  if (!other.empty()) name = other;
  for (const Family* family : all_families()) {
    for (const ModelType& type : family->types) {
      if (type.name == name) return {family, &type};
    }
  }
  return {};
}

}  // namespace ropewalk
