#include "ropewalk/models/special/specials.h"
#include "ropewalk/models/vision.h"

namespace ropewalk {

void special::vision_tower(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_vision(config, model, type, *type.tower);
}

}  // namespace ropewalk
