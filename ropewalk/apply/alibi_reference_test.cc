// ALiBi slopes beside BLOOM's of transformers and the definition.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/apply/alibi.h"
#include "ropewalk/testing/fixture.h"
#include "ropewalk/testing/tolerance.h"

namespace ropewalk {
namespace {

using testing::Fixture;

TEST(AlibiReference, SlopesOfBloom) {
  const Fixture fixture("alibi");
  for (const int64_t heads : {1, 2, 3, 6, 8, 12, 20, 40, 64, 71, 112}) {
    const std::string suffix = std::to_string(heads);
    const std::vector<float> slopes = alibi_slopes({.heads = heads});
    const std::span<const float> exact = fixture.f32("slopes_exact_" + suffix);
    const std::span<const float> bloom = fixture.f32("slopes_" + suffix);
    ASSERT_EQ(slopes.size(), exact.size());
    for (size_t h = 0; h < slopes.size(); ++h) {
      EXPECT_EQ(slopes[h], exact[h]) << heads << " heads, head " << h;
      EXPECT_NEAR(slopes[h], bloom[h], testing::kAlibiSlopeFloat32 * bloom[h])
          << heads << " heads, head " << h;
    }
  }
}

}  // namespace
}  // namespace ropewalk
