#include <exception>
#include <string>

#include "python/native/model.h"
#include "python/native/rope.h"
#include "python/native/tables.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/version.h"

namespace ropewalk::python {
namespace {

PyObject* error_type = nullptr;  // ropewalk.Error, for the life of the process

constexpr const char* kErrorDoc =
    "The one exception of ropewalk's own, a ValueError. The message names the file, key, argument "
    "or array, what\n"
    "was expected and what was found; `code` is \"invalid_argument\", \"out_of_range\", "
    "\"malformed\", \"unsupported\",\n"
    "\"io\", \"resource_limit\" or \"internal\".";

void raise(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    const nb::object instance = nb::handle(error_type)(error.what());
    const std::string_view code = name(error.code());
    instance.attr("code") = nb::str(code.data(), code.size());
    PyErr_SetObject(error_type, instance.ptr());
  }
}

void bind_error(nb::module_& m) {
  nb::dict fields;
  fields["code"] = "";
  error_type =
      PyErr_NewExceptionWithDoc("ropewalk.Error", kErrorDoc, PyExc_ValueError, fields.ptr());
  if (error_type == nullptr) throw nb::python_error();
  m.attr("Error") = nb::borrow(error_type);
  nb::register_exception_translator(raise);
}

}  // namespace
}  // namespace ropewalk::python

NB_MODULE(_ropewalk, m) {
  using namespace ropewalk::python;
  m.doc() = "The compiled part of ropewalk: what is public is imported from ropewalk itself.";
  m.attr("__version__") = ROPEWALK_VERSION;
  bind_error(m);
  bind_rope(m);
  bind_rows(m);
  bind_model(m);
  bind_compare(m);
  bind_tables(m);
  bind_attention(m);
  bind_positions(m);
}
