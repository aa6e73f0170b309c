// Sums over ranks: the same bits on all of them, in the order of the ranks, or for any division of the terms.
#include "speedwell/comm/sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "speedwell/comm/parts.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::comm {
namespace {

using test::ranks;

std::vector<double> terms() {
  std::mt19937_64 random(1);
  std::vector<double> all(1000);
  for (double& term : all)
    term = std::ldexp(static_cast<double>(random()) - 0x1p63, static_cast<int>(random() % 100) - 50);
  return all;
}

TEST(SumInOrder, AddsInTheOrderOfTheRanks) {
  const std::vector<double> all = terms();
  const auto mine = static_cast<std::size_t>(ranks().rank()), size = static_cast<std::size_t>(ranks().size());
  std::vector<double> values{all[2 * mine], all[2 * mine + 1]};
  sum_in_order(ranks(), values);
  for (std::size_t i = 0; i < 2; ++i) {
    double sum = all[i];
    for (std::size_t r = 1; r < size; ++r) sum += all[2 * r + i];
    EXPECT_EQ(values[i], sum);
  }
}

TEST(ExactSum, DoesNotDependOnTheRanks) {
  const std::vector<double> all = terms();
  core::ExactSum whole, mine;
  whole.add(std::span<const double>(all));
  const Range part = part_of(static_cast<std::int64_t>(all.size()), ranks().size(), ranks().rank());
  for (std::int64_t i = part.begin; i < part.end; ++i) mine.add(all[static_cast<std::size_t>(i)]);
  EXPECT_EQ(exact_sum(ranks(), mine), whole.value());
  core::ExactSum infinite;
  if (ranks().rank() == ranks().size() - 1) infinite.add(std::numeric_limits<double>::infinity());
  EXPECT_EQ(exact_sum(ranks(), infinite), std::numeric_limits<double>::infinity());
}

TEST(Communicator, ReducesAndGathersArrays) {
  const std::int64_t n = ranks().size(), me = ranks().rank();
  std::vector<std::int64_t> values{me, -me, 1};
  ranks().reduce(std::span<std::int64_t>(values), Reduction::sum);
  EXPECT_EQ(values, (std::vector<std::int64_t>{n * (n - 1) / 2, -n * (n - 1) / 2, n}));
  const std::vector<int> mine{static_cast<int>(me), 7};
  std::vector<int> gathered(static_cast<std::size_t>(2 * n));
  ranks().gather(std::span<const int>(mine), std::span<int>(gathered));
  for (std::int64_t r = 0; r < n; ++r) {
    EXPECT_EQ(gathered[static_cast<std::size_t>(2 * r)], r);
    EXPECT_EQ(gathered[static_cast<std::size_t>(2 * r + 1)], 7);
  }
  EXPECT_THROW(ranks().gather(std::span<const int>(mine), std::span<int>(gathered).first(1)), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::comm
