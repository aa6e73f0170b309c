// The oracle against tables that an independent program computed, against a case done by hand, and the verdict.
#include "speedwell/apps/gups/reference.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "speedwell/apps/gups/verify.hpp"
#include "tests/apps/gups/golden.hpp"
#include "tests/apps/gups/support.hpp"

namespace speedwell::gups {
namespace {

TEST(GupsReference, MakesTheKnownTables) {
  for (const golden::Table& row : golden::tables) {
    const std::uint64_t words = std::uint64_t{1} << row.log2_words;
    std::vector<std::uint64_t> table = counted(words);
    reference::replay(table, 4 * words, 2);
    EXPECT_TRUE(golden::row_of(row.log2_words, table) == row) << row.log2_words;
  }
}

// x_1 ... x_4 are 2, 4, 8, 16: of a table of four words T[2] has 2, then T[0] has 4, 8 and 16.
TEST(GupsReference, DoesFourUpdatesAsByHand) {
  std::vector<std::uint64_t> table = {0, 1, 2, 3};
  reference::replay(table, 4, 1);
  EXPECT_EQ(table, (std::vector<std::uint64_t>{28, 1, 0, 3}));
}

TEST(GupsReference, AReplayUndoesAReplayForAnyNumberOfThreads) {
  for (const Problem& problem : problems(13))
    for (const int threads : {1, 2, 3, 7}) {
      std::vector<std::uint64_t> table = counted(problem.words);
      reference::replay(table, problem.updates, threads);
      EXPECT_EQ(table, expected(problem)) << problem.words << " " << problem.updates << " " << threads;
      reference::replay(table, problem.updates, 1);
      EXPECT_EQ(table, counted(problem.words));
    }
}

TEST(GupsVerdict, FindsOneLostUpdate) {
  const Problem problem{1 << 16, 4 << 16};
  const auto right = expected(problem);
  EXPECT_TRUE(verify(right, right).passed);
  const auto stream = reference::stream(problem.updates);
  for (const std::uint64_t lost : {std::uint64_t{1}, problem.updates / 2, problem.updates}) {
    auto got = right;
    got[stream[lost] % problem.words] ^= stream[lost];
    const core::Verdict verdict = verify(right, got);
    EXPECT_FALSE(verdict.passed);
    EXPECT_EQ(verdict.error, 1);
    EXPECT_NE(verdict.oracle.find("0.001526 %"), std::string::npos) << verdict.oracle;
  }
}

TEST(GupsVerdict, CountsTheWordsThatAReplayWouldNotRestore) {
  const Problem problem{1 << 12, 4 << 12};
  auto got = expected(problem);
  for (std::size_t i = 0; i < got.size(); i += 7) got[i] += i % 2 ? 1 : 5;
  const std::uint64_t wrong = wrong_words(expected(problem), got);
  reference::replay(got, problem.updates, 1);
  EXPECT_EQ(wrong, wrong_words(counted(problem.words), got));
  EXPECT_EQ(wrong, (got.size() + 6) / 7);
  EXPECT_THROW(verify(std::vector<std::uint64_t>(3), std::vector<std::uint64_t>(4)), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::gups
