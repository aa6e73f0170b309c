// Which trees there are, which are refused, and that integers count children as the formulas do.
#include "speedwell/apps/uts/tree.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "speedwell/apps/uts/reference.hpp"
#include "tests/apps/uts/support.hpp"

namespace speedwell::uts {
namespace {

reference::Digest with_value(std::uint32_t value) {
  reference::Digest digest{};
  for (std::size_t b = 0; b < 4; ++b) digest[16 + b] = static_cast<std::uint8_t>(value >> (24 - 8 * b));
  return digest;
}

TEST(UtsTrees, PublishedOnesAreFoundByNameAndByWhatTheyDependOn) {
  std::set<std::string_view> names;
  for (const Published& p : published()) {
    EXPECT_TRUE(names.insert(p.name).second) << p.name;
    EXPECT_NO_THROW(require_valid(p.tree)) << p.name;
    EXPECT_EQ(published(p.name)->counts, p.counts);
    EXPECT_EQ(published(p.tree)->name, p.name);
    // A binomial tree has a fixed number of children at each node but the root: leaves follow from nodes.
    if (p.tree.kind != Kind::binomial) continue;
    const auto b0 = static_cast<std::uint64_t>(p.tree.b0), m = static_cast<std::uint64_t>(p.tree.m);
    EXPECT_EQ((p.counts.nodes - 1 - b0) % m, 0u) << p.name;
    EXPECT_EQ(p.counts.leaves, p.counts.nodes - (p.counts.nodes - 1 - b0) / m - 1) << p.name;
  }
  EXPECT_EQ(names.size(), 17u);
  Tree t1 = published("T1")->tree;
  t1.q = 0.9;  // of no matter to a geometric tree
  EXPECT_EQ(published(t1)->name, "T1");
  t1.depth = 9;
  EXPECT_FALSE(published(t1).has_value());
  EXPECT_FALSE(published("T6").has_value());
}

TEST(UtsTrees, ThatNeedNotEndOrCannotBeCountedAreRefused) {
  const auto refused = [](Tree t, const std::string& word) {
    try {
      require_valid(t);
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused({.kind = Kind::binomial, .b0 = 10, .q = 0.25, .m = 4}, "q m is 1"));
  EXPECT_TRUE(refused({.kind = Kind::binomial, .b0 = 10, .q = 0.5, .m = 3}, "would not end"));
  EXPECT_TRUE(refused({.kind = Kind::hybrid, .q = 1, .m = 1}, "q m"));
  EXPECT_TRUE(refused({.kind = Kind::binomial, .q = 1.5, .m = 0}, "q is 1.5"));
  EXPECT_TRUE(refused({.kind = Kind::binomial, .q = std::nan(""), .m = 0}, "q is"));
  EXPECT_TRUE(refused({.kind = Kind::binomial, .q = 0, .m = 101}, "m is 101"));
  EXPECT_TRUE(refused({.kind = Kind::binomial, .b0 = 2147483648.0, .q = 0}, "b0"));
  EXPECT_TRUE(refused({.kind = Kind::binomial, .b0 = -1, .q = 0}, "b0 is -1"));
  EXPECT_TRUE(refused({.kind = Kind::geometric, .b0 = std::nan("")}, "b0"));
  EXPECT_TRUE(refused({.kind = Kind::geometric, .depth = 0}, "depth is 0"));
  EXPECT_TRUE(refused({.kind = Kind::geometric, .depth = 65537}, "depth is 65537"));
  EXPECT_TRUE(refused({.kind = Kind::geometric, .shape = Shape::expdec, .b0 = 0.5}, "growth"));
  EXPECT_TRUE(refused({.kind = Kind::geometric, .shape = Shape::expdec, .depth = 1}, "depth is 1"));
  EXPECT_TRUE(refused({.kind = Kind::geometric, .shape = Shape::cyclic, .b0 = 0}, "b0 is 0"));
  EXPECT_TRUE(refused({.kind = Kind::hybrid, .shift = 1.5}, "shift is 1.5"));
  EXPECT_TRUE(refused({.kind = Kind::balanced, .b0 = 2, .depth = 63}, "below 2^63"));
  EXPECT_TRUE(refused({.kind = Kind::balanced, .b0 = 1e9, .depth = 4}, "below 2^63"));
  EXPECT_FALSE(refused({.kind = Kind::balanced, .b0 = 2, .depth = 61}, ""));
  EXPECT_FALSE(refused({.kind = Kind::binomial, .b0 = 10, .q = 0.2499, .m = 4}, ""));
  EXPECT_FALSE(refused({.kind = Kind::binomial, .b0 = 10, .q = 1, .m = 0}, ""));
}

// At every threshold, below and above it, at the ends, and at random values of each depth.
TEST(UtsTrees, IntegersCountChildrenAsTheFormulasDo) {
  std::mt19937 random(3);
  std::vector<Tree> trees = small_trees();
  for (const Published& p : published()) trees.push_back(p.tree);
  for (int i = 0; i < 60; ++i) trees.push_back(random_tree(random, 1e9));
  for (const Tree& tree : trees) {
    const ChildRule rule(tree);
    const std::size_t depths = std::min<std::size_t>(rule.rows().size() + 2, 150);
    for (std::size_t depth = 0; depth < depths; ++depth) {
      std::vector<std::uint32_t> values = {0, 1, ChildRule::values - 1, ChildRule::values - 2};
      const auto beside = [&](std::uint32_t least) {
        for (const std::uint32_t value : {least - 1, least, least + 1})
          if (value < ChildRule::values) values.push_back(value);
      };
      if (depth < rule.rows().size()) {
        const ChildRule::Row& row = rule.rows()[depth];
        beside(row.first);
        if (row.begin >= 0)
          for (int k = 0; k + 1 < row.max_children; ++k) beside(rule.graded()[static_cast<std::size_t>(row.begin + k)]);
      }
      for (int i = 0; i < 50; ++i) values.push_back(static_cast<std::uint32_t>(random()) >> 1);
      for (const std::uint32_t value : values)
        ASSERT_EQ(rule.children(static_cast<std::int64_t>(depth), value),
                  reference::children(tree, static_cast<std::int64_t>(depth), with_value(value)))
            << tree << ", depth " << depth << ", value " << value;
    }
  }
}

TEST(UtsTrees, ExpectAsManyNodesAsThereAreOnAverage) {
  for (Tree tree : small_trees()) {
    if (tree.kind == Kind::binomial && tree.m == 1) continue;  // one long path: its length says nothing of a mean
    ChildRule rule(tree);
    if (rule.unbounded()) rule.extend(4096);  // whose nodes are expected far below the depth that the tree is named for
    const double expected = rule.expected_nodes().front();
    if (expected > 3000) continue;  // too long for so many seeds
    constexpr int seeds = 400;
    double sum = 0, squares = 0;
    for (tree.seed = 0; tree.seed < seeds; ++tree.seed) {
      const auto nodes = static_cast<double>(reference::search(tree).nodes);
      sum += nodes;
      squares += nodes * nodes;
    }
    const double mean = sum / seeds, deviation = std::sqrt(std::max(0.0, squares / seeds - mean * mean) / seeds);
    EXPECT_NEAR(mean, expected, 5 * deviation + 1e-9 * expected) << tree;  // five standard deviations of the mean
  }
  EXPECT_TRUE(std::isinf(ChildRule(published("T3L")->tree).expected_nodes().front()));
  // (2000 children, each the root of 1 / (1 - q m) nodes), and the 31-bit threshold of q.
  EXPECT_NEAR(ChildRule(published("T3")->tree).expected_nodes().front(), 1 + 2000 / (1 - 0.999), 2000);
}

TEST(UtsTrees, RowsGrowOnDemandWhereTheyDoNotEnd) {
  const Tree tree = {.kind = Kind::geometric, .shape = Shape::expdec, .b0 = 3, .depth = 7};
  ChildRule rule(tree);
  ASSERT_TRUE(rule.unbounded());
  EXPECT_FALSE(ChildRule(published("T1")->tree).unbounded());
  std::mt19937 random(4);
  std::vector<std::uint32_t> values;
  for (int i = 0; i < 1000; ++i) values.push_back(static_cast<std::uint32_t>(random()) >> 1);
  const auto at_40 = [&] {
    std::vector<int> children;
    for (const std::uint32_t value : values) children.push_back(rule.children(40, value));
    return children;
  };
  const auto before = at_40();
  ASSERT_LT(rule.rows().size(), 40u);
  rule.extend(64);
  EXPECT_EQ(rule.rows().size(), 64u);
  EXPECT_EQ(at_40(), before);
}

}  // namespace
}  // namespace speedwell::uts
