#include "ropewalk/positions/positions.h"

#include <fmt/format.h>

#include "python/native/arguments.h"
#include "python/native/table_docs.h"
#include "python/native/tables.h"
#include "ropewalk/base/error.h"
#include "ropewalk/positions/chatglm.h"
#include "ropewalk/positions/grid.h"
#include "ropewalk/positions/mrope.h"

namespace ropewalk::python {
namespace {

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

// (t, h, w) of each picture, as a list or an array [pictures, 3].
std::vector<VisionGrid> grids_of(nb::handle object, const char* what) {
  std::vector<VisionGrid> result;
  const nb::object kept = array_of_list(object, what);
  if (Array(kept, what).in().shape == Dims{0}) return result;
  const Integers given = integers_of(kept, what, 2);
  if (given.shape[1] != 3) {
    fail(fmt::format("{}: expected t, h and w of each, found shape {}", what,
                     to_string(given.shape)));
  }
  for (size_t i = 0; i < given.values.size(); i += 3) {
    result.push_back({given.values[i], given.values[i + 1], given.values[i + 2]});
  }
  return result;
}

std::vector<double> numbers_of(nb::handle object, const char* what) {
  const nb::object all = nb::steal(PySequence_List(object.ptr()));
  if (!all.is_valid()) {
    PyErr_Clear();
    fail(fmt::format("{}: expected a list of numbers, found {}", what, found(object)));
  }
  std::vector<double> numbers;
  for (const nb::handle each : nb::list(all)) numbers.push_back(number(each, what));
  return numbers;
}

int64_t at_least_one(nb::handle given, const char* what) {
  const int64_t value = integer(given, what);
  if (value < 1) fail(fmt::format("{}: expected at least 1, found {}", what, value));
  return value;
}

MropeNext next_of(nb::handle given) {
  const std::string_view name = text(given, "next");
  if (name == "largest") return MropeNext::largest;
  if (name == "side") return MropeNext::side;
  fail(fmt::format("next: expected \"largest\" or \"side\", found \"{}\"", escaped(name)));
}

nb::object from_mask(nb::handle mask, nb::handle masked_value) {
  const Integers given = integers_of(mask, "mask", 2);
  const std::vector<uint8_t> values = bytes_of(given, "mask", 1);
  return array_of(mask_positions({given.shape[0], given.shape[1], values},
                                 integer(masked_value, "masked_value")),
                  mask);
}

nb::object packed(nb::handle cu_seqlens, nb::handle firsts) {
  const std::vector<int64_t> ends = integers_of(cu_seqlens, "cu_seqlens", 1).values;
  const std::vector<int64_t> from =
      firsts.is_none() ? std::vector<int64_t>() : integers_of(firsts, "firsts", 1).values;
  return array_of(packed_positions(ends, from), cu_seqlens);
}

struct Pictures {
  nb::handle images, videos, seconds;
};

nb::object mrope(nb::handle kinds, const Pictures& pictures, nb::handle mask,
                 const MropeRules& rules, int64_t masked_value) {
  const Integers given = integers_of(kinds, "mm_token_type_ids", 2);
  const std::vector<uint8_t> types = bytes_of(given, "mm_token_type_ids", 2);
  std::vector<uint8_t> seen;
  if (!mask.is_none()) seen = bytes_of(integers_of(mask, "mask", 2), "mask", 1);
  const std::vector<VisionGrid> of_images = grids_of(pictures.images, "images"),
                                of_videos = grids_of(pictures.videos, "videos");
  const std::vector<double> seconds = numbers_of(pictures.seconds, "second_per_grid");
  const MropePositions result =
      mrope_positions({given.shape[0], given.shape[1], types, seen, of_images, of_videos, seconds},
                      rules, masked_value);
  return nb::make_tuple(array_of(result.positions, kinds),
                        array_of({{std::ssize(result.deltas)}, result.deltas}, kinds));
}

}  // namespace

void bind_positions(nb::module_& m) {
  using nb::arg;
  const nb::tuple none = nb::make_tuple();
  define(m, "def positions_from_mask(mask: object, *, masked_value: int = 0) -> typing.Any",
         from_mask, docs::kFromMask, arg("mask").none(), nb::kw_only(),
         arg("masked_value").none() = 0);
  define(m, "def positions_packed(cu_seqlens: object, firsts: object | None = None) -> typing.Any",
         packed, docs::kPacked, arg("cu_seqlens").none(), arg("firsts").none() = nb::none());
  define(
      m, docs::kMropeSig,
      [](nb::handle kinds, nb::handle images, nb::handle videos, nb::handle mask, nb::handle merge,
         nb::handle temporal, nb::handle tokens, nb::handle apart, nb::handle next,
         nb::handle seconds, nb::handle masked_value) {
        const MropeRules rules{.spatial_merge = at_least_one(merge, "spatial_merge"),
                               .temporal_merge = at_least_one(temporal, "temporal_merge"),
                               .tokens_per_second = number(tokens, "tokens_per_second"),
                               .frames_apart = flag(apart, "frames_apart"),
                               .next = next_of(next)};
        return mrope(kinds, {images, videos, seconds}, mask, rules,
                     integer(masked_value, "masked_value"));
      },
      docs::kMrope, arg("mm_token_type_ids").none(), nb::kw_only(), arg("images").none() = none,
      arg("videos").none() = none, arg("mask").none() = nb::none(), arg("spatial_merge").none() = 2,
      arg("temporal_merge").none() = 1, arg("tokens_per_second").none() = 0.0,
      arg("frames_apart").none() = false, arg("next").none() = "largest",
      arg("second_per_grid").none() = none, arg("masked_value").none() = 0);
  define(
      m,
      "def positions_grid(grids: object, *, merge: int = 2, axes: typing.Literal[\"hw\", \"wh\", "
      "\"thw\"] = \"hw\") -> numpy.ndarray",
      [](nb::handle grids, nb::handle merge, nb::handle axes) {
        const GridPositions positions =
            grid_positions(grids_of(grids, "grids"), integer(merge, "merge"));
        const std::string_view order = text(axes, "axes");
        switch (named("axes", [&] { return patch_axes_from_name(order); })) {
          case PatchAxes::hw:
            return array_of(positions.hw(), nb::none());
          case PatchAxes::wh:
            return array_of(positions.wh(), nb::none());
          default:
            return array_of(positions.thw(), nb::none());
        }
      },
      docs::kGrid, arg("grids").none(), nb::kw_only(), arg("merge").none() = 2,
      arg("axes").none() = "hw");
  define(
      m, "def positions_chatglm(token_ids: object) -> typing.Any",
      [](nb::handle token_ids) {
        const ChatGlmPositions positions =
            chatglm_positions(integers_of(token_ids, "token_ids", 1).values);
        return array_of({{2, 1, std::ssize(positions.position)}, positions.planes()}, token_ids);
      },
      docs::kChatglm, arg("token_ids").none());
}

}  // namespace ropewalk::python
