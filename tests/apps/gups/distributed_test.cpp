// The table on ranks against the oracle, word for word: numbers of ranks that divide tables and that do not, tables
// with fewer words than ranks, both lengths of buckets.
#include "speedwell/apps/gups/distributed.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/apps/gups/golden.hpp"
#include "tests/apps/gups/support.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::gups {
namespace {

using test::ranks;

/// The whole table on every rank, so that every rank verifies it.
std::vector<std::uint64_t> gathered(const DistributedTable& table, const Problem& problem) {
  std::vector<std::uint64_t> whole(problem.words);
  table.gather(whole);
  ranks().broadcast(std::span<std::uint64_t>(whole));
  return whole;
}

TEST(GupsRanks, LoseNoUpdateForAnySize) {
  for (const Problem& problem : problems(16)) {
    const auto right = expected(problem);
    for (const Rule rule : {Rule::any, Rule::process}) {
      if (rule == Rule::process && problem.updates > 70000) continue;  // a thousand small rounds
      DistributedTable table(ranks(), problem, rule);
      table.initialise();
      table.update();
      EXPECT_EQ(gathered(table, problem), right)
          << problem.words << " words " << problem.updates << " updates " << to_string(rule);
      table.update();
      EXPECT_EQ(gathered(table, problem), counted(problem.words)) << "a second pass undoes the first";
    }
  }
}

TEST(GupsRanks, MakeTheKnownTables) {
  for (const golden::Table& row : golden::tables) {
    if (row.log2_words > 20) continue;
    const Problem problem{std::uint64_t{1} << row.log2_words, std::uint64_t{4} << row.log2_words};
    DistributedTable table(ranks(), problem);
    table.initialise();
    table.update();
    EXPECT_TRUE(golden::row_of(row.log2_words, gathered(table, problem)) == row) << row.log2_words;
  }
}

TEST(GupsRanks, KeepAtMost1024UpdatesWaitingWhereTheRuleSaysSo) {
  const DistributedTable table(ranks(), {1 << 12, 4 << 12}, Rule::process);
  EXPECT_LE(table.capacity() * (2 * ranks().size() - 1), max_look_ahead);
  EXPECT_GT((table.capacity() + 1) * (2 * ranks().size() - 1), max_look_ahead);
  EXPECT_EQ(bucket_capacity({1, 1}, 512, Rule::process), 1);
  EXPECT_THROW(bucket_capacity({1, 1}, 513, Rule::process), std::invalid_argument);
}

TEST(GupsRanks, RefuseWhatIsNotValid) {
  EXPECT_THROW(DistributedTable(ranks(), {12, 1}), std::invalid_argument);
  EXPECT_THROW(DistributedTable(ranks(), {16, 0}), std::invalid_argument);
  if (ranks().size() > 1) return;  // on rank 0 only: the others would have sent
  std::vector<std::uint64_t> short_table(15);
  EXPECT_THROW(DistributedTable(ranks(), {16, 1}).gather(short_table), std::invalid_argument);
}

TEST(GupsBlocks, CoverTheTableWithoutGapsAndKnowTheirOwners) {
  for (const int count : {1, 2, 3, 4, 5, 7, 16, 100})
    for (const std::uint64_t words : {1, 2, 64, 1024}) {
      const Blocks blocks(words, count);
      std::uint64_t place = 0;
      for (int rank = 0; rank < count; ++rank) {
        EXPECT_EQ(blocks.begin(rank), place);
        for (std::uint64_t i = 0; i < blocks.size(rank); ++i) EXPECT_EQ(blocks.owner(place++), rank);
      }
      EXPECT_EQ(place, words);
    }
}

}  // namespace
}  // namespace speedwell::gups
