// EP on 1 to 8 ranks, one thread or several on each, has the bits of one process.
#include <gtest/gtest.h>

#include <stdexcept>

#include "speedwell/apps/npb/ep/distributed.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::npb::ep {
namespace {

TEST(EpOnRanks, HasTheBitsOfOneProcess) {
  for (const int m : {10, 16, 19, 22}) {  // one block, fewer blocks than ranks, and many
    const Result expected = tally({m}, {.threads = 1});
    EXPECT_EQ(tally(test::ranks(), {m}), expected) << m;
    EXPECT_EQ(tally(test::ranks(), {m}, {.threads = 2}), expected) << m;
  }
}

TEST(EpOnRanks, RefusesWhatTallyRefuses) { EXPECT_THROW(tally(test::ranks(), {max_m + 1}), std::invalid_argument); }

}  // namespace
}  // namespace speedwell::npb::ep
