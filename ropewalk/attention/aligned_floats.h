#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "ropewalk/base/checked.h"

namespace ropewalk {

// Floats that start at a multiple of 64 bytes, not set to anything.
class AlignedFloats {
 public:
  // What was there is lost where it grows. Throws std::bad_alloc.
  void reserve(int64_t count) {
    if (count <= size_) return;
    const auto bytes = checked_mul(count, static_cast<int64_t>(sizeof(float)));
    if (!bytes) throw std::bad_alloc();
    memory_.reset();
    size_ = 0;
    memory_.reset(
        static_cast<float*>(::operator new (static_cast<size_t>(*bytes), std::align_val_t{64})));
    size_ = count;
  }
  float* data() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(float* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  std::unique_ptr<float, Free> memory_;
  int64_t size_ = 0;
};

}  // namespace ropewalk
