#include <cstring>
#include <string>
#include <vector>

#include <fuzzer/FuzzedDataProvider.h>

#include "fuzz/memory_file.h"
#include "ropewalk/apply/rope.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/half.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/kernels/simd/targets.h"
#include "ropewalk/spectrum/spectrum.h"

// apply_rope beside a scalar rotation, bit for bit: any layout, type, order of the dimensions,
// strides, positions and instruction set; what lies between the numbers stays as it was.
namespace {

using namespace ropewalk;

RotaryLayout layout_of(FuzzedDataProvider& in) {
  RotaryLayout layout{in.ConsumeIntegralInRange<int64_t>(1, 40), {}};
  for (int64_t at = 0; at + 2 <= layout.head_dim && layout.windows.size() < kMaxWindows;) {
    const int64_t gap = in.ConsumeIntegralInRange<int64_t>(0, 3), offset = at + gap;
    if (offset + 2 > layout.head_dim) break;
    const int64_t dim = 2 * in.ConsumeIntegralInRange<int64_t>(1, (layout.head_dim - offset) / 2);
    layout.windows.push_back(
        {offset, dim, in.ConsumeBool() ? Pairing::half_split : Pairing::interleaved});
    at = offset + dim;
  }
  return layout;
}

float number_at(const Tensor& x, size_t i) {
  if (x.dtype == DType::f32) {
    float value;
    std::memcpy(&value, x.bytes.data() + 4 * i, 4);
    return value;
  }
  uint16_t half;
  std::memcpy(&half, x.bytes.data() + 2 * i, 2);
  return x.dtype == DType::f16 ? float_from_f16(half) : float_from_bf16(half);
}

void put(Tensor& x, size_t i, float value) {
  if (x.dtype == DType::f32) {
    std::memcpy(x.bytes.data() + 4 * i, &value, 4);
    return;
  }
  const uint16_t half = x.dtype == DType::f16 ? f16_from_float(value) : bf16_from_float(value);
  std::memcpy(x.bytes.data() + 2 * i, &half, 2);
}

// x [batch, seq, heads, head_dim], by the rows of each token.
Tensor rotated(const Tensor& x, const RotaryLayout& layout, const RopeRows& rows) {
  Tensor y = x;
  const int64_t tokens = x.shape[0] * x.shape[1], heads = x.shape[2];
  for (int64_t token = 0; token < tokens; ++token) {
    const float* cos = rows.rows.data() + token * 2 * rows.pairs;
    const float* sin = cos + rows.pairs;
    for (int64_t h = 0; h < heads; ++h) {
      const int64_t head = (token * heads + h) * layout.head_dim;
      int64_t pair = 0;
      for (const RotaryWindow& window : layout.windows) {
        for (int64_t i = 0; i < window.dim / 2; ++i, ++pair) {
          const bool half = window.pairing == Pairing::half_split;
          const auto a = static_cast<size_t>(head + window.offset + (half ? i : 2 * i));
          const size_t b = half ? a + static_cast<size_t>(window.dim / 2) : a + 1;
          const float xa = number_at(x, a), xb = number_at(x, b);
          const float ac = xa * cos[pair], bs = xb * sin[pair], bc = xb * cos[pair],
                      as = xa * sin[pair];
          put(y, a, ac - bs);
          put(y, b, bc + as);
        }
      }
    }
  }
  return y;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedDataProvider in(data, size);
  const std::vector<std::string> targets = available_targets();
  cap_target(targets[in.ConsumeIntegralInRange<size_t>(0, targets.size() - 1)]);
  const RotaryLayout layout = layout_of(in);
  std::vector<double> inv_freq(static_cast<size_t>(pair_count(layout)));
  for (double& f : inv_freq) f = in.ConsumeFloatingPointInRange<double>(0, 1);
  const Spectrum spectrum = spectrum_from_inv_freq(inv_freq);
  const int64_t batch = in.ConsumeIntegralInRange<int64_t>(0, 2),
                length = in.ConsumeIntegralInRange<int64_t>(0, 5),
                heads = in.ConsumeIntegralInRange<int64_t>(0, 4);
  std::vector<int64_t> ids(static_cast<size_t>(batch * length));
  for (int64_t& id : ids) id = in.ConsumeIntegral<int64_t>();
  const PositionIds positions =
      positions_of(make_view(static_cast<const void*>(ids.data()), DType::i64, {batch, length}));
  constexpr DType kTypes[] = {DType::f32, DType::bf16, DType::f16};
  Tensor x = make_tensor(in.PickValueInArray(kTypes), {batch, length, heads, layout.head_dim});
  for (size_t i = 0; i < static_cast<size_t>(num_elements(x.shape)); ++i) {
    put(x, i, in.ConsumeFloatingPointInRange<float>(-100, 100));
  }
  const Tensor expected = rotated(x, layout, make_rope_rows(spectrum, positions, batch, length));
  // Somewhere else: dimensions in another order, with room between the numbers.
  const Dims order = in.ConsumeBool() ? Dims{0, 2, 1, 3} : Dims{0, 1, 2, 3};
  const auto bytes = static_cast<int64_t>(size_in_bytes(x.dtype));
  TensorView away = x.view();
  int64_t step = in.ConsumeIntegralInRange<int64_t>(1, 3);
  for (int i = 3; i >= 0; --i) {
    const auto axis = static_cast<int>(order[i]);
    away.strides[axis] = step;
    step = step * std::max<int64_t>(x.shape[axis], 1) + in.ConsumeIntegralInRange<int64_t>(0, 2);
  }
  std::vector<std::byte> memory(static_cast<size_t>(step * bytes), std::byte{0x5a}),
      before = memory;
  const auto spread = [&](const Tensor& from, std::vector<std::byte>& to) {
    size_t at = 0;
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t s = 0; s < length; ++s) {
        for (int64_t h = 0; h < heads; ++h) {
          for (int64_t c = 0; c < layout.head_dim; ++c, at += static_cast<size_t>(bytes)) {
            const int64_t place = b * away.strides[0] + s * away.strides[1] + h * away.strides[2] +
                                  c * away.strides[3];
            std::memcpy(to.data() + place * bytes, from.bytes.data() + at,
                        static_cast<size_t>(bytes));
          }
        }
      }
    }
  };
  spread(expected, before);
  away.data = memory.data();
  if (in.ConsumeBool()) {
    spread(x, memory);
    apply_rope(spectrum, layout, positions, in_place(away));
  } else {
    apply_rope(spectrum, layout, positions, {std::as_const(x).view(), away});
  }
  require(memory == before);
  return 0;
}
