#include "ropewalk/diagnose/dumps/dump_types.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/half.h"

namespace ropewalk {
namespace {

void check_type(const ConstTensorView& view, const char* what) {
  if (view.dtype == DType::f32 || view.dtype == DType::bf16 || view.dtype == DType::f16) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: expected f32, bf16 or f16, found {}", what, name(view.dtype)));
}

// Calls look(value) with the numbers of some tokens, all where there are not many, until it returns
// false; the place of that one.
template <typename Look>
std::optional<DumpRows::Place> for_some(const ConstTensorView& view, Look look,
                                        int64_t most_tokens = 256) {
  const int64_t length = view.shape[1];
  const int64_t step = std::max<int64_t>(1, length / most_tokens);
  for (int64_t b = 0; b < view.shape[0]; ++b) {
    for (int64_t s = 0; s < length; s += step) {
      const DumpRows rows = rows_of({view, view}, {{b, s, 0}}, view.shape[2]);
      for (const float value : rows.x) {
        if (!look(value)) return DumpRows::Place{b, s, 0};
      }
    }
  }
  return std::nullopt;
}

constexpr DumpRounding kBf16{DType::bf16, 0x1p-9, 0x1p-8}, kF16{DType::f16, 0x1p-12, 0x1p-11};

DumpRounding rounding_of_type(DType dtype) {
  if (dtype == DType::bf16) return kBf16;
  return dtype == DType::f16 ? kF16 : DumpRounding{};
}

DumpRounding rounding_of_numbers(const ConstTensorView& view) {
  if (view.dtype == DType::bf16) return kBf16;
  if (view.dtype == DType::f16) return kF16;
  bool bf16 = true, f16 = true, any = false;
  for_some(view, [&](float value) {
    bf16 = bf16 && (std::bit_cast<uint32_t>(value) & 0xFFFF) == 0;
    f16 = f16 && float_from_f16(f16_from_float(value)) == value;
    any = any || value != 0;
    return bf16 || f16;
  });
  if (any && bf16) return kBf16;
  return any && f16 ? kF16 : DumpRounding{};
}

void check_finite(const ConstTensorView& view, const char* what) {
  float strange = 0;
  int64_t count = 0;  // of the numbers of the token
  const auto at = for_some(view, [&](float value) {
    count = count % (view.shape[2] * view.shape[3]) + 1;
    strange = value;
    return std::isfinite(value);
  });
  if (!at) return;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("{}: expected finite numbers, found {} in {}token {}, head {}, channel {}", what,
                  strange, at->b == 0 ? "" : fmt::format("sequence {}, ", at->b), at->s,
                  (count - 1) / view.shape[3], (count - 1) % view.shape[3]));
}

bool is_zero(const ConstTensorView& view) {
  const auto zero = [](float value) { return value == 0; };
  return !for_some(view, zero) && !for_some(view, zero, view.shape[1]);
}

void check_not_all_zero(const Dumps& dumps) {
  if (!is_zero(dumps.before) || !is_zero(dumps.after)) return;
  throw Error(ErrorCode::invalid_argument,
              "before, after: expected numbers other than 0, found nothing but zeros: there is "
              "nothing to compare");
}

}  // namespace

Dumps checked_dumps(const ConstTensorView& before, const ConstTensorView& after,
                    TensorLayout layout) {
  check_type(before, "before");
  check_type(after, "after");
  if (before.shape != after.shape) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("after: expected the shape of before, {}, found {}",
                            to_string(before.shape), to_string(after.shape)));
  }
  const Dumps dumps{as_bshd(before, layout, "before"), as_bshd(after, layout, "after")};
  if (num_elements(dumps.before.shape) == 0) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("before: expected some numbers, found shape {}", to_string(before.shape)));
  }
  check_finite(dumps.before, "before");
  check_finite(dumps.after, "after");
  check_not_all_zero(dumps);
  return dumps;
}

DumpRounding rounding_of(const Dumps& dumps, DType least, bool exact_before) {
  DumpRounding result = rounding_of_type(least);
  for (const ConstTensorView* view : {&dumps.before, &dumps.after}) {
    if (exact_before && view == &dumps.before) continue;
    const DumpRounding own = rounding_of_numbers(*view);
    if (own.half_step > result.half_step) result = own;
  }
  return result;
}

}  // namespace ropewalk
