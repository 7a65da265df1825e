#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "ropewalk/base/error.h"

namespace ropewalk {

// A shape or a list of strides: up to 8 numbers, kept in place so that a view needs no allocation.
class Dims {
 public:
  static constexpr int kMaxRank = 8;

  Dims() = default;
  Dims(std::initializer_list<int64_t> values) {
    for (int64_t value : values) push_back(value);
  }

  void push_back(int64_t value) {
    if (rank_ == kMaxRank) throw Error(ErrorCode::unsupported, "more than 8 dimensions");
    values_[rank_++] = value;
  }

  int size() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  int64_t& operator[](int i) { return values_[i]; }
  int64_t operator[](int i) const { return values_[i]; }
  int64_t back() const { return values_[rank_ - 1]; }
  const int64_t* begin() const { return values_.data(); }
  const int64_t* end() const { return values_.data() + rank_; }

  friend bool operator==(const Dims& a, const Dims& b) {
    return a.rank_ == b.rank_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  std::array<int64_t, kMaxRank> values_{};
  int rank_ = 0;
};

// "[2, 16, 32, 128]"
std::string to_string(const Dims& dims);

}  // namespace ropewalk
