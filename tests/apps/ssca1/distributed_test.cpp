// The kernels on 1 to 4 ranks have the results of one process, and the division of kernel 1 has every column once.
#include "speedwell/apps/ssca1/distributed.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/ssca1/benchmark.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::ssca1 {
namespace {

using test::is_root;
using test::ranks;

KernelResult on_ranks(const KernelArguments& arguments) {
  RankShare share(ranks(), arguments);
  return share.gather(share.compute({.threads = 1}));
}

// All kernels of a problem, each with the results of the previous ones in one process.
void expect_results_of_one_process(const Problem& problem) {
  const Data data = make_data(problem.data);
  const Scoring scoring = problem.scoring();
  const Options options{.threads = 1};
  const Results expected = run(problem, data, options);
  std::vector<Members> sets;
  for (const auto& regions : expected.regions)
    sets.push_back(members(data.main.span(), regions, problem.data.alphabet));
  const std::vector<Codes> queries = match_parts(data.match.span(), expected.traced.alignments);
  KernelArguments arguments{.main = data.main.span(),
                            .match = data.match.span(),
                            .scoring = &scoring,
                            .endpoint_rules = problem.endpoints,
                            .endpoints = expected.endpoints.accepted,
                            .trace_rules = problem.traces,
                            .queries = queries,
                            .similar_rules = problem.similar,
                            .sets = sets,
                            .differences = expected.differences,
                            .costs = problem.costs};
  const KernelResult results[] = {expected.endpoints, expected.traced, expected.regions, expected.differences,
                                  expected.stars};
  for (int kernel = 1; kernel <= 5; ++kernel) {
    arguments.kernel = kernel;
    const KernelResult got = on_ranks(arguments);
    if (is_root()) {
      EXPECT_EQ(flatten(got), flatten(results[kernel - 1])) << "kernel " << kernel;
    }
  }
}

Problem problem_of(std::int64_t main_length, std::int64_t match_length) {
  Problem problem;
  problem.data.main_length = main_length;
  problem.data.match_length = match_length;
  problem.similar.minimum_score = 0;
  problem.similar.count = 12;
  return problem;
}

TEST(Ssca1OnRanks, HasTheResultsOfOneProcess) { expect_results_of_one_process(problem_of(2048, 400)); }

// Sections that are longer than their overlap: main has sixty times the columns of match.
TEST(Ssca1OnRanks, DividesALongMain) {
  Problem problem = problem_of(30000, 40);
  problem.data.validation_strings = false;
  for (const bool all : {true, false})
    for (const auto mode : {EndpointRules::Mode::peaks, EndpointRules::Mode::plain}) {
      SCOPED_TRACE(all);
      problem.endpoints.count_candidates = all;
      problem.endpoints.mode = mode;
      problem.endpoints.minimum_score = mode == EndpointRules::Mode::peaks ? 12 : 20;
      expect_results_of_one_process(problem);
    }
}

// Nucleotides have candidates in every column, also beside the borders of sections: their number shows whether each
// column is exact. Main consists of altered copies of match, so that alignments with high scores cross the borders.
TEST(Ssca1OnRanks, CountsTheCandidatesOfEveryColumn) {
  Problem problem = problem_of(20000, 40);
  problem.data.alphabet = Alphabet::nucleotides;
  problem.data.validation_strings = false;
  const Data data = make_data(problem.data);
  const Codes match = data.match.span();
  std::vector<std::uint8_t> copies;
  for (const std::uint8_t random : data.main.span()) {
    const std::size_t at = copies.size() % match.size();
    copies.push_back(random == 0 ? random : match[at]);
    if (copies.size() % 53 == 0) copies.insert(copies.end(), 3, random);
  }
  const Scoring scoring = problem.scoring();
  for (const Codes main : {data.main.span(), Codes(copies)})
    for (const int minimum_score : {5, 20, 60, 120}) {
      EndpointRules rules{.minimum_score = minimum_score};
      const Endpoints expected = pairwise_align(main, match, scoring, rules, {.threads = 1});
      const KernelResult got = on_ranks({.main = main, .match = match, .scoring = &scoring, .endpoint_rules = rules});
      if (is_root()) {
        EXPECT_EQ(std::get<Endpoints>(got).candidates, expected.candidates) << minimum_score;
        EXPECT_EQ(std::get<Endpoints>(got).accepted, expected.accepted) << minimum_score;
      }
    }
}

TEST(Ssca1OnRanks, MayHaveLittleToDivide) {
  for (const auto& [n, m] : {std::pair{1, 1}, {2, 300}, {300, 2}, {3, 3}}) {
    Problem problem = problem_of(n, m);
    problem.data.validation_strings = false;
    problem.endpoints.minimum_score = 1;
    expect_results_of_one_process(problem);
  }
}

TEST(Ssca1OnRanks, StopsAtTheNumberOfAlignments) {
  Problem problem = problem_of(3000, 800);
  for (const std::size_t count : {0, 1, 7}) {
    problem.traces.count = count;
    problem.endpoints.minimum_score = 5;  // single pairs, too
    expect_results_of_one_process(problem);
  }
}

TEST(Ssca1OnRanks, RefusesAnUnknownKernel) {
  EXPECT_THROW(RankShare(ranks(), {.kernel = 0}), std::invalid_argument);
  EXPECT_THROW(RankShare(ranks(), {.kernel = 6}), std::invalid_argument);
}

TEST(TableDivision, HasEveryColumnOnceBehindItsOverlap) {
  const Scoring scoring = ssca1::scoring(Preset::ssca1, Alphabet::codons);
  for (const std::int64_t n : {0, 1, 5, 238, 239, 240, 1000, 100003})
    for (const int parts : {1, 2, 3, 4, 7}) {
      const auto sections = divide_table(n, 40, scoring, {}, parts);
      ASSERT_EQ(sections.size(), static_cast<std::size_t>(parts));
      std::int64_t next = 1, longest = 0;
      for (const TableSection& s : sections) {
        if (s.is_empty()) continue;
        EXPECT_EQ(s.first + s.owned.first, next) << n << " in " << parts;
        next = s.first + s.owned.last + 1;
        EXPECT_GE(s.first, 0);
        EXPECT_LE(s.last, n);
        // The required overlap, and a column behind: 5 * 40 - 8 - 20 further symbols in gaps.
        EXPECT_TRUE(s.first == 0 || s.owned.first - 1 == 40 + 172 - 1) << s.owned.first;
        EXPECT_EQ(s.last - s.first, std::min(s.owned.last + 1, n - s.first));
        longest = std::max(longest, s.last - s.first);
      }
      EXPECT_EQ(next, n + 1);
      if (n > 1000) {
        EXPECT_LE(longest, (n + (parts - 1) * 211) / parts + 2);
      }
    }
  EXPECT_THROW(divide_table(10, 10, scoring, {}, 0), std::invalid_argument);
}

TEST(ItemDivision, HasEveryItemOnceAndEqualCosts) {
  std::vector<double> costs(101);
  std::iota(costs.begin(), costs.end(), 0.0);
  for (const int parts : {1, 2, 3, 4, 150}) {
    std::vector<int> times(costs.size(), 0);
    for (const auto& part : divide_items(costs, parts)) {
      double sum = 0;
      for (const std::size_t i : part) ++times[i], sum += costs[i];
      if (parts < 5) {
        EXPECT_NEAR(sum, 5050.0 / parts, 2.0);
      }
    }
    EXPECT_EQ(times, std::vector<int>(costs.size(), 1));
  }
}

}  // namespace
}  // namespace speedwell::ssca1
