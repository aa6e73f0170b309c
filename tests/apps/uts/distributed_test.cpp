// The search on ranks against published counts and the search on one; and again and again, since what hangs does so
// rarely.
#include "speedwell/apps/uts/distributed.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "speedwell/apps/uts/uts.hpp"
#include "tests/apps/uts/support.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::uts {
namespace {

using test::ranks;

TEST(UtsRanks, CountPublishedTrees) {
  for (const Published& p : published()) {
    if (p.counts.nodes < 5000000) {
      EXPECT_EQ(search_on_ranks(ranks(), p.tree), p.counts) << p.name;
    }
  }
}

TEST(UtsRanks, CountTreesOfAllKinds) {
  std::vector<Tree> trees = small_trees();
  std::mt19937 random(21);  // the same trees on every rank
  for (int i = 0; i < 20; ++i) trees.push_back(random_tree(random, 20000));
  for (const Tree& tree : trees) EXPECT_EQ(search_on_ranks(ranks(), tree), search_serially(tree)) << tree;
}

// Trees of a few nodes, where nearly all is asking, answering and the end.
TEST(UtsRanks, EndTwoHundredTimes) {
  Tree tree = {.kind = Kind::binomial, .b0 = 6, .q = 0.45, .m = 2};
  for (tree.seed = 0; tree.seed < 200; ++tree.seed)
    ASSERT_EQ(search_on_ranks(ranks(), tree), search_serially(tree)) << tree.seed;
}

TEST(UtsRanks, RefuseWhatTheTreeRefuses) {
  EXPECT_THROW(search_on_ranks(ranks(), {.kind = Kind::binomial, .b0 = 10, .q = 0.5, .m = 2}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::uts
