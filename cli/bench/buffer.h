#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "ropewalk/base/dtype.h"
#include "ropewalk/base/half.h"

namespace ropewalk::cli {

// Memory at a whole page, filled with numbers near 1; of i8 with bytes.
class Buffer {
 public:
  Buffer(DType dtype, int64_t bytes) : bytes_(bytes) {
    memory_.reset(static_cast<char*>(
        std::aligned_alloc(4096, static_cast<size_t>(bytes + 4096) / 4096 * 4096)));
    if (!memory_) throw std::bad_alloc();
    const int64_t size = dtype == DType::f32 ? 4 : 2;
    for (int64_t i = 0; i < bytes / size; ++i) {
      const float value = 1.0f + static_cast<float>(i * 7 % 64) / 64;
      const uint16_t half = dtype == DType::f16 ? f16_from_float(value) : bf16_from_float(value);
      if (dtype == DType::f32) std::memcpy(memory_.get() + i * 4, &value, 4);
      if (dtype != DType::f32) std::memcpy(memory_.get() + i * 2, &half, 2);
    }
  }
  char* data() const { return memory_.get(); }
  int64_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  std::unique_ptr<char, Free> memory_;
  int64_t bytes_;
};

}  // namespace ropewalk::cli
