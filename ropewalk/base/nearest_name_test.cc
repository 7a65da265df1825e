#include "ropewalk/base/nearest_name.h"

#include <string>

#include <gtest/gtest.h>

#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

constexpr std::string_view kNames[] = {"llama", "baichuan", "chatglm"};

TEST(NearestName, Distances) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("llama", ""), 5u);
  EXPECT_EQ(edit_distance("lama", "llama"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(NearestName, SlipsAreRecognised) {
  EXPECT_EQ(did_you_mean("lama", kNames), "; did you mean \"llama\"?");
  EXPECT_EQ(did_you_mean("Baichuan", kNames), "; did you mean \"baichuan\"?");
  EXPECT_EQ(did_you_mean("chatgml", kNames), "; did you mean \"chatglm\"?");
}

TEST(NearestName, OtherWordsAreNot) {
  EXPECT_EQ(did_you_mean("mistral", kNames), "");
  EXPECT_EQ(did_you_mean("", kNames), "");
  EXPECT_EQ(did_you_mean(std::string(1'000'000, 'l'), kNames), "");
}

ROPEWALK_PROPERTY(NearestName, DistanceIsAMetric,
                  [](const std::string& a, const std::string& b, const std::string& c) {
                    RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
                    RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
                    RC_ASSERT(edit_distance(a, c) <= edit_distance(a, b) + edit_distance(b, c));
                  })

}  // namespace
}  // namespace ropewalk
