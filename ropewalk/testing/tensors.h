#pragma once

#include <cstring>
#include <vector>

#include "ropewalk/base/half.h"
#include "ropewalk/base/random.h"
#include "ropewalk/base/tensor.h"

namespace ropewalk::testing {

// A float32 tensor of seeded normal numbers.
inline Tensor random_tensor(const Dims& shape, uint64_t seed, DType dtype = DType::f32) {
  Tensor tensor = make_tensor(DType::f32, shape);
  auto* out = reinterpret_cast<float*>(tensor.bytes.data());
  for (int64_t i = 0; i < num_elements(shape); ++i) {
    out[i] = normal_at(seed, static_cast<uint64_t>(i));
  }
  return dtype == DType::f32 ? tensor : converted(tensor.view(), dtype);
}

// A float32 tensor of these numbers.
inline Tensor tensor_of(const Dims& shape, const std::vector<float>& values) {
  Tensor tensor = make_tensor(DType::f32, shape);
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

inline std::vector<float> floats(const ConstTensorView& view) {
  const Tensor copy = converted(view, DType::f32);
  std::vector<float> values(copy.bytes.size() / 4);
  if (!values.empty()) std::memcpy(values.data(), copy.bytes.data(), copy.bytes.size());
  return values;
}

inline std::vector<float> floats(const Tensor& tensor) { return floats(tensor.view()); }

}  // namespace ropewalk::testing
