// Searches on ranks have the hits of one process; a rank that is stopped stops all.
#include "tests/apps/alignment/database_search/ranks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace speedwell::database_search {
namespace {

TEST(DatabaseSearchOnRanks, HasTheHitsOfOneProcess) {
  expect_hits_of_one_process({.scores = cpu_scores(1), .aligner = alignment::align});
  expect_hits_of_one_process(
      {.scores = cpu_scores(1), .aligner = alignment::align, .division = alignment::RankSearch::Division::tasks});
}

// The last rank alone is told to stop; of one rank it is the first.
void is_stopped_by_any_rank(alignment::RankSearch::Division division) {
  const std::atomic<bool> stop{test::ranks().rank() == test::ranks().size() - 1};
  const auto stopping = [&](const alignment::SequenceSet& queries, const alignment::SequenceSet& database,
                            const alignment::Scoring& scoring, const alignment::Control& control) {
    if (stop) throw alignment::Stopped();
    return cpu_scores(1)(queries, database, scoring, control);
  };
  SearchOnRanks team(test::ranks(),
                     {.scores = stopping, .aligner = alignment::align, .stop = &stop, .division = division});
  if (!test::is_root()) return team.serve();
  const alignment::SequenceSet queries = random_set(alignment::Alphabet::dna, "ACGT", 5, 1);
  const alignment::SequenceSet database = random_set(alignment::Alphabet::dna, "ACGT", 60, 2);
  SearchOptions options{.scoring = dna_scoring(), .threads = 1};
  options.scores = team.scores();
  options.pairs_aligner = team.aligner();
  EXPECT_FALSE(search(queries, database, options, [](std::size_t, std::span<const Hit>) {}));
  team.end();
}

TEST(DatabaseSearchOnRanks, IsStoppedByAnyRank) {
  is_stopped_by_any_rank(alignment::RankSearch::Division::single_blocks);
  is_stopped_by_any_rank(alignment::RankSearch::Division::tasks);
}

TEST(DatabaseSearchOnRanks, EndsOnAllRanksWhereTheFirstFails) {
  SearchOnRanks team(test::ranks(), {.scores = cpu_scores(1), .aligner = alignment::align});
  if (test::is_root())
    team.end(true);
  else
    EXPECT_THROW(team.serve(), std::runtime_error);
}

}  // namespace
}  // namespace speedwell::database_search
