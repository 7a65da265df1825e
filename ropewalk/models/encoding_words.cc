#include <fmt/format.h>

#include "ropewalk/models/declared_reader.h"

namespace ropewalk {

std::string encoding_in_words(const ModelType& type) {
  if (!type.encoding.empty()) return std::string(type.encoding);
  switch (type.positions) {
    case Positions::learned:
      return "a learned table, added to the input";
    case Positions::buckets:
      return "learned numbers for buckets of distances, added to the scores";
    case Positions::relative:
      return fmt::format("learned terms of distances in the scores ({})", name(type.relative.form));
    case Positions::convolution:
      return "a convolution, added to the input";
    case Positions::features:
      return fmt::format("features of places ({})", name(type.features));
    default:
      break;
  }
  std::string words = fmt::format("RoPE {}", name(type.pairing));
  if (type.latent.rope_dim > 0) {
    words += fmt::format(" on the last {} channels", type.latent.rope_dim);
  } else if (type.rotary_dim > 0) {
    words += fmt::format(" on the first {} channels", type.rotary_dim);
  } else if (type.fraction == Fraction::leading && type.rotary_fraction < 1) {
    words += fmt::format(" on the first {} of the head", type.rotary_fraction);
  } else {
    words += " on the whole head";
  }
  if (type.multi_axis.axes > 0) words += fmt::format(", {} axes", type.multi_axis.axes);
  for (const LayerKind& kind : type.layers.kinds) {
    if (!kind.rotates) words += fmt::format(", none in {}", kind.name);
  }
  if (const std::string_view rotates = type.layers.rotates; !rotates.empty()) {
    words += fmt::format(", none in one layer of {}", rotates.size() - rotates.starts_with('<'));
  }
  return words;
}

}  // namespace ropewalk
