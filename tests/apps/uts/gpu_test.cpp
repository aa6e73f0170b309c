// Both GPU variants: published counts, trees of all kinds against the searches of the CPU, growing where room lacks,
// and random trees for as long as one likes.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>

#include "speedwell/apps/uts/gpu_solver.hpp"
#include "speedwell/apps/uts/ladder.hpp"
#include "speedwell/apps/uts/reference.hpp"
#include "speedwell/apps/uts/uts.hpp"
#include "tests/apps/uts/gpu_hash.hpp"
#include "tests/apps/uts/support.hpp"

namespace speedwell::uts {
namespace {

class UtsGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!core::have_device()) GTEST_SKIP() << "no GPU";
    stream_.emplace();
  }
  Counts search(const Tree& tree, Method method, const GpuTuning& tuning) const {
    GpuSolver solver(tree, method, tuning);
    solver.upload(*stream_);
    return solver.run(*stream_);
  }
  Counts search(const Tree& tree, Method method) const { return search(tree, method, best_tuning(tree)); }
  std::optional<core::Stream> stream_;
};

TEST_F(UtsGpu, HashesTheVectorsOfTheStandard) {
  const std::vector<FipsVector> vectors = fips_vectors();
  const auto digests = hashed_on_device(vectors);
  for (std::size_t i = 0; i < vectors.size(); ++i) EXPECT_EQ(digests[i], vectors[i].digest) << vectors[i].name;
}

TEST_F(UtsGpu, CountsPublishedTrees) {
  for (const Published& p : published()) {
    if (p.counts.nodes > 5000000) continue;
    for (const Step& step : steps) EXPECT_EQ(search(p.tree, step.method), p.counts) << p.name << " " << step.name;
  }
}

TEST_F(UtsGpu, CountsTreesOfAllKindsAsTheOracleDoes) {
  std::mt19937 random(11);
  std::vector<Tree> trees = small_trees();
  for (int i = 0; i < 20; ++i) trees.push_back(random_tree(random, 3000));
  for (const Tree& tree : trees) {
    const Counts expected = reference::search(tree);
    for (const Step& step : steps) EXPECT_EQ(search(tree, step.method), expected) << tree << " " << step.name;
  }
}

// Stacks that must put nodes aside, with no memory for it at first; and warps from one to as many as fit.
TEST_F(UtsGpu, GrowsWhereStacksAreFull) {
  const Tree bushy = {.kind = Kind::uniform, .depth = 16, .seed = 0};
  const Counts expected = {4699699, 2820064, 16};
  for (const int warps : {1, 4, 24}) {
    GpuTuning tuning = best_tuning(bushy);
    tuning.warps = warps;
    tuning.first_chunks = 0;
    tuning.min_nodes = 1e30f;  // no warp hands nodes over: the first one searches the whole tree
    EXPECT_EQ(search(bushy, Method::depth_first, tuning), expected) << warps;
    tuning.min_nodes = 1;
    tuning.min_children = 2;
    tuning.poll_interval = 1;
    EXPECT_EQ(search(bushy, Method::depth_first, tuning), expected) << warps;
  }
}

// A level with more nodes that have children than there is capacity for at first.
TEST_F(UtsGpu, CountsLargeLevels) {
  const Tree tree = {.kind = Kind::uniform, .depth = 18, .seed = 0};
  const Counts expected = search_in_threads(tree, 0);
  ASSERT_GT(expected.nodes, 20000000u);
  for (const Step& step : steps) EXPECT_EQ(search(tree, step.method), expected) << step.name;
  const Tree wide = {.kind = Kind::balanced, .b0 = 3e6, .depth = 1};
  for (const Step& step : steps) EXPECT_EQ(search(wide, step.method), (Counts{3000001, 3000000, 1})) << step.name;
}

// --gtest_also_run_disabled_tests: identical counts of the largest trees, twenty times each.
TEST_F(UtsGpu, DISABLED_CountsTheLargestTreesTwentyTimes) {
  for (const char* name : {"T1L", "T2L", "T3L", "T1XL", "T1XXL", "T3XXL", "T2XXL"}) {
    const Published tree = *published(std::string_view(name));
    GpuSolver solver(tree.tree, Method::depth_first, best_tuning(tree.tree));
    solver.upload(*stream_);
    for (int i = 0; i < 20; ++i) ASSERT_EQ(solver.run(*stream_), tree.counts) << name << ", run " << i;
  }
}

// A tree that goes below the rows that were made for it.
TEST_F(UtsGpu, MakesMoreRowsForTreesWithoutEnd) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    const Tree tree = {.kind = Kind::geometric, .shape = Shape::expdec, .b0 = 4, .depth = 3, .seed = seed};
    const Counts expected = search_serially(tree);
    for (const Step& step : steps) EXPECT_EQ(search(tree, step.method), expected) << tree << " " << step.name;
  }
}

TEST_F(UtsGpu, CountsAlikeAgainAndAgain) {
  const Published tree = *published("dissertation-geometric");
  GpuSolver solver(tree.tree, Method::depth_first, best_tuning(tree.tree));
  solver.upload(*stream_);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(solver.run(*stream_), tree.counts) << i;
}

// Trees at random for as long as SPEEDWELL_STRESS_SECONDS says; a second otherwise.
TEST_F(UtsGpu, CountsRandomTrees) {
  const char* const wanted = std::getenv("SPEEDWELL_STRESS_SECONDS");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(wanted ? std::atoi(wanted) : 1);
  std::mt19937 random(12);
  long trees = 0;
  do {
    const Tree tree = random_tree(random, random() % 4 ? 20000 : 2e6);
    GpuTuning tuning = best_tuning(tree);
    tuning.warps = 1 + static_cast<int>(random() % 24);
    tuning.poll_interval = 1 + static_cast<int>(random() % 4);
    tuning.min_children = 2 + static_cast<int>(random() % 100);
    tuning.min_nodes = static_cast<float>(random() % 200);
    tuning.first_chunks = static_cast<int>(random() % 3);
    const Counts expected = search_in_threads(tree, 0);
    ASSERT_EQ(search(tree, Method::depth_first, tuning), expected) << tree;
    if (trees % 4 == 0) {
      ASSERT_EQ(search(tree, Method::breadth_first), expected) << tree;
    }
    ++trees;
  } while (std::chrono::steady_clock::now() < end);
  RecordProperty("trees", std::to_string(trees));
}

}  // namespace
}  // namespace speedwell::uts
