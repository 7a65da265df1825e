#include "ropewalk/kernels/add/add.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/base/random.h"
#include "ropewalk/testing/targets.h"

namespace ropewalk {
namespace {

// The definition, element by element.
std::vector<float> reference(const std::vector<float>& x, const std::vector<float>& addend,
                             const Dropout& dropout, uint64_t first) {
  std::vector<float> out(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const float value = addend.empty() ? x[i] : x[i] + addend[i];
    const bool kept = uniform_at(dropout.seed, first + i) >= dropout.probability;
    out[i] = kept ? value * static_cast<float>(1 / (1 - dropout.probability)) : 0;
    if (dropout.probability == 0) out[i] = value;
  }
  return out;
}

TEST(AddRow, EqualsTheDefinitionOnEveryTarget) {
  testing::for_each_target([](const std::string&) {
    for (int64_t count : {1, 3, 4, 16, 17, 255, 256, 257, 700}) {
      std::vector<float> x(static_cast<size_t>(count)), addend(x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        x[i] = normal_at(1, i);
        addend[i] = normal_at(2, i);
      }
      for (double probability : {0.0, 0.1, 0.5, 1.0}) {
        for (uint64_t first : {uint64_t{0}, uint64_t{1}, uint64_t{4095}, uint64_t{1} << 40}) {
          const Dropout dropout{probability, 77};
          std::vector<float> out(x.size() + 1, 7);
          add_row({x.data(), 1}, {addend.data(), 1}, {out.data(), 1}, count, dropout, first);
          EXPECT_EQ(out.back(), 7);
          out.pop_back();
          EXPECT_EQ(out, reference(x, addend, dropout, first)) << count << " " << probability;
          add_row({x.data(), 1}, {nullptr, 1}, {out.data(), 1}, count, dropout, first);
          EXPECT_EQ(out, reference(x, {}, dropout, first)) << count << " " << probability;
          std::vector<float> wide(x.size() * 3, 5);
          add_row({x.data(), 1}, {addend.data(), 1}, {wide.data(), 3}, count, dropout, first);
          for (size_t i = 0; i < x.size(); ++i) {
            EXPECT_EQ(wide[3 * i], reference(x, addend, dropout, first)[i]);
            EXPECT_EQ(wide[3 * i + 1], 5);
          }
        }
      }
    }
  });
}

TEST(AddRow, ADroppedNaNIsZero) {
  std::vector<float> x(64, std::numeric_limits<float>::quiet_NaN());
  add_row({x.data(), 1}, {nullptr, 1}, {x.data(), 1}, 64, {1.0, 3});
  EXPECT_EQ(x, std::vector<float>(64, 0.0f));
}

}  // namespace
}  // namespace ropewalk
