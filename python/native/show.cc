#include <fmt/format.h>

#include "python/native/model.h"
#include "ropewalk/base/error.h"
#include "ropewalk/report/layer_words.h"

namespace ropewalk::python {

std::string text_of(const Encoding& encoding) {
  return fmt::format("{}: family {}, {}", escaped(encoding.model->name), encoding.model->family,
                     layer_map(*encoding.model));
}

}  // namespace ropewalk::python
