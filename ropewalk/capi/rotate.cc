#include "ropewalk/capi/rotate.h"

#include <memory>
#include <utility>

#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/base/error.h"
#include "ropewalk/capi/choices.h"
#include "ropewalk/capi/handles.h"
#include "ropewalk/capi/options.h"
#include "ropewalk/capi/status.h"
#include "ropewalk/capi/tensors.h"

namespace ropewalk::capi {
namespace {

constexpr ropewalk_rotate_options kRotateOptions = ROPEWALK_ROTATE_OPTIONS;
constexpr ropewalk_rows_options kRowsOptions = ROPEWALK_ROWS_OPTIONS;

Direction direction_of(int32_t number) {
  constexpr std::array kDirections = {Direction::forward, Direction::inverse, Direction::transpose};
  return choice(number, kDirections, ROPEWALK_FORWARD,
                "ROPEWALK_FORWARD (0), ROPEWALK_INVERSE (1) or ROPEWALK_TRANSPOSE (2)",
                "direction");
}

// q and k of one call, as C++ takes them.
struct Heads {
  Rotated q;
  std::optional<Rotated> k;
};

Rotated rotated(const ropewalk_tensor* in, const ropewalk_tensor* out, const char* name,
                const char* out_name) {
  const TensorView x = view_of(in, name);
  return out == nullptr ? in_place(x) : Rotated{x, view_of(out, out_name)};
}

Heads heads_of(const ropewalk_tensor* q, const ropewalk_tensor* k,
               const ropewalk_rotate_options& how) {
  if (k == nullptr && how.k_out != nullptr)
    refuse("k_out: expected none without k, found a tensor");
  if (k != nullptr && (how.q_out == nullptr) != (how.k_out == nullptr)) {
    refuse("q_out, k_out: expected both or neither, found one");
  }
  Heads heads{rotated(q, how.q_out, "q", "q_out"), std::nullopt};
  if (k != nullptr) heads.k = rotated(k, how.k_out, "k", "k_out");
  return heads;
}

// Inverse and transpose read the pairs where forward wrote them.
void lay_out(const RopeConfig& config, Direction direction, RotaryLayout& layout,
             std::optional<RotaryLayout>& output_layout) {
  layout = config.layout;
  output_layout = config.output_layout;
  if (direction != Direction::forward && output_layout) std::swap(layout, *output_layout);
}

RopeRows rows_of(const ropewalk_rope& rope, const PositionIds& positions,
                 const PositionShape& shape, Direction direction, const Parallel& parallel) {
  if (!rope.by_length) {
    return make_rope_rows(rope.spectrum, planes_in_use(positions, rope.config, rope.spectrum),
                          shape.batch, shape.length, direction, parallel);
  }
  if (direction != Direction::forward) {
    throw Error(ErrorCode::unsupported,
                "direction: expected forward for rows of a rope that was made with seq_len 0 and "
                "depends on the length, found another; give a seq_len, or use ropewalk_rotate");
  }
  return make_rope_rows_by_length(rope.config, positions, shape.batch, shape.length, parallel);
}

}  // namespace

}  // namespace ropewalk::capi

using namespace ropewalk::capi;

ropewalk_status ropewalk_rotate(const ropewalk_rope* rope, const ropewalk_positions* positions,
                                const ropewalk_tensor* q, const ropewalk_tensor* k,
                                const ropewalk_rotate_options* options) {
  return guarded([&] {
    const ropewalk_rope& given = not_null(rope, "rope", "a rope");
    const ropewalk_rotate_options how = required_options(options, kRotateOptions, "options");
    const Heads heads = heads_of(q, k, how);
    const ropewalk::TensorLayout layout = layout_of(how.layout);
    const int64_t length = ropewalk::as_bshd(heads.q.in, layout, "q").shape[1];
    const ropewalk::PositionIds ids = positions_of(positions, length);
    if (given.by_length) {
      ropewalk::rotate(given.config, ids, heads.q, heads.k,
                       {.tensor_layout = layout,
                        .direction = direction_of(how.direction),
                        .parallel = parallel_of(how.threads)});
      return;
    }
    ropewalk::RopeOptions call{.tensor_layout = layout,
                               .direction = direction_of(how.direction),
                               .output_layout = {},
                               .parallel = parallel_of(how.threads)};
    ropewalk::RotaryLayout pairs;
    lay_out(given.config, call.direction, pairs, call.output_layout);
    ropewalk::apply_rope(given.spectrum, pairs, planes_in_use(ids, given.config, given.spectrum),
                         heads.q, heads.k, call);
  });
}

ropewalk_status ropewalk_make_rows(const ropewalk_rope* rope, const ropewalk_positions* positions,
                                   const ropewalk_rows_options* options, ropewalk_rows** rows) {
  return guarded([&] {
    ropewalk_rows*& handle = out_handle(rows, "rows");
    const ropewalk_rope& given = not_null(rope, "rope", "a rope");
    const ropewalk_rows_options how = options_of(options, kRowsOptions, "options");
    const PositionShape shape = shape_of(positions, "positions");
    const ropewalk::PositionIds ids = positions_of(positions, shape.length);
    const ropewalk::Direction direction = direction_of(how.direction);
    auto made = std::make_unique<ropewalk_rows>();
    made->spectrum = given.spectrum;
    made->rows = rows_of(given, ids, shape, direction, parallel_of(how.threads));
    lay_out(given.config, direction, made->layout, made->output_layout);
    handle = made.release();
  });
}

ropewalk_status ropewalk_rotate_rows(const ropewalk_rows* rows, const ropewalk_tensor* q,
                                     const ropewalk_tensor* k,
                                     const ropewalk_rotate_options* options) {
  return guarded([&] {
    const ropewalk_rows& given = not_null(rows, "rows", "rows");
    const ropewalk_rotate_options how = required_options(options, kRotateOptions, "options");
    const Heads heads = heads_of(q, k, how);
    ropewalk::apply_rope(given.rows, given.layout, heads.q, heads.k,
                         {.tensor_layout = layout_of(how.layout),
                          .direction = direction_of(how.direction),
                          .output_layout = given.output_layout,
                          .parallel = parallel_of(how.threads)});
  });
}

void ropewalk_free_rows(ropewalk_rows* rows) { delete rows; }
