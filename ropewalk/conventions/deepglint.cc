// DeepGlint. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    vision_tower({"mlcd_vision_model", "MLCDVisionConfig", {1664, 16, 48}, &kVisionRows}),
    vision_tower({"mlcd", "MLCDVisionConfig", {1664, 16, 48}, &kVisionRows}),
};

}  // namespace

constinit const Family family::deepglint{.name = "deepglint", .types = kTypes};

}  // namespace ropewalk
