#include "ropewalk/positions/positions.h"

#include <array>

#include <fmt/format.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/native/table_docs.h"
#include "python/native/tables.h"
#include "ropewalk/base/error.h"
#include "ropewalk/positions/chatglm.h"
#include "ropewalk/positions/grid.h"
#include "ropewalk/positions/mrope.h"

namespace ropewalk::python {
namespace {

using Grids = std::vector<std::array<int64_t, 3>>;

template <typename T>
void append(const Tensor& tensor, std::vector<int64_t>& values) {
  for (size_t i = 0; i < tensor.bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, tensor.bytes.data() + i, sizeof(T));
    values.push_back(static_cast<int64_t>(value));
  }
}

// Whole numbers of an array or of lists, with their shape.
struct Integers {
  Dims shape;
  std::vector<int64_t> values;
};

Integers integers_of(nb::handle object, const char* what, int rank) {
  const nb::object kept = array_of_list(object, what);
  const Array array(kept, what);
  const DType dtype = array.in().dtype;
  Integers result{array.in().shape, {}};
  const Tensor tensor = contiguous_copy(array.in());
  if (dtype == DType::i64) append<int64_t>(tensor, result.values);
  if (dtype == DType::i32) append<int32_t>(tensor, result.values);
  if (dtype == DType::u8 || dtype == DType::boolean) append<uint8_t>(tensor, result.values);
  const bool known =
      dtype == DType::i64 || dtype == DType::i32 || dtype == DType::u8 || dtype == DType::boolean;
  if (!known || result.shape.size() != rank) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: expected integers of {} dimension{}, found {}", what, rank,
                            rank == 1 ? "" : "s", in_words(array.in())));
  }
  return result;
}

std::vector<uint8_t> bytes_of(const Integers& integers, const char* what, int64_t most) {
  std::vector<uint8_t> bytes;
  for (const int64_t value : integers.values) {
    if (value < 0 || value > most) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: expected 0..{}, found {}", what, most, value));
    }
    bytes.push_back(static_cast<uint8_t>(value));
  }
  return bytes;
}

nb::object array_of(const PositionArray& positions, nb::handle like) {
  Tensor tensor = make_tensor(DType::i64, positions.shape);
  if (!positions.ids.empty())
    std::memcpy(tensor.bytes.data(), positions.ids.data(), tensor.bytes.size());
  return array_from(std::move(tensor), like);
}

std::vector<VisionGrid> grids_of(const Grids& grids) {
  std::vector<VisionGrid> result;
  for (const auto& [t, h, w] : grids) result.push_back({t, h, w});
  return result;
}

MropeNext next_named(const std::string& name) {
  if (name == "largest") return MropeNext::largest;
  if (name == "side") return MropeNext::side;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("next: expected \"largest\" or \"side\", found \"{}\"", escaped(name)));
}

nb::object from_mask(nb::handle mask, int64_t masked_value) {
  const Integers given = integers_of(mask, "mask", 2);
  const std::vector<uint8_t> values = bytes_of(given, "mask", 1);
  return array_of(mask_positions({given.shape[0], given.shape[1], values}, masked_value), mask);
}

nb::object packed(nb::handle cu_seqlens, nb::handle firsts) {
  const std::vector<int64_t> ends = integers_of(cu_seqlens, "cu_seqlens", 1).values;
  const std::vector<int64_t> from =
      firsts.is_none() ? std::vector<int64_t>() : integers_of(firsts, "firsts", 1).values;
  return array_of(packed_positions(ends, from), cu_seqlens);
}

nb::object mrope(nb::handle kinds, const Grids& images, const Grids& videos, nb::handle mask,
                 const MropeRules& rules, const std::vector<double>& seconds,
                 int64_t masked_value) {
  const Integers given = integers_of(kinds, "mm_token_type_ids", 2);
  const std::vector<uint8_t> types = bytes_of(given, "mm_token_type_ids", 2);
  std::vector<uint8_t> seen;
  if (!mask.is_none()) seen = bytes_of(integers_of(mask, "mask", 2), "mask", 1);
  const std::vector<VisionGrid> of_images = grids_of(images), of_videos = grids_of(videos);
  const MropePositions result =
      mrope_positions({given.shape[0], given.shape[1], types, seen, of_images, of_videos, seconds},
                      rules, masked_value);
  return nb::make_tuple(array_of(result.positions, kinds),
                        array_of({{std::ssize(result.deltas)}, result.deltas}, kinds));
}

}  // namespace

void bind_positions(nb::module_& m) {
  using nb::arg;
  m.def("positions_from_mask", from_mask, arg("mask"), nb::kw_only(), arg("masked_value") = 0,
        nb::sig("def positions_from_mask(mask: object, *, masked_value: int = 0) -> typing.Any"),
        docs::kFromMask);
  m.def("positions_packed", packed, arg("cu_seqlens"), arg("firsts").none() = nb::none(),
        nb::sig(
            "def positions_packed(cu_seqlens: object, firsts: object | None = None) -> typing.Any"),
        docs::kPacked);
  m.def(
      "positions_mrope",
      [](nb::handle kinds, const Grids& images, const Grids& videos, nb::handle mask,
         int64_t spatial_merge, int64_t temporal_merge, double tokens_per_second, bool frames_apart,
         const std::string& next, const std::vector<double>& second_per_grid,
         int64_t masked_value) {
        return mrope(
            kinds, images, videos, mask,
            {spatial_merge, temporal_merge, tokens_per_second, frames_apart, next_named(next)},
            second_per_grid, masked_value);
      },
      arg("mm_token_type_ids"), nb::kw_only(), arg("images") = Grids(), arg("videos") = Grids(),
      arg("mask").none() = nb::none(), arg("spatial_merge") = 2, arg("temporal_merge") = 1,
      arg("tokens_per_second") = 0.0, arg("frames_apart") = false, arg("next") = "largest",
      arg("second_per_grid") = std::vector<double>(), arg("masked_value") = 0,
      nb::sig("def positions_mrope(mm_token_type_ids: object, *, images: list = [], videos: list = "
              "[], mask: object | "
              "None = None, spatial_merge: int = 2, temporal_merge: int = 1, tokens_per_second: "
              "float = 0.0, "
              "frames_apart: bool = False, next: typing.Literal[\"largest\", \"side\"] = "
              "\"largest\", second_per_grid: list = "
              "[], masked_value: int = 0) -> tuple[typing.Any, typing.Any]"),
      docs::kMrope);
  m.def(
      "positions_grid",
      [](const Grids& grids, int64_t merge, const std::string& axes) {
        const GridPositions positions = grid_positions(grids_of(grids), merge);
        switch (patch_axes_from_name(axes)) {
          case PatchAxes::hw:
            return array_of(positions.hw(), nb::none());
          case PatchAxes::wh:
            return array_of(positions.wh(), nb::none());
          default:
            return array_of(positions.thw(), nb::none());
        }
      },
      arg("grids"), nb::kw_only(), arg("merge") = 2, arg("axes") = "hw",
      nb::sig("def positions_grid(grids: list, *, merge: int = 2, axes: typing.Literal[\"hw\", "
              "\"wh\", \"thw\"] = \"hw\") "
              "-> numpy.ndarray"),
      docs::kGrid);
  m.def(
      "positions_chatglm",
      [](nb::handle token_ids) {
        const ChatGlmPositions positions =
            chatglm_positions(integers_of(token_ids, "token_ids", 1).values);
        return array_of({{2, 1, std::ssize(positions.position)}, positions.planes()}, token_ids);
      },
      arg("token_ids"), nb::sig("def positions_chatglm(token_ids: object) -> typing.Any"),
      docs::kChatglm);
}

}  // namespace ropewalk::python
