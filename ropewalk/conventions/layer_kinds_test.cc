#include "ropewalk/conventions/layer_kinds.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

TEST(LayerKinds, ALetterIsTheFirstOfTheNameOrItsOwn) {
  constexpr LayerKind kKinds[] = {
      {.name = "full_attention"}, {.name = "mlp", .letter = '-'}, {.name = "fast_attention"}};
  EXPECT_EQ(letter_of(kKinds[0]), 'F');
  EXPECT_EQ(letter_of(kKinds[1]), '-');
  EXPECT_EQ(kind_with('F', kKinds), 0U);
  EXPECT_EQ(kind_with('-', kKinds), 1U);
  EXPECT_EQ(kind_with('M', kKinds), std::nullopt);
}

TEST(LayerKinds, APatternHasThreeParts) {
  const auto expect = [](std::string_view pattern, std::string_view start,
                         std::string_view repeated, std::string_view end) {
    const LayerPattern parts = split_pattern(pattern);
    EXPECT_EQ(parts.start, start) << pattern;
    EXPECT_EQ(parts.repeated, repeated) << pattern;
    EXPECT_EQ(parts.end, end) << pattern;
  };
  expect("", "", "", "");
  expect("SSSF", "", "SSSF", "");
  expect("F|SF", "F", "SF", "");
  expect("|SF|F", "", "SF", "F");
  expect("F|SFSS|FF", "F", "SFSS", "FF");
}

void expect_sound(const LayerRule& rule, std::string_view type) {
  const LayerPattern parts = split_pattern(rule.pattern);
  for (const std::string_view part : {parts.start, parts.repeated, parts.end}) {
    for (const char letter : part) EXPECT_TRUE(kind_with(letter, rule.kinds)) << type << letter;
  }
  EXPECT_EQ(rule.pattern.empty(), parts.repeated.empty()) << type;
  const bool counts = find_key(rule, LayerKey::every) || find_key(rule, LayerKey::offset);
  if (counts) {
    ASSERT_GE(rule.kinds.size(), 2U) << type;
    EXPECT_EQ(std::ranges::count(parts.repeated, letter_of(rule.kinds[0])), 1) << type;
  }
  for (const char letter : rule.rotates) {
    EXPECT_NE(std::string_view("<R-").find(letter), std::string_view::npos) << type;
  }
  for (const LayerKey& key : rule.keys) {
    EXPECT_EQ(key.states == LayerKey::nothing, key.key.empty()) << type;
  }
}

TEST(LayerKinds, TheRulesOfAllRowsAreSound) {
  size_t rules = 0;
  for (const Family* family : all_families()) {
    for (const ModelType& type : family->types) {
      expect_sound(type.layers, type.name);
      rules += type.layers.pattern.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(rules, 20U);
}

}  // namespace
}  // namespace ropewalk
