#include "python/native/diagnose_arguments.h"

#include <utility>

#include <fmt/format.h>

#include "python/native/arguments.h"
#include "ropewalk/base/error.h"
#include "ropewalk/positions/mrope.h"

namespace ropewalk::python {
Numbers::Numbers(const Keywords& given, const char* what)
    : kept_(array_of_list(given.at(what), what)), array_(kept_, what) {
  if (array_.in().dtype == DType::f64) converted_ = converted(array_.in(), DType::f32);
}

ConstTensorView Numbers::view() const {
  return converted_ ? std::as_const(*converted_).view() : array_.in();
}

MaybeNumbers::MaybeNumbers(const Keywords& given, const char* what) {
  if (given.has(what)) numbers_.emplace(given, what);
}

ConstTensorView MaybeNumbers::view() const {
  return numbers_ ? numbers_->view() : ConstTensorView{};
}

ConstTensorView MaybeNumbers::in_f32() {
  if (!numbers_) return {};
  return std::as_const(as_f32_.emplace(converted(numbers_->view(), DType::f32))).view();
}

DumpPositions::DumpPositions(const Keywords& given, const RopeConfig* rope, int64_t seq_len) {
  if (given.has("position_ids")) positions_.emplace(given.at("position_ids"));
  if (rope == nullptr || rope->position_axes < 2) {
    if (positions_) ids = positions_->ids();
  } else if (positions_) {
    ids = ids_of(make_rope(*rope, seq_len, {}), *positions_);
  } else {
    fail(fmt::format("position_ids: expected shape [{}, batch, seq]{}, found None",
                     rope->position_axes,
                     one_list_of_positions(*rope) ? ", or [seq] for text" : ""));
  }
}

std::optional<TensorLayout> layout_of(const Keywords& given) {
  if (!given.has("layout")) return std::nullopt;
  return tensor_layout_from_name(given.text("layout"));
}

int64_t seq_len_of(const Keywords& given) {
  const int64_t seq_len = given.integer("seq_len").value_or(0);
  if (given.has("seq_len") && seq_len < 1) {
    fail(fmt::format("seq_len: expected at least 1, found {}", seq_len));
  }
  return seq_len;
}

}  // namespace ropewalk::python
