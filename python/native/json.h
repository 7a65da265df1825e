#pragma once

#include <nanobind/nanobind.h>
#include <nlohmann/json.hpp>

namespace ropewalk::python {

// dicts, lists, numbers and texts.
inline nanobind::object to_python(const nlohmann::ordered_json& json) {
  const std::string text =
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return nanobind::module_::import_("json").attr("loads")(text.c_str());
}

}  // namespace ropewalk::python
