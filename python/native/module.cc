#include <exception>
#include <string_view>

#include "python/native/model.h"
#include "python/native/rope.h"
#include "python/native/tables.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/version.h"

namespace ropewalk::python {
namespace {

PyObject* error_type = nullptr;  // ropewalk.Error, for the life of the process

void raise(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    const std::string_view code = name(error.code());
    const nb::object instance =
        nb::handle(error_type)(error.what(), nb::str(code.data(), code.size()));
    PyErr_SetObject(error_type, instance.ptr());
  }
}

void bind_error(nb::module_& m) {
  const nb::object type = nb::module_::import_("ropewalk._error").attr("Error");
  m.attr("Error") = type;
  error_type = type.inc_ref().ptr();
  nb::register_exception_translator(raise);
}

}  // namespace
}  // namespace ropewalk::python

NB_MODULE(_ropewalk, m) {
  using namespace ropewalk::python;
  m.doc() = "The compiled part of ropewalk: what is public is imported from ropewalk itself.";
  m.attr("__version__") = ROPEWALK_VERSION;
  // Python does not free what its caches and modules hold when it ends: that is no fault to report.
  nanobind::set_leak_warnings(false);
  bind_error(m);
  bind_rope(m);
  bind_rows(m);
  bind_model(m);
  bind_compare(m);
  bind_tables(m);
  bind_attention(m);
  bind_positions(m);
  bind_measure(m);
  bind_diagnose(m);
}
