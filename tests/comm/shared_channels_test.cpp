// Messages through shared memory between 1 to 8 ranks: all arrive, in their order and whole, however fast or slow
// either side is, several channels between the same ranks do not disturb each other, and waits let messages of MPI
// pass.
#include "speedwell/comm/shared_channels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/ranks.hpp"

namespace speedwell::comm {
namespace {

using test::ranks;

class SharedChannelsOfRanks : public testing::Test {
 protected:
  void SetUp() override {
    if (!SharedMemory::allocate(ranks(), 1)) GTEST_SKIP() << "this system does not let the ranks share memory";
  }
};

std::byte value_of(std::size_t channel, int message, std::size_t at) {
  return static_cast<std::byte>(7 * channel + 31 * static_cast<std::size_t>(message) + at);
}

void write(SharedChannels& channels, std::size_t channel, std::size_t bytes, int message) {
  std::byte* const to = channels.begin_write(channel);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(to) % 64, 0u);
  for (std::size_t i = 0; i < bytes; ++i) to[i] = value_of(channel, message, i);
  channels.end_write(channel);
}

std::size_t wrong_bytes(SharedChannels& channels, std::size_t channel, std::size_t bytes, int message) {
  const std::byte* const from = channels.begin_read(channel);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < bytes; ++i) wrong += from[i] != value_of(channel, message, i);
  channels.end_read(channel);
  return wrong;
}

// Every rank writes to every rank, itself included, channels of different lengths and numbers of slots.
TEST_F(SharedChannelsOfRanks, BringAllMessagesInTheirOrder) {
  std::vector<Channel> list;
  for (int from = 0; from < ranks().size(); ++from)
    for (int to = 0; to < ranks().size(); ++to)
      for (const std::size_t bytes : {std::size_t{1}, std::size_t{5000}})
        for (const int slots : {1, 2, 5}) list.push_back({from, to, bytes, slots});
  auto channels = SharedChannels::create(ranks(), list);
  ASSERT_TRUE(channels);
  std::size_t wrong = 0;
  for (int message = 0; message < 100; ++message) {
    // Now and then one rank is late: the others wait for it, or run ahead.
    if (message % 10 == ranks().rank()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (std::size_t c = 0; c < list.size(); ++c)
      if (list[c].from == ranks().rank()) write(*channels, c, list[c].bytes, message);
    for (std::size_t c = list.size(); c-- > 0;)
      if (list[c].to == ranks().rank()) wrong += wrong_bytes(*channels, c, list[c].bytes, message);
  }
  EXPECT_EQ(wrong, 0u);
}

TEST_F(SharedChannelsOfRanks, LetASenderBeAsManyMessagesAheadAsThereAreSlots) {
  for (const int slots : {1, 2, 3, 16}) {
    std::vector<Channel> list;
    for (int from = 0; from < ranks().size(); ++from) list.push_back({from, (from + 1) % ranks().size(), 64, slots});
    auto channels = SharedChannels::create(ranks(), list);
    ASSERT_TRUE(channels);
    const auto own = static_cast<std::size_t>(ranks().rank());
    const std::size_t before = (own + list.size() - 1) % list.size();
    for (int round = 0; round < 3; ++round) {
      for (int m = 0; m < slots; ++m) write(*channels, own, 64, slots * round + m);
      ranks().barrier();  // all have written, and none has read
      for (int m = 0; m < slots; ++m) EXPECT_EQ(wrong_bytes(*channels, before, 64, slots * round + m), 0u);
    }
  }
}

// A long message of MPI ends only when its receiver calls functions of MPI, which it does while it waits for a channel.
TEST_F(SharedChannelsOfRanks, WaitsLetMessagesOfMpiPass) {
  if (ranks().size() < 2) GTEST_SKIP() << "one rank";
  const std::vector<Channel> list{{1, 0, 8}};
  auto channels = SharedChannels::create(ranks(), list);
  ASSERT_TRUE(channels);
  std::vector<char> data(std::size_t{8} << 20, ranks().rank() == 1 ? 'x' : ' ');
  if (ranks().rank() == 1) {
    ranks().send(std::span<const char>(data), 0, 3);
    write(*channels, 0, 8, 0);
  } else if (ranks().rank() == 0) {
    Request arriving = ranks().start_receive(std::span<char>(data), 1, 3);
    EXPECT_EQ(wrong_bytes(*channels, 0, 8, 0), 0u);
    arriving.wait();
    EXPECT_TRUE(std::all_of(data.begin(), data.end(), [](char c) { return c == 'x'; }));
  }
  ranks().barrier();
}

TEST_F(SharedChannelsOfRanks, RefuseRanksThatDoNotExistAndChannelsWithoutSlots) {
  for (const Channel& wrong : {Channel{0, ranks().size(), 8}, Channel{-1, 0, 8}})
    EXPECT_THROW(SharedChannels::create(ranks(), std::span(&wrong, 1)), std::invalid_argument);
  const Channel none{0, 0, 8, 0};
  EXPECT_THROW(SharedChannels::create(ranks(), std::span(&none, 1)), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::comm
