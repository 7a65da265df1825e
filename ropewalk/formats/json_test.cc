#include "ropewalk/formats/json.h"

#include <chrono>

#include "ropewalk/formats/file.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

const JsonOptions kPython{.python_constants = true};

TEST(Json, KeepsKeysInOrderAndNumbersByKind) {
  const ordered_json value =
      parse_json(R"({"z": 1, "a": [-2, 1e6, true, null, "x\u00e9"], "m": {}})", "c.json");
  EXPECT_EQ(value.dump(), R"({"z":1,"a":[-2,1000000.0,true,null,"xé"],"m":{}})");
  EXPECT_TRUE(value["z"].is_number_unsigned());
  EXPECT_TRUE(value["a"][1].is_number_float());
}

TEST(Json, AnyValueMayStandAlone) {
  EXPECT_EQ(parse_json(" 12 ", "c").get<int>(), 12);
  EXPECT_EQ(parse_json("12", "c").get<int>(), 12);
  EXPECT_EQ(parse_json("\"s\"", "c").get<std::string>(), "s");
  EXPECT_TRUE(parse_json("null", "c").is_null());
}

TEST(Json, C1_EmptyText) {
  EXPECT_ROPEWALK_ERROR(parse_json("", "c.json"), ErrorCode::malformed,
                        "c.json: line 1 column 1 (byte 0): syntax error");
  EXPECT_ROPEWALK_ERROR(parse_json(" \n ", "c.json"), ErrorCode::malformed,
                        "line 2 column 2 (byte 3)");
}

TEST(Json, C2_ByteOrderMarkIsSkipped) {
  EXPECT_EQ(parse_json("\xEF\xBB\xBF{\"a\":1}", "c").dump(), R"({"a":1})");
  EXPECT_ROPEWALK_ERROR(parse_json("\xEF\xBB\xBF{\"a\":x}", "c"), ErrorCode::malformed,
                        "line 1 column 6 (byte 8) at /a: ");
  EXPECT_ROPEWALK_ERROR(parse_json("\xEF\xBB{}", "c"), ErrorCode::malformed, "BOM");
}

TEST(Json, C3_Utf16IsNamed) {
  using namespace std::string_literals;
  for (const std::string& text : {"\xFF\xFE{\0}\0"s, "\xFE\xFF\0{\0}"s, "{\0}\0"s, "\0{\0}"s}) {
    EXPECT_ROPEWALK_ERROR(parse_json(text, "c"), ErrorCode::malformed, "not UTF-8");
  }
}

TEST(Json, C4_CommentsTrailingCommasAndSingleQuotes) {
  EXPECT_ROPEWALK_ERROR(parse_json("{\n  // why\n  \"a\": 1}", "c"), ErrorCode::malformed,
                        "line 2 column 3 (byte 4)");
  EXPECT_ROPEWALK_ERROR(parse_json("{\"a\": 1,\n}", "c"), ErrorCode::malformed,
                        "line 2 column 1 (byte 9)");
  EXPECT_ROPEWALK_ERROR(parse_json("[1, 2,]", "c"), ErrorCode::malformed, "(byte 6)");
  EXPECT_ROPEWALK_ERROR(parse_json("[1,,2]", "c"), ErrorCode::malformed, "(byte 3)");
  EXPECT_ROPEWALK_ERROR(parse_json("{'a': 1}", "c"), ErrorCode::malformed, "(byte 1)");
  EXPECT_ROPEWALK_ERROR(parse_json("{\"a\" \"b\"}", "c"), ErrorCode::malformed, "(byte 5)");
  EXPECT_ROPEWALK_ERROR(parse_json("{} {}", "c"), ErrorCode::malformed, "(byte 3)");
}

TEST(Json, C5_PythonConstantsBecomeStrings) {
  const ordered_json value =
      parse_json(R"({"a": NaN, "b": [Infinity, -Infinity, "-Infinity NaN \" NaN"]})", "c", kPython);
  EXPECT_EQ(value.dump(), R"({"a":"NaN","b":["Infinity","-Infinity","-Infinity NaN \" NaN"]})");
  EXPECT_EQ(parse_json("-1", "c", kPython).get<int>(), -1);
}

TEST(Json, C6_ConstantsAreRefusedWhereTheyAreNotAskedFor) {
  EXPECT_ROPEWALK_ERROR(parse_json(R"({"rope_theta": NaN})", "c"), ErrorCode::malformed,
                        "at /rope_theta");
  EXPECT_ROPEWALK_ERROR(parse_json(R"({"a": -Infinity})", "c"), ErrorCode::malformed, "at /a");
}

TEST(Json, C6_ConstantsAreNoKeysAndPositionsAreThoseOfTheFile) {
  EXPECT_ROPEWALK_ERROR(parse_json("{NaN: 1}", "c", kPython), ErrorCode::malformed,
                        "(byte 1): expected a key in quotes, found NaN");
  EXPECT_ROPEWALK_ERROR(parse_json("[NaN, Infinity,\n -Infinity, x]", "c", kPython),
                        ErrorCode::malformed, "line 2 column 13 (byte 28)");
  EXPECT_ROPEWALK_ERROR(parse_json("[NaN NaN]", "c", kPython), ErrorCode::malformed, "(byte 5)");
  EXPECT_ROPEWALK_ERROR(parse_json("[NaNs]", "c", kPython), ErrorCode::malformed, "(byte 4)");
}

TEST(Json, C6_NumberOverflowNamesThePointer) {
  EXPECT_ROPEWALK_ERROR(
      parse_json("{\n \"rope_theta\": 1e999}", "c"), ErrorCode::malformed,
      "c: line 2 column 16 (byte 17) at /rope_theta: number too large for a double: 1e999");
  EXPECT_ROPEWALK_ERROR(parse_json("[0,{\"a/b\":[1,-1e400]}]", "c"), ErrorCode::malformed,
                        "at /1/a~1b/1: ");
}

TEST(Json, C7_DuplicateKeyNamesBothPlaces) {
  EXPECT_ROPEWALK_ERROR(
      parse_json("{\n\"rope_theta\": 1,\n\"x\": 2,\n\"rope_theta\": 1}", "c.json"),
      ErrorCode::malformed,
      "c.json: line 4 column 1 (byte 27) at /rope_theta: duplicate key, first at line 2 column 1 "
      "(byte 2)");
  EXPECT_ROPEWALK_ERROR(parse_json(R"({"a":1,"\u0061":2})", "c"), ErrorCode::malformed,
                        "duplicate key");
  EXPECT_EQ(parse_json(R"([{"a":1},{"a":{"a":2}}])", "c").size(), 2u);
}

TEST(Json, C8_DepthIsLimitedWithConstantStack) {
  for (const char* bracket : {"[", "{\"a\":"}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += bracket;
    EXPECT_ROPEWALK_ERROR(parse_json(text, "c"), ErrorCode::malformed, "nesting deeper than 64");
  }
  EXPECT_ROPEWALK_ERROR(parse_json(std::string(65, '[') + std::string(65, ']'), "c"),
                        ErrorCode::malformed, "(byte 64)");
  EXPECT_NO_THROW(parse_json(std::string(64, '[') + std::string(64, ']'), "c"));
  EXPECT_NO_THROW(parse_json("[[1],[2],[3]]", "c", {.max_depth = 2}));
}

TEST(Json, C9_TextOverTheLimit) {
  const TempFolder folder;
  const auto path = folder.file("config.json", std::string(1025, ' '));
  EXPECT_ROPEWALK_ERROR(read_text(path, 1024), ErrorCode::resource_limit,
                        "1025 bytes, larger than the limit of 1024 bytes");
}

TEST(Json, BadBytesAreNamedByTheirOwnOffset) {
  EXPECT_ROPEWALK_ERROR(parse_json("{\"ab\xff\": 1}", "c"), ErrorCode::malformed, "(byte 4)");
  EXPECT_ROPEWALK_ERROR(parse_json("[\"\xed\xa0\x80\"]", "c"), ErrorCode::malformed, "(byte 3)");
  EXPECT_ROPEWALK_ERROR(parse_json("[\"\\ud800\"]", "c"), ErrorCode::malformed, "surrogate");
  EXPECT_ROPEWALK_ERROR(parse_json("[\"a\nb\"]", "c"), ErrorCode::malformed, "(byte 3)");
}

TEST(Json, ZeroByteDoesNotEndTheText) {
  using namespace std::string_literals;
  EXPECT_ROPEWALK_ERROR(parse_json("{} \0 hidden"s, "c"), ErrorCode::malformed,
                        "(byte 3): zero byte");
  EXPECT_EQ(parse_json(R"(["\u0000"])", "c")[0].get<std::string>(), "\0"s);
}

TEST(Json, MessagesAreOneLineOfBoundedLength) {
  const std::string text = "[\"" + std::string(1000000, 'x') + "\x1b";
  try {
    parse_json(text, "c");
    FAIL();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_LT(message.size(), 500u);
    EXPECT_EQ(message.find_first_of("\n\x1b"), std::string::npos);
  }
}

TEST(Json, WideObjectsTakeLinearTime) {
  std::string text = "{";
  for (int i = 0; i < 200000; ++i) text += (i ? ",\"k" : "\"k") + std::to_string(i) + "\":0";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_json(text + "}", "c").size(), 200000u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

// A random document, at most `depth` deep.
ordered_json random_json(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 8 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return *rc::gen::arbitrary<int64_t>();
    case 3:
      return *rc::gen::arbitrary<uint64_t>();
    case 4:
      return static_cast<double>(*rc::gen::arbitrary<int32_t>()) / 1024;
    case 5:
      return *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
    case 6: {
      ordered_json array = ordered_json::array();
      for (int i = *rc::gen::inRange(0, 5); i > 0; --i) array.push_back(random_json(depth - 1));
      return array;
    }
    default: {
      ordered_json object = ordered_json::object();
      for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
        object[*rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127))] =
            random_json(depth - 1);
      }
      return object;
    }
  }
}

ROPEWALK_PROPERTY(Json, WhatIsDumpedIsParsedBack, [] {
  const ordered_json value = random_json(4);
  const JsonOptions options{.python_constants = *rc::gen::arbitrary<bool>()};
  RC_ASSERT(parse_json(value.dump(*rc::gen::inRange(-1, 3)), "c", options) == value);
});

ROPEWALK_PROPERTY(Json, DamagedTextNeverDoesMoreThanThrow, [] {
  std::string text = random_json(4).dump();
  const auto at = *rc::gen::inRange<size_t>(0, text.size() + 1);
  if (*rc::gen::arbitrary<bool>()) {
    text.resize(at);
  } else {
    text.insert(at, 1, *rc::gen::arbitrary<char>());
  }
  try {
    parse_json(text, "c", kPython);
  } catch (const Error& error) {
    RC_ASSERT(error.code() == ErrorCode::malformed);
  }
});

}  // namespace
}  // namespace ropewalk
