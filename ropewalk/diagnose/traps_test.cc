#include "ropewalk/diagnose/traps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ropewalk/models/models.h"

namespace ropewalk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Trap> traps_of(const std::string& more) {
  return known_traps(read_model_config(R"({"model_type": "llama", "hidden_size": 128,
      "num_attention_heads": 1, "num_hidden_layers": 3, )" +
                                           more + "}",
                                       "config.json"));
}

TEST(Traps, FactorThatIsNotTheRatio) {
  const std::string yarn = R"("rope_theta": 10000, "rope_scaling": {"type": "yarn", "factor": 4,
      "original_max_position_embeddings": 4096}, "max_position_embeddings": )";
  EXPECT_THAT(traps_of(yarn + "32768"), ElementsAre(FactorDisagrees{4, 32768, 4096}))
      << "once, though three layers have it";
  EXPECT_THAT(traps_of(yarn + "16384"), IsEmpty());
  EXPECT_THAT(traps_of(yarn + "4096"), IsEmpty()) << "the length before the scaling is stated";
}

TEST(Traps, BaseThatIsStatedNowhere) {
  EXPECT_THAT(traps_of(R"("max_position_embeddings": 32768)"),
              ElementsAre(BaseNotStated{10000, 32768}));
  EXPECT_THAT(traps_of(R"("max_position_embeddings": 4096)"), IsEmpty());
  EXPECT_THAT(traps_of(R"("rope_theta": 10000, "max_position_embeddings": 32768)"), IsEmpty());
}

TEST(Traps, NoneInPresets) {
  for (const std::string& name : preset_names()) EXPECT_THAT(known_traps(preset(name)), IsEmpty());
}

}  // namespace
}  // namespace ropewalk
