#include "ropewalk/parallel/rank_agreement.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace ropewalk {
namespace {

RankReport facts(const std::string& dtype) {
  return {.facts = {{"version", "1"}, {"dtype of k", dtype}}};
}

TEST(RankAgreement, NamesTheRankThatDiffers) {
  const RankReport reports[] = {facts("bf16"), facts("bf16"), facts("f32")};
  const auto fault = first_fault(reports);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->rank, 2);
  EXPECT_STREQ(fault->error.what(), "dtype of k: expected bf16 as rank 0 has, found f32");
  EXPECT_FALSE(first_fault(std::span(reports).first(2)));
}

TEST(RankAgreement, AFaultOfARankComesFirst) {
  const RankReport reports[] = {
      facts("bf16"), facts("f32"), {.fault = Error(ErrorCode::io, "k.npy: no such file")}};
  const auto fault = first_fault(reports);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->rank, 2);
  EXPECT_EQ(fault->error.code(), ErrorCode::io);
}

TEST(RankAgreement, OneFactMore) {
  RankReport more = facts("bf16");
  more.facts.push_back({"sinks", "8"});
  const RankReport reports[] = {facts("bf16"), more};
  EXPECT_STREQ(first_fault(reports)->error.what(),
               "sinks: expected no more as rank 0 has, found 8");
}

TEST(RankAgreement, ThereAndBack) {
  const RankReport back = report_from_text(to_text(facts("bf16")));
  EXPECT_EQ(back.facts, facts("bf16").facts);
  const RankReport fault =
      report_from_text(to_text({.fault = Error(ErrorCode::unsupported, "two\nlines")}));
  ASSERT_TRUE(fault.fault);
  EXPECT_EQ(fault.fault->code(), ErrorCode::unsupported);
  EXPECT_STREQ(fault.fault->what(), "two lines");
  EXPECT_EQ(report_from_text("what is this\n").fault->code(), ErrorCode::internal);
}

TEST(RankAgreement, LaunchersSayHowManyThereAre) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) unsetenv(name);
  EXPECT_EQ(launched_ranks(), 1);
  setenv("PMI_SIZE", "3", 1);
  EXPECT_EQ(launched_ranks(), 3);
  setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
  EXPECT_EQ(launched_ranks(), 4);
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) unsetenv(name);
  setenv("SLURM_STEP_NUM_TASKS", "5", 1);
  EXPECT_EQ(launched_ranks(), 1);
  setenv("PMIX_RANK", "0", 1);
  EXPECT_EQ(launched_ranks(), 5);
  for (const char* name : {"SLURM_STEP_NUM_TASKS", "PMIX_RANK"}) unsetenv(name);
}

}  // namespace
}  // namespace ropewalk
