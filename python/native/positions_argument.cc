#include <fmt/format.h>

#include "python/native/arrays.h"
#include "ropewalk/base/error.h"

namespace ropewalk::python {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

}  // namespace

Positions::Positions(nb::handle object) {
  if (object.is_none()) {
    fail("position_ids: expected an array of them, or the position of the first token, found None");
  }
  if (PyBool_Check(object.ptr())) fail("position_ids: expected integers, found a bool");
  if (PyLong_Check(object.ptr())) {
    first_ = PyLong_AsLongLong(object.ptr());
    if (first_ == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return;
  }
  const bool list =
      PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()) || PyRange_Check(object.ptr());
  if (list) kept_ = nb::module_::import_("numpy").attr("asarray")(object);
  array_.emplace(list ? nb::handle(kept_) : object, "position_ids");
  const ConstTensorView& view = array_->in();
  if (view.dtype != DType::i64 && view.dtype != DType::i32) {
    fail(fmt::format("position_ids: expected int64 or int32, found {}", in_words(view)));
  }
  const int rank = view.shape.size();
  if (rank < 1 || rank > 3) {
    fail(fmt::format(
        "position_ids: expected shape [seq], [batch, seq] or [axes, batch, seq], found {}",
        in_words(view)));
  }
  ids_shape_ = view.shape;
}

std::vector<int64_t> Positions::list(const char* what) const {
  if (!array_ || ids_shape_.size() != 1) {
    fail(fmt::format("{}: expected a list of them, as range(100), found {}", what,
                     array_ ? in_words(array_->in()) : std::to_string(first_)));
  }
  const PositionReader reader(ids(), 1, ids_shape_[0], 1);
  std::vector<int64_t> positions(static_cast<size_t>(ids_shape_[0]));
  for (int64_t i = 0; i < ids_shape_[0]; ++i)
    positions[static_cast<size_t>(i)] = reader.at(0, 0, i);
  return positions;
}

}  // namespace ropewalk::python
