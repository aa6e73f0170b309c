// The searches on the CPU: published counts, trees of all kinds against the oracle, any number of threads, progress.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "speedwell/apps/uts/reference.hpp"
#include "speedwell/apps/uts/searcher.hpp"
#include "speedwell/apps/uts/uts.hpp"
#include "speedwell/apps/uts/verify.hpp"
#include "tests/apps/uts/support.hpp"

namespace speedwell::uts {
namespace {

TEST(UtsSearch, CountsPublishedTrees) {
  for (const Published& p : published()) {
    if (p.counts.nodes > 5000000) continue;  // the larger ones: UtsSearchLong
    EXPECT_EQ(search_serially(p.tree), p.counts) << p.name;
    for (const int threads : {2, 3, 5}) EXPECT_EQ(search_in_threads(p.tree, threads), p.counts) << p.name;
  }
}

// --gtest_also_run_disabled_tests: all published trees up to 10^8 nodes.
TEST(UtsSearchLong, DISABLED_CountsPublishedTreesOfHundredMillions) {
  for (const Published& p : published()) {
    if (p.counts.nodes <= 5000000 || p.counts.nodes > 200000000) continue;
    EXPECT_EQ(search_serially(p.tree), p.counts) << p.name;
    EXPECT_EQ(search_in_threads(p.tree, 0), p.counts) << p.name;
  }
}

TEST(UtsSearch, CountsTreesOfAllKindsAsTheOracleDoes) {
  std::vector<Tree> trees = small_trees();
  std::mt19937 random(5);
  for (int i = 0; i < 60; ++i) trees.push_back(random_tree(random, 3000));
  for (const Tree& tree : trees) {
    const Counts expected = reference::search(tree);
    EXPECT_EQ(search_serially(tree), expected) << tree;
    for (const int threads : {1, 2, 4, 7}) EXPECT_EQ(search_in_threads(tree, threads), expected) << tree;
  }
}

TEST(UtsSearch, CountsTheSameWithEveryHashImplementation) {
  const Published tree = *published("dissertation-binary");
  for (const Hasher& hasher : hashers()) {
    const ChildRule rule(tree.tree);
    Searcher searcher(rule, hasher);
    searcher.begin(tree.tree.seed);
    while (!searcher.empty()) searcher.step();
    EXPECT_EQ(searcher.counts(), tree.counts) << hasher.name;
  }
}

// Whatever is given away at whatever time, nothing is lost and nothing is twice.
TEST(UtsSearch, GivesNodesAwayWithoutLoss) {
  std::mt19937 random(6);
  const Published tree = *published("dissertation-geometric");
  const ChildRule rule(tree.tree);
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<Searcher> searchers(3, Searcher(rule));
    searchers[0].begin(tree.tree.seed);
    std::size_t waits = 0;
    while (waits < searchers.size()) {
      Searcher& from = searchers[random() % 3];
      Searcher& to = searchers[random() % 3];
      if (!from.empty() && &from != &to) {
        const std::size_t before = from.size();
        const std::vector<Open> given = from.give(random() % 4 ? 1000 : 1 + random() % 3);
        if (before > 1) {
          EXPECT_EQ(from.size() + given.size(), before);
        }
        to.accept(given);
      }
      for (int steps = static_cast<int>(random() % 4); steps > 0 && !from.empty(); --steps) from.step();
      waits = 0;
      for (const Searcher& s : searchers) waits += s.empty();
    }
    Counts all;
    for (const Searcher& s : searchers) merge(all, s.counts());
    EXPECT_EQ(all, tree.counts);
  }
}

TEST(UtsSearch, SaysHowFarItIs) {
  const Published tree = *published("dissertation-binary");
  ProgressCounter serial{0}, threads{0};
  search_serially(tree.tree, &serial);
  search_in_threads(tree.tree, 3, &threads);
  EXPECT_EQ(serial.load(), tree.counts.nodes);
  EXPECT_EQ(threads.load(), tree.counts.nodes);
}

TEST(UtsSearch, RefusesWhatTheTreeRefuses) {
  const Tree endless = {.kind = Kind::binomial, .b0 = 10, .q = 0.5, .m = 2};
  EXPECT_THROW(search_serially(endless), std::invalid_argument);
  EXPECT_THROW(search_in_threads(endless, 2), std::invalid_argument);
  EXPECT_THROW(search_in_threads(Tree{}, -1), std::invalid_argument);
}

TEST(UtsVerify, FindsEachWrongCount) {
  const Counts right = published("T1")->counts;
  EXPECT_TRUE(verify(right, right, "published counts").passed);
  for (const int wrong : {0, 1, 2}) {
    Counts counts = right;
    ++(wrong == 0 ? counts.nodes : wrong == 1 ? counts.leaves : counts.depth);
    const core::Verdict verdict = verify(right, counts, "published counts");
    EXPECT_FALSE(verdict.passed);
    EXPECT_EQ(verdict.error, 1);
    EXPECT_EQ(verdict.tolerance, 0);
    EXPECT_EQ(verdict.oracle.find("published counts"), 0u);
  }
}

// Trees at random for as long as SPEEDWELL_STRESS_SECONDS says; a second otherwise.
TEST(UtsSearch, CountsRandomTreesInThreads) {
  const char* const wanted = std::getenv("SPEEDWELL_STRESS_SECONDS");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(wanted ? std::atoi(wanted) : 1);
  std::mt19937 random(7);
  do {
    const Tree tree = random_tree(random, 30000);
    ASSERT_EQ(search_in_threads(tree, 2 + static_cast<int>(random() % 5)), search_serially(tree)) << tree;
  } while (std::chrono::steady_clock::now() < end);
}

}  // namespace
}  // namespace speedwell::uts
