// Memory that 1 to 8 ranks share: each sees what the others have written, and what one has is not another's. Where the
// system does not let processes share memory, as in some sandboxes, there is nothing to test but that all are told so.
#include "speedwell/comm/shared_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

#include "tests/support/ranks.hpp"

namespace speedwell::comm {
namespace {

using test::ranks;

std::span<std::int64_t> words(const SharedMemory& memory) {
  return {reinterpret_cast<std::int64_t*>(memory.data()), memory.size() / sizeof(std::int64_t)};
}

class SharedMemoryOfRanks : public testing::Test {
 protected:
  void SetUp() override {
    const bool here = SharedMemory::allocate(ranks(), 1).has_value();
    EXPECT_EQ(ranks().reduce(std::int64_t{here}, Reduction::minimum),
              ranks().reduce(std::int64_t{here}, Reduction::maximum));
    EXPECT_TRUE(here || ranks().size() > 1);
    if (!here) GTEST_SKIP() << "this system does not let the ranks share memory";
  }
};

TEST_F(SharedMemoryOfRanks, SeeWhatOthersWrite) {
  const std::int64_t size = ranks().size(), rank = ranks().rank();
  for (const std::int64_t each : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{1} << 19}) {
    auto memory = SharedMemory::allocate(ranks(), static_cast<std::size_t>(each * size) * sizeof(std::int64_t));
    ASSERT_TRUE(memory) << "all ranks are on this host";
    const auto all = words(*memory);
    ASSERT_EQ(static_cast<std::int64_t>(all.size()), each * size);
    for (int round = 0; round < 3; ++round) {
      for (std::int64_t i = 0; i < each; ++i) all[static_cast<std::size_t>(rank * each + i)] = round + rank + size * i;
      ranks().barrier();
      std::int64_t wrong = 0;
      for (std::int64_t r = 0; r < size; ++r)
        for (std::int64_t i = 0; i < each; ++i)
          if (all[static_cast<std::size_t>(r * each + i)] != round + r + size * i) ++wrong;
      EXPECT_EQ(wrong, 0) << each << " words of each rank, round " << round;
      ranks().barrier();
    }
  }
}

TEST_F(SharedMemoryOfRanks, IsOffForAllIfItIsForOne) {
  if (ranks().size() == 1) GTEST_SKIP() << "one rank";
  if (ranks().rank() == ranks().size() - 1) setenv("SPEEDWELL_SHARED_MEMORY", "off", 1);
  EXPECT_FALSE(SharedMemory::allocate(ranks(), 64));
  unsetenv("SPEEDWELL_SHARED_MEMORY");
  EXPECT_TRUE(SharedMemory::allocate(ranks(), 64));
}

TEST_F(SharedMemoryOfRanks, IsApartFromAnotherAndCanBeMoved) {
  auto first = SharedMemory::allocate(ranks(), 64), second = SharedMemory::allocate(ranks(), 64);
  ASSERT_TRUE(first && second);
  if (ranks().rank() == 0) {
    words(*first)[0] = 1;
    words(*second)[0] = 2;
  }
  ranks().barrier();
  SharedMemory moved = std::move(*first);
  EXPECT_EQ(words(moved)[0], 1);
  EXPECT_EQ(words(*second)[0], 2);
  moved = std::move(*second);
  EXPECT_EQ(words(moved)[0], 2);
  ranks().barrier();
}

// What a rank has mapped stays when others have given it up.
TEST_F(SharedMemoryOfRanks, LastsUntilTheLastRankGivesItUp) {
  auto memory = SharedMemory::allocate(ranks(), 4096);
  ASSERT_TRUE(memory);
  const bool is_last = ranks().rank() == ranks().size() - 1;
  if (is_last) words(*memory)[5] = 42;
  if (!is_last) memory.reset();
  ranks().barrier();
  if (is_last) {
    EXPECT_EQ(words(*memory)[5], 42);
  }
}

}  // namespace
}  // namespace speedwell::comm
