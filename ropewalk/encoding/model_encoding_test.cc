#include "ropewalk/encoding/model_encoding.h"

#include "ropewalk/testing/errors.h"

namespace ropewalk {
namespace {

ModelEncoding two_layers() {
  ModelEncoding model{.name = "two"};
  model.layers.resize(2);
  model.layers[0].positions = RopeConfig{.rope_theta = 500};
  model.layers[1].positions = AlibiConfig{};
  return model;
}

TEST(ModelEncoding, LayerAt) {
  const ModelEncoding model = two_layers();
  EXPECT_EQ(&layer_at(model, 1), &model.layers[1]);
  EXPECT_ROPEWALK_ERROR(layer_at(model, 2), ErrorCode::invalid_argument,
                        "layer: expected 0..1 for two, found 2");
  EXPECT_ROPEWALK_ERROR(layer_at(model, -1), ErrorCode::invalid_argument, "found -1");
}

TEST(ModelEncoding, RopeAt) {
  const ModelEncoding model = two_layers();
  EXPECT_EQ(rope_at(model, 0).rope_theta, 500);
  EXPECT_ROPEWALK_ERROR(rope_at(model, 1), ErrorCode::invalid_argument,
                        "two: layer 1 has no rotary encoding but alibi");
}

TEST(ModelEncoding, WhoReadsPositionIds) {
  ModelEncoding model = two_layers();
  EXPECT_TRUE(reads_position_ids(model.layers[0]));
  EXPECT_FALSE(reads_position_ids(model.layers[1]));
  model.layers[1].attention.query_scale = QueryScale{};
  EXPECT_TRUE(reads_position_ids(model.layers[1]));
}

}  // namespace
}  // namespace ropewalk
