#pragma once

#include <memory>
#include <string>

#include "python/native/rope.h"
#include "python/native/state.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk::python {

// ropewalk.Encoding, and one layer of it.
struct Encoding {
  std::shared_ptr<const ModelEncoding> model;

  bool operator==(const Encoding& other) const { return *model == *other.model; }
};

struct LayerOf {
  std::shared_ptr<const Layer> at;  // in its model
  size_t index = 0;

  const Layer& layer() const { return *at; }
  bool operator==(const LayerOf& other) const { return *at == *other.at && index == other.index; }
};

ROPEWALK_FIELDS(Encoding, model)
ROPEWALK_FIELDS(LayerOf, at, index)

// What read_model takes, or an Encoding as it is. Throws as read_model, naming `what` for another
// type of argument.
Encoding read_any(nb::handle source, const char* what, const std::string& assume = "",
                  nb::handle scaling = nb::none());

void bind_model(nb::module_& m);
void bind_layer(nb::module_& m);
void bind_evidence(nb::module_& m, nb::class_<Encoding>& encoding);
void bind_compare(nb::module_& m);

}  // namespace ropewalk::python
