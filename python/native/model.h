#pragma once

#include <memory>
#include <string>

#include "python/native/rope.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk::python {

// ropewalk.Encoding, and one layer of it.
struct Encoding {
  std::shared_ptr<const ModelEncoding> model;
  std::string path;  // where it was read; "": from a dict
};

struct LayerOf {
  std::shared_ptr<const ModelEncoding> model;
  size_t index = 0;

  const Layer& layer() const { return model->layers[index]; }
};

// What read_model takes, or an Encoding as it is.
Encoding read_any(nb::handle source, const std::string& assume, nb::handle scaling);

// What `ropewalk show` prints.
std::string text_of(const Encoding& encoding);

void bind_model(nb::module_& m);
void bind_layer(nb::module_& m);
void bind_evidence(nb::module_& m, nb::class_<Encoding>& encoding);
void bind_compare(nb::module_& m);

}  // namespace ropewalk::python
