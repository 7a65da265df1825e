#pragma once

#include <string_view>

namespace ropewalk {

// Another name of a key, which counts where the file has not the key itself: attribute_map of the
// class in transformers.
struct KeyAlias {
  std::string_view alias, key;
};

}  // namespace ropewalk
