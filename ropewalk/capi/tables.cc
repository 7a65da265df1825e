#include "ropewalk/capi/tables.h"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/apply/alibi.h"
#include "ropewalk/apply/positional_encoding.h"
#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/overlap.h"
#include "ropewalk/capi/handles.h"
#include "ropewalk/capi/options.h"
#include "ropewalk/capi/status.h"
#include "ropewalk/capi/tensors.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/tables/cos_sin.h"
#include "ropewalk/tables/sinusoidal.h"

namespace ropewalk::capi {
namespace {

constexpr ropewalk_cos_sin_options kCosSinOptions = ROPEWALK_COS_SIN_OPTIONS;
constexpr ropewalk_sinusoidal_options kSinusoidalOptions = ROPEWALK_SINUSOIDAL_OPTIONS;

RowForm form_of(int32_t number) {
  constexpr std::array kForms = {RowForm::half, RowForm::doubled, RowForm::interleaved};
  return choice(number, kForms, ROPEWALK_FORM_HALF, "a ropewalk_row_form, 0..2", "form");
}

AngleMode angles_of(int32_t number) {
  constexpr std::array kModes = {AngleMode::exact,          AngleMode::ideal,
                                 AngleMode::hf_float32,     AngleMode::ggml_float32,
                                 AngleMode::bf16_frequency, AngleMode::bf16_position,
                                 AngleMode::fp16,           AngleMode::tf32};
  return choice(number, kModes, ROPEWALK_ANGLES_EXACT, "a ropewalk_angles, 0..7", "angles");
}

// The length that decides about the frequencies of every token, 0 where none does.
int64_t one_length(const ropewalk_rope& rope, const PositionIds& ids, const PositionShape& shape) {
  if (!rope.by_length || num_elements(shape.dims) == 0) return rope.seq_len;
  const std::vector<int64_t> lengths =
      sequence_lengths(ids, shape.batch, shape.length, rope.config.position_axes);
  const auto [least, most] = std::minmax_element(lengths.begin(), lengths.end());
  if (make_spectrum(rope.config, *least) == make_spectrum(rope.config, *most)) return *most;
  throw Error(ErrorCode::unsupported,
              fmt::format("position_ids: expected sequences with the same frequencies, found "
                          "lengths {} to {}; give the rope a seq_len, or make a table of each",
                          *least, *most));
}

// What a run stands for, where a function takes ids alone.
struct GivenIds {
  std::vector<int64_t> run;
  ConstTensorView view;
};

GivenIds ids_of(const ropewalk_positions* positions, const PositionShape& shape) {
  GivenIds given;
  const PositionIds ids = positions_of(positions, shape.length);
  given.view = ids.ids;
  if (!ids.is_run()) return given;
  given.run = list_of(positions, "positions");
  given.view = make_view(static_cast<const void*>(given.run.data()), DType::i64, shape.dims);
  return given;
}

SinusoidalConfig sinusoidal_of(const ropewalk_sinusoidal_options& options, int64_t d_model) {
  constexpr std::array kLayouts = {SinusoidalLayout::interleaved, SinusoidalLayout::sin_cos,
                                   SinusoidalLayout::fairseq, SinusoidalLayout::cos_sin};
  return {.d_model = d_model,
          .layout = choice(options.layout, kLayouts, ROPEWALK_SINUSOIDAL_INTERLEAVED,
                           "a ropewalk_sinusoidal_layout, 0..3", "layout"),
          .base = options.base,
          .offset = options.offset,
          .padding_position = options.padding_position};
}

// [B, S, d], whatever of B and S there is.
TensorView as_rows(const TensorView& view, const PositionShape& shape, const char* name) {
  const int rank = view.shape.size();
  const bool fits = rank == shape.dims.size() + 1 &&
                    std::equal(shape.dims.begin(), shape.dims.end(), view.shape.begin());
  if (!fits) {
    refuse(fmt::format("{}: expected {} and then channels, as the positions, found {}", name,
                       to_string(shape.dims), to_string(view.shape)));
  }
  if (rank == 3) return view;
  TensorView rows = view;
  rows.shape = {1, view.shape[0], view.shape[1]};
  rows.strides = {0, view.strides[0], view.strides[1]};
  return rows;
}

// Sequence `b` of [B, S, d] as [S, d].
TensorView sequence_of(const TensorView& rows, int64_t b) {
  TensorView view = rows;
  const auto size = static_cast<int64_t>(size_in_bytes(rows.dtype));
  view.data = static_cast<char*>(rows.data) + b * rows.strides[0] * size;
  view.shape = {rows.shape[1], rows.shape[2]};
  view.strides = {rows.strides[1], rows.strides[2]};
  return view;
}

void write_sinusoidal(const ropewalk_positions* positions, const ropewalk_tensor* out,
                      const ropewalk_sinusoidal_options& options) {
  const PositionShape shape = shape_of(positions, "positions");
  const TensorView view = view_of(out, "out");
  check_view(view, "out");
  const TensorView rows = as_rows(view, shape, "out");
  if (may_alias_itself(view)) {
    refuse(fmt::format("out: expected an address for each element, found strides {}",
                       to_string(view.strides)));
  }
  const SinusoidalConfig config = sinusoidal_of(options, view.shape.back());
  const Parallel parallel = parallel_of(options.threads);
  const std::vector<int64_t> list = list_of(positions, "positions");
  const auto length = static_cast<size_t>(shape.length);
  for (int64_t b = 0; b < shape.batch; ++b) {
    const std::span<const int64_t> own =
        std::span(list).subspan(static_cast<size_t>(b) * length, length);
    sinusoidal(config, own, sequence_of(rows, b), parallel);
  }
}

void add_sinusoidal(const ropewalk_positions* positions, const ropewalk_tensor* x,
                    const ropewalk_tensor* out, const ropewalk_sinusoidal_options& options) {
  const TensorView in = view_of(x, "x"), result = view_of(out, "out");
  check_out(result, DType::f32, in.shape, "out");
  if (in.shape.size() != 3) {
    refuse(fmt::format("x: expected [B, S, d], found {}", to_string(in.shape)));
  }
  if (!same_view(in, result) && may_overlap(in, result)) {
    refuse("out: overlaps x without being the same view");
  }
  const int64_t batch = in.shape[0], length = in.shape[1];
  const PositionReader reader(positions_of(positions, length), batch, length, 1);
  const SinusoidalConfig config = sinusoidal_of(options, in.shape[2]);
  const bool one_row = positions->ids == nullptr || positions->ids->ndim == 1;
  const Parallel parallel = parallel_of(options.threads);
  std::vector<float> table;
  for (int64_t b = 0; b < batch; ++b) {
    if (b == 0 || !one_row) {
      std::vector<int64_t> own;
      for (int64_t s = 0; s < length; ++s) own.push_back(reader.at(0, b, s));
      table = sinusoidal(config, own);
    }
    const ConstTensorView rows =
        make_view(static_cast<const void*>(table.data()), DType::f32, {length, in.shape[2]});
    TensorView one_in = in, one_out = result;
    const auto skip = [&](const TensorView& whole) {
      return static_cast<char*>(whole.data) +
             b * whole.strides[0] * static_cast<int64_t>(sizeof(float));
    };
    one_in.data = skip(in);
    one_out.data = skip(result);
    one_in.shape[0] = one_out.shape[0] = 1;
    add_rows(one_in, rows, one_out, SequenceAxis::batch_first, parallel);
  }
}

}  // namespace
}  // namespace ropewalk::capi

using namespace ropewalk::capi;

ropewalk_status ropewalk_cos_sin(const ropewalk_rope* rope, const ropewalk_positions* positions,
                                 const ropewalk_tensor* cos, const ropewalk_tensor* sin,
                                 const ropewalk_cos_sin_options* options) {
  return guarded([&] {
    const ropewalk_rope& given = not_null(rope, "rope", "a rope");
    const ropewalk_cos_sin_options how = options_of(options, kCosSinOptions, "options");
    const PositionShape shape = shape_of(positions, "positions");
    const ropewalk::TensorView cos_view = view_of(cos, "cos"), sin_view = view_of(sin, "sin");
    const GivenIds ids = ids_of(positions, shape);
    const int64_t length = one_length(given, ropewalk::positions_of(ids.view), shape);
    const ropewalk::CosSin made = ropewalk::cos_sin(given.config, ids.view,
                                                    {.mode = angles_of(how.angles),
                                                     .form = form_of(how.form),
                                                     .dtype = cos_view.dtype,
                                                     .seq_len = length,
                                                     .parallel = parallel_of(how.threads)});
    check_out(cos_view, made.cos.dtype, made.cos.shape, "cos");
    check_out(sin_view, made.sin.dtype, made.sin.shape, "sin");
    if (ropewalk::may_overlap(cos_view, sin_view)) {
      refuse("cos, sin: expected memory of their own, found an overlap");
    }
    write(made.cos.view(), cos_view, "cos");
    write(made.sin.view(), sin_view, "sin");
  });
}

ropewalk_status ropewalk_sinusoidal(const ropewalk_positions* positions, const ropewalk_tensor* out,
                                    const ropewalk_sinusoidal_options* options) {
  return guarded([&] {
    write_sinusoidal(positions, out, options_of(options, kSinusoidalOptions, "options"));
  });
}

ropewalk_status ropewalk_add_sinusoidal(const ropewalk_positions* positions,
                                        const ropewalk_tensor* x, const ropewalk_tensor* out,
                                        const ropewalk_sinusoidal_options* options) {
  return guarded([&] {
    add_sinusoidal(positions, x, out, options_of(options, kSinusoidalOptions, "options"));
  });
}
