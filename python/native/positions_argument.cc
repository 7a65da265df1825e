#include <fmt/format.h>

#include "python/native/arguments.h"
#include "python/native/arrays.h"
#include "ropewalk/base/error.h"

namespace ropewalk::python {
nb::object array_of_list(nb::handle object, const char* what) {
  if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr()) && !PyRange_Check(object.ptr())) {
    return nb::borrow(object);
  }
  nb::object array;
  try {
    array = nb::module_::import_("numpy").attr("asarray")(object);
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_ValueError)) throw;
    fail(fmt::format("{}: expected lists of one length, found {}", what, found(object)));
  }
  // NumPy takes a list of nothing for one of float64.
  return nb::cast<int64_t>(array.attr("size")) == 0 ? array.attr("astype")("int64") : array;
}

Positions::Positions(nb::handle object, const char* what) : what_(what) {
  if (object.is_none()) {
    fail(fmt::format(
        "{}: expected an array of them, or the position of the first token, found None", what));
  }
  if (PyBool_Check(object.ptr())) fail(fmt::format("{}: expected integers, found a bool", what));
  if (PyLong_Check(object.ptr())) {
    first_ = integer(object, what);
    return;
  }
  kept_ = array_of_list(object, what);
  array_.emplace(kept_, what);
  const ConstTensorView& view = array_->in();
  if (view.dtype != DType::i64 && view.dtype != DType::i32) {
    fail(fmt::format("{}: expected int64 or int32, found {}", what, in_words(view)));
  }
  const int rank = view.shape.size();
  if (rank > 3) {
    fail(fmt::format("{}: expected shape [seq], [batch, seq] or [axes, batch, seq], found {}", what,
                     in_words(view)));
  }
  if (rank == 0) {  // an integer of NumPy or torch
    first_ = integer(object, what);
    array_.reset();
    return;
  }
  ids_shape_ = view.shape;
}

std::vector<int64_t> Positions::list() const {
  if (!array_ || ids_shape_.size() != 1) {
    fail(fmt::format("{}: expected a list of them, as range(100), found {}", what_,
                     array_ ? in_words(array_->in()) : std::to_string(first_)));
  }
  const PositionReader reader(ids(), 1, ids_shape_[0], 1);
  std::vector<int64_t> positions(static_cast<size_t>(ids_shape_[0]));
  for (int64_t i = 0; i < ids_shape_[0]; ++i)
    positions[static_cast<size_t>(i)] = reader.at(0, 0, i);
  return positions;
}

}  // namespace ropewalk::python
