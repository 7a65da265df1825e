#include "ropewalk/positions/positions.h"

#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/overlap.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/capi/options.h"
#include "ropewalk/capi/positions.h"
#include "ropewalk/capi/status.h"
#include "ropewalk/capi/tensors.h"
#include "ropewalk/positions/grid.h"
#include "ropewalk/positions/mrope.h"

namespace ropewalk::capi {
namespace {

constexpr ropewalk_mrope_input kMropeInput = ROPEWALK_MROPE_INPUT;

std::vector<VisionGrid> grids_of(const ropewalk_tensor* tensor, const char* name) {
  std::vector<VisionGrid> grids;
  if (tensor == nullptr) return grids;
  const std::vector<int64_t> numbers = integers_of(tensor, 2, name);
  if (tensor->shape[1] != 3) {
    refuse(fmt::format("{}: expected [N, 3], time, rows and columns, found [{}, {}]", name,
                       tensor->shape[0], tensor->shape[1]));
  }
  for (size_t i = 0; i < numbers.size(); i += 3) {
    grids.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  }
  return grids;
}

std::vector<double> doubles_of(const ropewalk_tensor* tensor, const char* name) {
  if (tensor == nullptr) return {};
  const TensorView view = view_of(tensor, name);
  check_view(view, name);
  if (view.dtype != DType::f64 || view.shape.size() != 1) {
    refuse(fmt::format("{}: expected f64 of 1 dimension, found {} {}", name,
                       ropewalk::name(view.dtype), to_string(view.shape)));
  }
  const Tensor values = contiguous_copy(view);
  std::vector<double> list(static_cast<size_t>(view.shape[0]));
  if (!list.empty()) std::memcpy(list.data(), values.bytes.data(), values.bytes.size());
  return list;
}

PositionArray in_order(const GridPositions& grid, int32_t axes) {
  constexpr std::array kOrders = {&GridPositions::hw, &GridPositions::wh, &GridPositions::thw};
  const auto order =
      choice(axes, kOrders, ROPEWALK_GRID_HW,
             "ROPEWALK_GRID_HW (1), ROPEWALK_GRID_WH (2) or ROPEWALK_GRID_THW (3)", "axes");
  return (grid.*order)();
}

MropeRules rules_of(const ropewalk_mrope_input& input) {
  constexpr std::array kNext = {MropeNext::largest, MropeNext::side};
  return {.spatial_merge = input.spatial_merge,
          .temporal_merge = input.temporal_merge,
          .tokens_per_second = input.tokens_per_second,
          .frames_apart = flag(input.frames_apart, "frames_apart"),
          .next = choice(input.next, kNext, ROPEWALK_MROPE_LARGEST, "a ropewalk_mrope_next, 0 or 1",
                         "next")};
}

MropePositions mrope_of(const ropewalk_mrope_input& given) {
  const std::vector<uint8_t> kinds = marks_of(given.kinds, 2, "kinds");
  const std::vector<uint8_t> mask =
      given.mask == nullptr ? std::vector<uint8_t>{} : marks_of(given.mask, 2, "mask");
  const std::vector<VisionGrid> images = grids_of(given.images, "images"),
                                videos = grids_of(given.videos, "videos");
  const std::vector<double> seconds = doubles_of(given.second_per_grid, "second_per_grid");
  return mrope_positions(
      {given.kinds->shape[0], given.kinds->shape[1], kinds, mask, images, videos, seconds},
      rules_of(given), given.masked_value);
}

}  // namespace
}  // namespace ropewalk::capi

using namespace ropewalk::capi;

ropewalk_status ropewalk_mask_positions(const ropewalk_tensor* mask, int64_t masked_value,
                                        const ropewalk_tensor* out) {
  return guarded([&] {
    const std::vector<uint8_t> marks = marks_of(mask, 2, "mask");
    write(ropewalk::mask_positions({mask->shape[0], mask->shape[1], marks}, masked_value), out);
  });
}

ropewalk_status ropewalk_packed_positions(const ropewalk_tensor* cu_seqlens,
                                          const ropewalk_tensor* firsts,
                                          const ropewalk_tensor* out) {
  return guarded([&] {
    const std::vector<int64_t> boundaries = integers_of(cu_seqlens, 1, "cu_seqlens");
    const std::vector<int64_t> begin =
        firsts == nullptr ? std::vector<int64_t>{} : integers_of(firsts, 1, "firsts");
    write(ropewalk::packed_positions(boundaries, begin), out);
  });
}

ropewalk_status ropewalk_grid_positions(const ropewalk_tensor* grids, int64_t merge, int32_t axes,
                                        const ropewalk_tensor* out) {
  return guarded([&] {
    const auto given = grids_of(&not_null(grids, "grids", "a tensor"), "grids");
    write(in_order(ropewalk::grid_positions(given, merge), axes), out);
  });
}

ropewalk_status ropewalk_mrope_positions(const ropewalk_mrope_input* input,
                                         const ropewalk_tensor* out,
                                         const ropewalk_tensor* deltas) {
  return guarded([&] {
    const ropewalk::MropePositions made = mrope_of(required_options(input, kMropeInput, "input"));
    const ropewalk::TensorView ids = view_of(out, "out");
    check_out(ids, ropewalk::DType::i64, made.positions.shape, "out");
    if (deltas != nullptr) {
      const ropewalk::TensorView delta_view = view_of(deltas, "deltas");
      if (ropewalk::may_overlap(ids, delta_view)) {
        refuse("out, deltas: expected memory of their own, found an overlap");
      }
      write(ropewalk::make_view(static_cast<const void*>(made.deltas.data()), ropewalk::DType::i64,
                                {std::ssize(made.deltas)}),
            delta_view, "deltas");
    }
    write(made.positions.view(), ids, "out");
  });
}
