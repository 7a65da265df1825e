#include "ropewalk/base/overlap.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace ropewalk {
namespace {

// Bytes from the lowest to one past the highest address that the dimensions in `inner` reach, and
// the greatest common divisor of the steps of the others.
struct Footprint {
  int64_t low = 0, extent = 0, step = 0;
};

Footprint footprint(const ConstTensorView& view, unsigned inner) {
  const auto size = static_cast<int64_t>(size_in_bytes(view.dtype));
  Footprint result{0, size, 0};
  for (int i = 0; i < view.shape.size(); ++i) {
    if (view.shape[i] <= 1) continue;
    const int64_t step = view.strides[i] * size;
    if (inner >> i & 1) {
      result.extent += std::abs(step) * (view.shape[i] - 1);
      if (step < 0) result.low += step * (view.shape[i] - 1);
    } else {
      result.step = std::gcd(result.step, std::abs(step));
    }
  }
  return result;
}

// All addresses of a view lie, modulo the step of its outer dimensions, in one interval. Two views
// whose intervals do not meet modulo a common step are apart.
bool apart(const ConstTensorView& a, const ConstTensorView& b, unsigned inner) {
  const Footprint fa = footprint(a, inner), fb = footprint(b, inner);
  const int64_t step = std::gcd(fa.step, fb.step);
  if (step == 0) return false;
  const auto address = [](const ConstTensorView& view, const Footprint& f) {
    return reinterpret_cast<int64_t>(view.data) + f.low;
  };
  const int64_t distance = ((address(b, fb) - address(a, fa)) % step + step) % step;
  return distance >= fa.extent && distance + fb.extent <= step;
}

}  // namespace

bool same_view(const ConstTensorView& a, const ConstTensorView& b) {
  if (a.data != b.data || a.dtype != b.dtype || !(a.shape == b.shape)) return false;
  for (int i = 0; i < a.shape.size(); ++i) {
    if (a.shape[i] > 1 && a.strides[i] != b.strides[i]) return false;
  }
  return true;
}

bool may_overlap(const ConstTensorView& a, const ConstTensorView& b) {
  const auto [a_begin, a_end] = byte_range(a);
  const auto [b_begin, b_end] = byte_range(b);
  if (a_begin == a_end || b_begin == b_end || a_end <= b_begin || b_end <= a_begin) return false;
  if (a.shape.size() != b.shape.size()) return true;
  for (unsigned inner = 0; inner < 1u << a.shape.size(); ++inner) {
    if (apart(a, b, inner)) return false;
  }
  return true;
}

namespace {

// Each dimension steps over all that the next ones reach: as in most arrays, and no sorting tells
// more.
bool steps_decrease(const ConstTensorView& view) {
  int64_t reach = 0;
  for (int i = view.shape.size() - 1; i >= 0; --i) {
    if (view.shape[i] == 1) continue;
    if (view.strides[i] <= reach) return false;
    reach += view.strides[i] * (view.shape[i] - 1);
  }
  return true;
}

}  // namespace

bool may_alias_itself(const ConstTensorView& view) {
  // Of an empty one the strides may be anything, and their products overflow.
  for (int64_t dim : view.shape) {
    if (dim == 0) return false;
  }
  if (steps_decrease(view)) return false;
  FixedVector<std::pair<int64_t, int64_t>, kMaxRank> steps;  // |stride|, size
  for (int i = 0; i < view.shape.size(); ++i) {
    if (view.shape[i] > 1) steps.push_back({std::abs(view.strides[i]), view.shape[i]});
  }
  std::sort(steps.begin(), steps.end());
  int64_t reach = 0;  // of the dimensions with smaller strides
  for (const auto& [step, size] : steps) {
    if (step <= reach) return true;
    reach += step * (size - 1);
  }
  return false;
}

}  // namespace ropewalk
