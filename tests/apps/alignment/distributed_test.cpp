// The division of a search, and searches on 1 to 4 ranks: every score as in one process.
#include "speedwell/apps/alignment/distributed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/distributed_division.hpp"
#include "tests/apps/alignment/random_sequences.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::alignment {
namespace {

using speedwell::test::is_root;
using speedwell::test::ranks;

SequenceSet random_set(std::uint64_t seed, const std::vector<std::size_t>& lengths) {
  alignment::test::Random random(seed);
  SequenceSet set(Alphabet::protein);
  for (const std::size_t length : lengths) set.add_codes("s", random.codes(Alphabet::protein, length));
  return set;
}

std::vector<std::size_t> random_lengths(std::uint64_t seed, std::size_t count, std::size_t below) {
  alignment::test::Random random(seed);
  std::vector<std::size_t> lengths(count);
  for (std::size_t& length : lengths) length = random.below(below);
  return lengths;
}

struct Example {
  const char* what;
  SequenceSet queries, subjects;
};

// Many sequences, fewer than ranks, none, empty ones, and one that is longer than all others together.
std::vector<Example> examples() {
  std::vector<std::size_t> one_huge = random_lengths(3, 40, 30);
  one_huge[17] = 9000;
  return {
      {"many", random_set(1, random_lengths(1, 7, 90)), random_set(2, random_lengths(2, 301, 200))},
      {"one query, one subject", random_set(3, {50}), random_set(4, {70})},
      {"three queries, one subject", random_set(5, {50, 8, 31}), random_set(6, {70})},
      {"one query, two subjects", random_set(7, {50}), random_set(8, {70, 1})},
      {"one huge subject", random_set(9, {40, 44, 60, 30, 3}), random_set(10, one_huge)},
      {"one huge query", random_set(11, one_huge), random_set(12, {40, 44})},
      {"no subjects", random_set(13, {40, 44}), random_set(14, {})},
      {"no queries", random_set(15, {}), random_set(16, {5})},
      {"empty sequences", random_set(17, {0, 10, 0}), random_set(18, {0, 0, 20, 0, 0, 0})},
      {"equal lengths", random_set(19, {20, 20}), random_set(20, std::vector<std::size_t>(13, 20))},
  };
}

double cells_of(const PairBlock& block, const SequenceSet& queries, const SequenceSet& subjects) {
  double rows = 0, columns = 0;
  for (const std::size_t q : block.queries) rows += static_cast<double>(queries.length(q));
  for (const std::size_t s : block.subjects) columns += static_cast<double>(subjects.length(s));
  return rows * columns;
}

void expect_every_pair_once(const Example& e, const std::vector<PairBlock>& blocks, int parts) {
  std::vector<int> times(e.queries.size() * e.subjects.size(), 0);
  for (const PairBlock& block : blocks) {
    EXPECT_TRUE(std::ranges::is_sorted(block.queries) && std::ranges::is_sorted(block.subjects));
    for (const std::size_t q : block.queries)
      for (const std::size_t s : block.subjects) ++times[q * e.subjects.size() + s];
  }
  EXPECT_TRUE(std::ranges::all_of(times, [](int t) { return t == 1; })) << e.what << " in " << parts;
}

TEST(PairDivision, HasEveryPairOnce) {
  for (const Example& e : examples())
    for (const int parts : {1, 2, 3, 4, 6, 7, 16}) {
      const std::vector<PairBlock> blocks = divide_pairs(e.queries, e.subjects, parts);
      ASSERT_EQ(blocks.size(), static_cast<std::size_t>(parts));
      expect_every_pair_once(e, blocks, parts);
    }
  EXPECT_THROW(divide_pairs(random_set(1, {1}), random_set(1, {1}), 0), std::invalid_argument);
}

TEST(PairDivision, HasEqualNumbersOfCells) {
  const SequenceSet queries = random_set(1, {300, 200, 100});
  const auto largest_part = [&](const SequenceSet& some_queries, const SequenceSet& subjects, int parts) {
    double most = 0;
    for (const PairBlock& block : divide_pairs(some_queries, subjects, parts))
      most = std::max(most, cells_of(block, some_queries, subjects));
    return most * parts / static_cast<double>(some_queries.residues() * subjects.residues());
  };
  const SequenceSet many = random_set(2, random_lengths(2, 1000, 700));
  for (const int parts : {2, 3, 4, 8, 16}) EXPECT_LT(largest_part(queries, many, parts), 1.001) << parts;
  // The subjects alone cannot be divided evenly, and the queries can.
  std::vector<std::size_t> lengths(20, 10);
  lengths[3] = 5000;
  const SequenceSet one_huge = random_set(3, lengths);
  EXPECT_LT(largest_part(queries, one_huge, 2), 1.001);
  EXPECT_LT(largest_part(queries, one_huge, 3), 1.501);
  for (const PairBlock& block : divide_pairs(queries, many, 4)) EXPECT_EQ(block.queries.size(), 3u);
}

TEST(BatchDivision, HasEveryPairOnce) {
  for (const Example& e : examples())
    for (const int parts : {1, 2, 3, 4, 6, 7, 16}) {
      const std::vector<std::vector<PairBlock>> of_parts = divide_batches(e.queries, e.subjects, parts);
      ASSERT_EQ(of_parts.size(), static_cast<std::size_t>(parts));
      std::vector<PairBlock> blocks;
      for (const std::vector<PairBlock>& some : of_parts) blocks.insert(blocks.end(), some.begin(), some.end());
      expect_every_pair_once(e, blocks, parts);
    }
  EXPECT_THROW(divide_batches(random_set(1, {1}), random_set(1, {1}), 0), std::invalid_argument);
}

// The cells that the lanes of a search compute, with those of lanes whose subject has ended.
double cells_of_lanes(const PairBlock& block, const SequenceSet& queries, const SequenceSet& subjects) {
  std::vector<std::size_t> lengths;
  for (const std::size_t s : block.subjects) lengths.push_back(subjects.length(s));
  std::ranges::sort(lengths, std::greater<>());
  double columns = 0, rows = 0;
  for (std::size_t first = 0; first < lengths.size(); first += batch_size)
    columns += static_cast<double>(lengths[first] * batch_size);
  for (const std::size_t q : block.queries) rows += static_cast<double>(queries.length(q));
  return rows * columns;
}

// 32 batches, which 16 parts cannot share evenly with all queries, and 1024, which they can.
TEST(BatchDivision, HasTheBatchesOfTheWholeSearchInEqualParts) {
  const SequenceSet queries = random_set(1, {300, 410, 100, 222, 350, 180, 270, 90, 330, 120});
  for (const std::size_t count : {std::size_t{2048}, std::size_t{65536}}) {
    const SequenceSet subjects = random_set(2, random_lengths(2, count, 700));
    const PairBlock everything = divide_pairs(queries, subjects, 1).front();
    const double whole = cells_of_lanes(everything, queries, subjects);
    for (const int parts : {2, 4, 16}) {
      double sum = 0, maximum = 0;
      std::size_t copies = 0;
      for (const std::vector<PairBlock>& of_part : divide_batches(queries, subjects, parts)) {
        double cells = 0;
        for (const PairBlock& block : of_part) {
          cells += cells_of_lanes(block, queries, subjects);
          copies += block.subjects.size();
        }
        sum += cells;
        maximum = std::max(maximum, cells);
      }
      EXPECT_DOUBLE_EQ(sum, whole) << count << " in " << parts;
      EXPECT_LT(maximum * parts / whole, 1.05) << count << " in " << parts;
      if (count > 2048) {
        EXPECT_EQ(copies, count) << "subjects sent to more than one of " << parts;
      }
    }
  }
}

// The batch of a huge sequence takes little longer, since that is computed alone.
TEST(BatchDivision, KnowsThatLongSequencesAreComputedAlone) {
  std::vector<std::size_t> lengths(6400, 100);
  lengths[77] = 3000;
  const SequenceSet queries = random_set(1, {100}), subjects = random_set(2, lengths);
  for (const std::vector<PairBlock>& of_part : divide_batches(queries, subjects, 2)) {
    std::size_t in_part = 0;
    for (const PairBlock& block : of_part) in_part += block.subjects.size();
    EXPECT_GE(in_part, 48 * batch_size);
  }
}

enum class Division { single_blocks, tasks_in_shared_memory, tasks_by_messages };

class SearchOnRanks : public testing::TestWithParam<Division> {
 protected:
  void SetUp() override {
    if (GetParam() == Division::tasks_by_messages) in_messages_.emplace();
  }
  RankSearch::Division division() const {
    return GetParam() == Division::single_blocks ? RankSearch::Division::single_blocks : RankSearch::Division::tasks;
  }

 private:
  std::optional<speedwell::test::InMessages> in_messages_;
};
INSTANTIATE_TEST_SUITE_P(Divisions, SearchOnRanks,
                         testing::Values(Division::single_blocks, Division::tasks_in_shared_memory,
                                         Division::tasks_by_messages),
                         [](const auto& division) {
                           return division.param == Division::single_blocks            ? "SingleBlocks"
                                  : division.param == Division::tasks_in_shared_memory ? "TasksInSharedMemory"
                                                                                       : "TasksByMessages";
                         });

TEST_P(SearchOnRanks, HasTheScoresOfOneProcess) {
  const Scoring scoring{named_matrix("BLOSUM62"), 11, 1};
  for (const Example& e : examples()) {
    RankSearch search(ranks(), division());
    // Three times, with other queries: the database is sent once.
    for (const int again : {0, 1, 2}) {
      SequenceSet queries = e.queries;
      for (int i = 0; i < again && e.queries.size() > 0; ++i) queries.add_codes("again", e.queries.codes(0));
      search.scatter(is_root() ? &queries : nullptr, is_root() ? &e.subjects : nullptr);
      EXPECT_EQ(search.is_shared(),
                division() == RankSearch::Division::tasks && comm::SharedMemory::allocate(ranks(), 1).has_value());
      if (e.subjects.size() > 100 && GetParam() == Division::single_blocks) {
        EXPECT_EQ(search.has_new_subjects(), again == 0) << e.what;
      }
      std::vector<std::int32_t> expected;
      if (is_root() && queries.size() * e.subjects.size() > 0)
        expected = search_scores(queries, e.subjects, scoring, 1);
      for (const bool repeated : {false, true}) {
        if (repeated) search.poison();
        std::vector<std::int32_t> all(is_root() ? queries.size() * e.subjects.size() : 0, -1);
        search.run(
            [&](const SequenceSet& some_queries, const SequenceSet& some_subjects, std::span<std::int32_t> scores) {
              search_scores(some_queries, some_subjects, scoring, scores, {.threads = 1});
            },
            all);
        if (is_root()) {
          EXPECT_EQ(all, expected) << e.what;
        }
      }
    }
    EXPECT_GE(search.exchange_seconds(), 0);
  }
}

// Nothing of a database is left when another one is searched.
TEST_P(SearchOnRanks, TakesAnotherDatabase) {
  const Scoring scoring{named_matrix("BLOSUM62"), 11, 1};
  RankSearch search(ranks(), division());
  const SequenceSet queries = random_set(1, random_lengths(1, 5, 60));
  const std::vector<SequenceSet> databases = {random_set(2, random_lengths(2, 150, 90)),
                                              random_set(3, random_lengths(3, 170, 70))};
  for (const int d : {0, 1, 0}) {
    const SequenceSet& database = databases[static_cast<std::size_t>(d)];
    search.scatter(is_root() ? &queries : nullptr, is_root() ? &database : nullptr);
    std::vector<std::int32_t> all(is_root() ? queries.size() * database.size() : 0);
    search.run(
        [&](const SequenceSet& some_queries, const SequenceSet& some_subjects, std::span<std::int32_t> scores) {
          search_scores(some_queries, some_subjects, scoring, scores, {.threads = 1});
        },
        all);
    if (is_root()) {
      EXPECT_EQ(all, search_scores(queries, database, scoring, 1)) << d;
    }
  }
}

TEST(SearchOnRanksOfSingleBlocks, RefusesAnotherNumberOfScores) {
  const SequenceSet queries = random_set(1, {10, 20, 30}), subjects = random_set(2, {10, 10, 10, 10, 10, 10, 10, 10});
  RankSearch search(ranks());
  search.scatter(is_root() ? &queries : nullptr, is_root() ? &subjects : nullptr);
  const std::vector<std::int32_t> too_many(search.queries().size() * search.subjects().size() + 1);
  EXPECT_THROW(search.gather(too_many, {}), std::invalid_argument);
}

// search_scores() puts the larger of two sets into the lanes, and of equal ones the subjects.
TEST(SearchTasks, HaveTheirBatchInTheLanes) {
  const SequenceSet few = random_set(1, random_lengths(1, 200, 90)), many = random_set(2, random_lengths(2, 1280, 90));
  for (const bool swapped : {false, true})
    for (const std::size_t min_tasks : {1, 100, 100000}) {
      const SequenceSet &queries = swapped ? many : few, &subjects = swapped ? few : many;
      const SearchTasks search = search_tasks(queries, subjects, min_tasks);
      EXPECT_EQ(search.lanes.size(), many.size());
      std::size_t rows = 0;
      for (const auto& group : search.groups) {
        rows += group.size();
        EXPECT_TRUE(swapped ? group.size() < batch_size : group.size() <= batch_size) << group.size();
      }
      EXPECT_EQ(rows, few.size());
      for (const int parts : {1, 3, 16})
        for (const std::vector<PairBlock>& of_part : divide_batches(queries, subjects, parts))
          for (const PairBlock& block : of_part)
            EXPECT_EQ(block.queries.size() > block.subjects.size(), swapped) << parts;
    }
}

TEST(SearchTasks, AreAtLeastAsManyAsWanted) {
  const SequenceSet queries = random_set(1, {300, 410, 100}), subjects = random_set(2, random_lengths(2, 640, 90));
  EXPECT_EQ(search_tasks(queries, subjects, 1).tasks.size(), 10u);
  EXPECT_EQ(search_tasks(queries, subjects, 11).tasks.size(), 20u);
  EXPECT_EQ(search_tasks(queries, subjects, 1000).tasks.size(), 30u);  // of one query and one batch
  const SearchTasks search = search_tasks(subjects, queries, 1);
  EXPECT_TRUE(std::ranges::is_sorted(search.tasks, std::greater<>(), &SearchTasks::Task::time));
}

}  // namespace
}  // namespace speedwell::alignment
