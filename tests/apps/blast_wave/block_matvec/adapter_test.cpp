// The work that the application counts, the problems that it refuses, and the faults that its verdict finds.
#include "speedwell/apps/blast_wave/block_matvec/adapter.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "speedwell/apps/blast_wave/block_matvec/problem.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::blast_wave::block_matvec {
namespace {

using harness::Setting;

harness::Problem problem(std::int64_t nx = 7, std::int64_t ny = 5, std::int64_t nz = 3, std::uint64_t seed = 1) {
  return harness::problem_with(application(), {{"nx", nx}, {"ny", ny}, {"nz", nz}}, seed);
}

TEST(BlockMatvecApplication, CountsBlocksVectorsAndColumns) {
  const harness::Application app = application();
  const harness::Work best = app.work(problem()), indexed = harness::row(app, "cusparse").work(problem());
  EXPECT_EQ(best.bytes_read, 1440.0 * 7 * 5 * 3);
  EXPECT_EQ(best.bytes_written, 40.0 * 7 * 5 * 3);
  EXPECT_EQ(best.operations, 350.0 * 7 * 5 * 3);
  EXPECT_EQ(indexed.bytes_read, 1472.0 * 7 * 5 * 3);
  EXPECT_EQ(indexed.operations, best.operations);
}

TEST(BlockMatvecApplication, RefusesWhatIsNotCounted) {
  const harness::Application app = application();
  for (const auto& [nx, ny, nz] : {std::array<std::int64_t, 3>{2, 5, 5},
                                   {5, 5, 2},
                                   {1 << 28, 3, 3},
                                   {1000, 1000, 430},
                                   {1 << 28, 1 << 28, 1 << 28}})
    EXPECT_THROW(app.footprint(problem(nx, ny, nz)), std::invalid_argument) << nx << " " << ny << " " << nz;
  EXPECT_NO_THROW(app.footprint(problem(1000, 1000, 429)));
}

// One entry of one block, taken away: the least that a product can forget.
TEST(BlockMatvecApplication, AnEntryThatIsForgottenIsFound) {
  const Problem small{{4, 3, 5}, 3};
  const Blocks7 whole = matrix(small);
  const std::vector<double> x = vector(small, whole);
  const Expected expected = expect(small);
  std::vector<double> y(x.size());
  whole.multiply(x, y, 1);
  EXPECT_TRUE(verify(small, expected, y).passed);
  for (int n = 0; n < neighbours; ++n) {
    Blocks7 short_of_one = matrix(small);
    short_of_one.entry(7 * n, static_cast<Neighbour>(n), n % 5, (n + 2) % 5) = 0;
    short_of_one.multiply(x, y, 1);
    EXPECT_FALSE(verify(small, expected, y).passed) << n;
  }
  EXPECT_THROW(verify(small, expected, std::span<const double>(y).first(7)), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::blast_wave::block_matvec
