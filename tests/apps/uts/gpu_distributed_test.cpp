// The search on several GPUs, which ranks may share, against published counts and the search on the host; and again and
// again, since what hangs does so rarely.
#include "speedwell/apps/uts/gpu_distributed.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/uts/uts.hpp"
#include "tests/apps/uts/support.hpp"
#include "tests/support/device_ranks.hpp"

namespace speedwell::uts {
namespace {

using test::ranks;

class UtsGpus : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    stream_.emplace();
  }
  Counts count(const Tree& tree, const GpuTuning& tuning) {
    DistributedGpuSolver solver(ranks(), tree, tuning);
    solver.upload(*stream_);
    return solver.run(*stream_);
  }
  Counts count(const Tree& tree) { return count(tree, best_tuning(tree)); }
  std::optional<core::Stream> stream_;
};

TEST_F(UtsGpus, CountPublishedTrees) {
  for (const Published& p : published()) {
    if (p.counts.nodes < 200000000) {
      EXPECT_EQ(count(p.tree), p.counts) << p.name;
    }
  }
}

TEST_F(UtsGpus, CountTreesOfAllKinds) {
  std::vector<Tree> trees = small_trees();
  std::mt19937 random(23);  // the same trees on every rank
  for (int i = 0; i < 20; ++i) trees.push_back(random_tree(random, 20000));
  for (const Tree& tree : trees) EXPECT_EQ(count(tree), search_serially(tree)) << tree;
}

// One object searches again and again: trees of some thousand nodes, where nearly all is beginning and end of rounds.
TEST_F(UtsGpus, EndTwoHundredTimes) {
  const Tree tree = {.kind = Kind::binomial, .b0 = 200, .q = 0.48, .m = 2, .seed = 5};
  const Counts expected = search_serially(tree);
  DistributedGpuSolver solver(ranks(), tree);
  solver.upload(*stream_);
  for (int round = 0; round < 200; ++round) {
    ASSERT_EQ(solver.run(*stream_), expected) << round;
    ASSERT_GE(solver.rounds(), 1);
  }
  EXPECT_GE(solver.exchange_seconds(), 0);
}

// Two chunks of spill memory for each warp are too few for a deep tree: the search begins anew with more on all ranks.
TEST_F(UtsGpus, TakeMoreMemoryWhereOpenNodesNeedIt) {
  for (const Published& p : published())
    if (p.counts.nodes < 5000000) {
      GpuTuning tuning = best_tuning(p.tree);
      tuning.first_chunks = 1;
      tuning.warps = 1;
      EXPECT_EQ(count(p.tree, tuning), p.counts) << p.name;
    }
}

TEST_F(UtsGpus, RefuseWhatTheTreeRefuses) {
  EXPECT_THROW(DistributedGpuSolver(ranks(), {.kind = Kind::binomial, .b0 = 10, .q = 0.5, .m = 2}),
               std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::uts
