#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace ropewalk {

// Which integers a key may hold.
struct IntegerRule {
  int64_t least = 1;
  int64_t most = int64_t{1} << 53;  // up to here a number written 1e6 is exact
  int64_t multiple_of = 1;

  bool holds(int64_t value) const {
    return value >= least && value <= most && value % multiple_of == 0;
  }
};
// "an even number in 2..65536"
std::string in_words(const IntegerRule& rule);

// Which numbers a key may hold, in words for the message and as a test. NaN and infinities never
// reach the test: in the file they are not numbers.
struct NumberRule {
  std::string_view expected;  // "a number of at least 1"
  bool (*holds)(double value);
};

// What holds when a key is absent or null.
template <typename T>
struct Default {
  T value;
  std::string_view reason;  // "default of LlamaConfig"
};

// Rules that every family shares.
inline constexpr IntegerRule kHiddenSize{1, int64_t{1} << 31};
inline constexpr IntegerRule kHeadCount{1, int64_t{1} << 20};
inline constexpr IntegerRule kLayerCount{1, 4096};
inline constexpr IntegerRule kHeadDim{2, 65536, 2};
inline constexpr IntegerRule kPositionCount{};
inline constexpr IntegerRule kRank{1, int64_t{1} << 31};
inline constexpr IntegerRule kChannels{1, 65536};

// A base below 1 would make the frequencies grow.
inline constexpr NumberRule kRopeTheta{
    "a number of at least 1 that float32 holds",
    [](double value) { return value >= 1 && value <= std::numeric_limits<float>::max(); }};
inline constexpr NumberRule kFraction{"a number above 0 and at most 1",
                                      [](double value) { return value > 0 && value <= 1; }};
inline constexpr NumberRule kAnyNumber{"a number", [](double) { return true; }};
inline constexpr NumberRule kPositiveFloat{"a number above 0 that float32 holds", [](double value) {
                                        return value >= std::numeric_limits<float>::min() &&
                                               value <= std::numeric_limits<float>::max();
                                      }};
// What multiplies q, k or v; more than a million either way is no model.
inline constexpr NumberRule kFactorWithin{
    "a number within -1e6 to 1e6", [](double value) { return value >= -1e6 && value <= 1e6; }};
inline constexpr NumberRule kEps{"a number of at least 0 and below 1",
                                 [](double value) { return value >= 0 && value < 1; }};

}  // namespace ropewalk
