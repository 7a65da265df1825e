#pragma once

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ropewalk/base/error.h"

// Expects `statement` to throw a ropewalk::Error of this code whose message contains `text`.
#define EXPECT_ROPEWALK_ERROR(statement, expected_code, text)                                   \
  do {                                                                                          \
    bool thrown_ = false;                                                                       \
    try {                                                                                       \
      statement;                                                                                \
    } catch (const ropewalk::Error& error_) {                                                   \
      thrown_ = true;                                                                           \
      EXPECT_EQ(ropewalk::name(error_.code()), ropewalk::name(expected_code)) << error_.what(); \
      EXPECT_THAT(std::string(error_.what()), ::testing::HasSubstr(text));                      \
    }                                                                                           \
    EXPECT_TRUE(thrown_) << "no error from " #statement;                                        \
  } while (false)
