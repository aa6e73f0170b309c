// Ceilings of messages between ranks.
#include "speedwell/harness/message_ceilings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "speedwell/core/error.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::harness {
namespace {

using test::ranks;

TEST(Messages, TheFirstRankHasTheCeilings) {
  if (ranks().size() < 2) {
    EXPECT_THROW(measure_messages(ranks(), machine::Effort::quick), core::Unavailable);
    return;
  }
  const machine::Ceilings ceilings = measure_messages(ranks(), machine::Effort::quick);
  const std::vector<std::string> names = {"mpi.latency", "mpi.bandwidth", "mpi.bandwidth_both"};
  ASSERT_EQ(ceilings.entries.size(), ranks().rank() == 0 ? names.size() : 0);
  for (std::size_t i = 0; i < ceilings.entries.size(); ++i) {
    const machine::Ceiling& c = ceilings.entries[i];
    EXPECT_EQ(c.name, names[i]);
    EXPECT_TRUE(std::isfinite(c.value) && c.value > 0) << c.name;
    EXPECT_GE(c.samples.size(), 5u) << c.name;
    EXPECT_EQ(c.unit, i == 0 ? "us" : "GB/s");
    EXPECT_EQ(machine::words_of_ceiling(c.name).find("between two ranks: "), 0u) << c.name;
  }
}

}  // namespace
}  // namespace speedwell::harness
