#include "ropewalk/conventions/family.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace ropewalk {
namespace {

TEST(Conventions, NamesAreUnique) {
  std::set<std::string_view> families, types;
  for (const Family* family : all_families()) {
    EXPECT_TRUE(families.insert(family->name).second) << family->name;
    for (const ModelType& type : family->types) {
      EXPECT_TRUE(types.insert(type.name).second) << type.name;
      EXPECT_EQ(find_model_type(type.name).type, &type);
    }
  }
  EXPECT_EQ(find_model_type("no such type").type, nullptr);
}

// What a special or a part reads is there, and nothing else has it.
TEST(Conventions, RowsHaveWhatTheirReaderNeeds) {
  std::set<Special> used;
  for (const Family* family : all_families()) {
    for (const ModelType& type : family->types) {
      used.insert(type.special);
      const bool tower =
          type.special == Special::vision_tower || type.special == Special::memory_attention;
      EXPECT_EQ(type.tower != nullptr, tower) << type.name;
      EXPECT_EQ(type.axes != nullptr, type.special == Special::diffusion) << type.name;
      EXPECT_EQ(type.part.empty(), type.part_type.empty()) << type.name;
      if (!type.part.empty()) {
        EXPECT_NE(find_model_type(type.part_type).type, nullptr) << type.name;
      }
      if (type.positions == Positions::other) {
        EXPECT_FALSE(type.remark.empty()) << type.name;
      }
      for (const Part& part : type.parts) {
        EXPECT_EQ(part.tower != nullptr, part.kind == Part::Kind::vision_tower) << type.name;
        if (part.kind != Part::Kind::model) continue;
        EXPECT_NE(find_model_type(part.type).type, nullptr) << type.name << part.type;
        EXPECT_FALSE(part.key.empty() || part.name.empty()) << type.name;
      }
    }
  }
  size_t specials = 1;  // none
#define ROPEWALK_SPECIAL(name) ++specials;
#include "ropewalk/conventions/specials.inc"
#undef ROPEWALK_SPECIAL
  EXPECT_EQ(used.size(), specials) << "a special that no row names";
}

}  // namespace
}  // namespace ropewalk
