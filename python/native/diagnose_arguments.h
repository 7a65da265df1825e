#pragma once

#include <optional>

#include "python/native/keywords.h"
#include "python/native/rotate.h"
#include "ropewalk/diagnose/dump_reports.h"

namespace ropewalk::python {

// An array of the call, as it is; numbers of float64 as float32.
class Numbers {
 public:
  Numbers(const Keywords& given, const char* what);

  ConstTensorView view() const;

 private:
  nb::object kept_;
  Array array_;
  std::optional<Tensor> converted_;
};

// One that may be left out: a view of nothing.
class MaybeNumbers {
 public:
  MaybeNumbers(const Keywords& given, const char* what);

  ConstTensorView view() const;
  // The same in float32.
  ConstTensorView in_f32();

 private:
  std::optional<Numbers> numbers_;
  std::optional<Tensor> as_f32_;
};

// The positions of a call, 0, 1, 2, ... where none are given.
class DumpPositions {
 public:
  // `rope` is null for what does not turn. Throws invalid_argument where it turns on several axes
  // and has not got the positions of each.
  DumpPositions(const Keywords& given, const RopeConfig* rope, int64_t seq_len);

  PositionIds ids = positions_from(0);

 private:
  std::optional<Positions> positions_;
};

std::optional<TensorLayout> layout_of(const Keywords& given);
// 0: not given.
int64_t seq_len_of(const Keywords& given);

// diagnose(model, scores=..., q=..., k=...)
ScoreReport scores_report(const Keywords& given, const ModelEncoding& model);

}  // namespace ropewalk::python
