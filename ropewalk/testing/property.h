#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

// A RapidCheck property as a GoogleTest test: the body is a lambda whose parameters are drawn at
// random. A failure prints the seed; RC_PARAMS="seed=..." repeats it.
//   ROPEWALK_PROPERTY(Rope, KeepsTheNorm, [](float a) { RC_ASSERT(...); })
#define ROPEWALK_PROPERTY(suite, name, ...) \
  TEST(suite, name) { EXPECT_TRUE(rc::check(#suite "." #name, __VA_ARGS__)); }
