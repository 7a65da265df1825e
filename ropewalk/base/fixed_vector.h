#pragma once

#include <array>
#include <initializer_list>
#include <string>

#include "ropewalk/base/error.h"

namespace ropewalk {

// Up to N values kept in place, so that the short lists of a call need no allocation. Throws
// unsupported for one more.
template <typename T, int N>
class FixedVector {
 public:
  static constexpr int kCapacity = N;

  FixedVector() = default;
  FixedVector(std::initializer_list<T> values) {
    for (const T& value : values) push_back(value);
  }

  void push_back(const T& value) {
    if (size_ == N) {
      throw Error(ErrorCode::unsupported, "more than " + std::to_string(N) + " of them");
    }
    values_[static_cast<size_t>(size_++)] = value;
  }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](int i) { return values_[static_cast<size_t>(i)]; }
  const T& operator[](int i) const { return values_[static_cast<size_t>(i)]; }
  const T& back() const { return values_[static_cast<size_t>(size_ - 1)]; }
  T* begin() { return values_.data(); }
  T* end() { return values_.data() + size_; }
  const T* begin() const { return values_.data(); }
  const T* end() const { return values_.data() + size_; }

  friend bool operator==(const FixedVector& a, const FixedVector& b) {
    bool same = a.size_ == b.size_;
    for (int i = 0; same && i < a.size_; ++i) same = a[i] == b[i];
    return same;
  }

 private:
  std::array<T, N> values_{};
  int size_ = 0;
};

}  // namespace ropewalk
