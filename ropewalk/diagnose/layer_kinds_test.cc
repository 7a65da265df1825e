#include "ropewalk/diagnose/layer_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ropewalk/models/models.h"

namespace ropewalk {
namespace {

using ::testing::ElementsAre;

TEST(LayerKinds, Groups) {
  ModelEncoding model;
  model.layers.resize(6);
  model.layers[1].positions = RopeConfig{};
  model.layers[2].positions = AlibiConfig{};
  model.layers[3].positions = RopeConfig{.rope_theta = 500};
  model.layers[4].positions = RopeConfig{};
  model.layers[5].positions = SinusoidalConfig{};
  EXPECT_EQ(layer_letters(model), "-RASRP");
  const std::vector<LayerGroup> groups = groups_of_layers(model);
  ASSERT_EQ(groups.size(), 5U);
  EXPECT_EQ(groups[1].letter, 'R');
  EXPECT_EQ(groups[1].positions, PositionEncoding(RopeConfig{}));
  EXPECT_THAT(groups[1].layers, ElementsAre(1, 4));
  EXPECT_TRUE(groups_of_layers({}).empty());
}

TEST(LayerKinds, Gemma3) {
  const ModelEncoding model = read_model(ROPEWALK_TESTDATA "/models/gemma-3-1b");
  const std::vector<LayerGroup> groups = groups_of_layers(model);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(groups[1].layers, ElementsAre(5, 11, 17, 23));
}

}  // namespace
}  // namespace ropewalk
