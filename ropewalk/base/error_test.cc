#include "ropewalk/base/error.h"

#include <string>

#include <gtest/gtest.h>

namespace ropewalk {
namespace {

TEST(Escaped, ControlCharactersAndBrokenUtf8) {
  EXPECT_EQ(escaped("我 愛\n\t\x1b[31m\x7f"), "我 愛\\n\\t\\x1b[31m\\x7f");
  EXPECT_EQ(escaped("\xff\xe6\x88"), "\\xff\\xe6\\x88");
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(escaped("\xc2\x9b\xc0\xaf"), "\\xc2\\x9b\\xc0\\xaf");  // C1 control, overlong slash
  EXPECT_EQ(escaped(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(escaped(std::string(200, 'x')), std::string(120, 'x') + "...");
}

}  // namespace
}  // namespace ropewalk
