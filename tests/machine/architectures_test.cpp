#include "speedwell/machine/architectures.hpp"

#include <gtest/gtest.h>

namespace speedwell::machine {
namespace {

TEST(Architectures, MachineCodeRunsWithinItsMajorVersion) {
  EXPECT_TRUE(runs_on("80-real,90-real", 90));
  EXPECT_TRUE(runs_on("80-real", 86));
  EXPECT_FALSE(runs_on("86-real", 80));
  EXPECT_FALSE(runs_on("80-real", 90));
  EXPECT_FALSE(runs_on("90-real", 100));
}

TEST(Architectures, PtxRunsOnEverythingLater) {
  EXPECT_TRUE(runs_on("80-real,90-virtual", 120));
  EXPECT_TRUE(runs_on("80", 90));
  EXPECT_FALSE(runs_on("90-virtual", 80));
}

TEST(Architectures, SuffixesNarrow) {
  EXPECT_TRUE(runs_on("90a-real", 90));
  EXPECT_TRUE(runs_on("90a", 90));
  EXPECT_FALSE(runs_on("90a", 100));
  EXPECT_TRUE(runs_on("100f-real", 103));
  EXPECT_FALSE(runs_on("100f", 120));
}

TEST(Architectures, WordsAndNothing) {
  EXPECT_TRUE(runs_on("all-major", 75));
  EXPECT_FALSE(runs_on("", 90));
}

TEST(Architectures, TheReasonNamesBothSides) {
  EXPECT_EQ(why_not_runnable("80-real,90-real,90-virtual", 70),
            "this GPU has compute capability 7.0; this build has code for 8.0, 9.0 and 9.0 PTX");
  EXPECT_EQ(why_not_runnable("90-real", 120), "this GPU has compute capability 12.0; this build has code for 9.0");
}

}  // namespace
}  // namespace speedwell::machine
