// FT on 1 to 8 ranks: the checksums of one process, for uneven slabs, and the official ones of class S.
#include <gtest/gtest.h>

#include <stdexcept>

#include "speedwell/apps/npb/ft/distributed.hpp"
#include "speedwell/apps/npb/ft/verify.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::npb::ft {
namespace {

TEST(FtOnRanks, HasTheChecksumsOfOneProcess) {
  for (const Problem& problem : {Problem{16, 16, 16, 3}, {12, 9, 11, 2}, {30, 8, 13, 2}}) {
    const Expected expected{Solver(problem, {.threads = 1}).run(), "one process"};
    DistributedSolver solver(test::ranks(), problem);
    const Checksums got = solver.run();
    EXPECT_TRUE(verify(expected, got).passed) << problem.nx;
    EXPECT_EQ(solver.run(), got) << "every time the same bits";
    EXPECT_GE(solver.exchange_seconds(), 0);
  }
}

TEST(FtOnRanks, HasTheOfficialChecksums) {
  const Problem problem = problem_of(Class::S);
  EXPECT_TRUE(verify(expect(problem), DistributedSolver(test::ranks(), problem).run()).passed);
}

TEST(FtOnRanks, RefusesWhatCannotBeDivided) {
  const std::int64_t n = test::ranks().size();
  EXPECT_THROW(DistributedSolver(test::ranks(), {8, 8, n - 1, 1}), std::invalid_argument);
  EXPECT_THROW(DistributedSolver(test::ranks(), {8, n - 1, 8, 1}), std::invalid_argument);
  EXPECT_THROW(DistributedSolver(test::ranks(), {8, 8, 8, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::npb::ft
