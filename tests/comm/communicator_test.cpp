// Communication of all ranks of a launch: each collective and each kind of message, on 1 to 8 ranks.
#include "speedwell/comm/communicator.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "speedwell/comm/placement.hpp"
#include "speedwell/core/error.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::comm {
namespace {

using test::ranks;

TEST(Communicator, ReducesToOneValueOnEveryRank) {
  const std::int64_t n = ranks().size(), me = ranks().rank();
  EXPECT_EQ(ranks().reduce(me + 1, Reduction::sum), n * (n + 1) / 2);
  EXPECT_EQ(ranks().reduce(me, Reduction::maximum), n - 1);
  EXPECT_EQ(ranks().reduce(me, Reduction::minimum), 0);
  EXPECT_EQ(ranks().reduce(0.5 * static_cast<double>(me), Reduction::maximum), 0.5 * static_cast<double>(n - 1));
}

TEST(Communicator, BroadcastsFromAnyRank) {
  for (int root = 0; root < ranks().size(); ++root) {
    EXPECT_EQ(ranks().broadcast(100 + ranks().rank(), root), 100 + root);
    EXPECT_EQ(ranks().broadcast(std::string(static_cast<std::size_t>(ranks().rank()), 'x'), root).size(),
              static_cast<std::size_t>(root));
    std::vector<double> values(1000, ranks().rank());
    ranks().broadcast(std::span<double>(values), root);
    EXPECT_EQ(values, std::vector<double>(1000, root));
  }
}

TEST(Communicator, GathersTextsInOrder) {
  const auto texts = ranks().gather(std::string(static_cast<std::size_t>(ranks().rank()), 'a') + "!");
  ASSERT_EQ(texts.size(), static_cast<std::size_t>(ranks().size()));
  for (std::size_t r = 0; r < texts.size(); ++r) EXPECT_EQ(texts[r], std::string(r, 'a') + "!");
}

TEST(Communicator, MessagesGoAroundTheRing) {
  const int n = ranks().size(), me = ranks().rank(), next = (me + 1) % n, before = (me + n - 1) % n;
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{100000}}) {
    std::vector<float> out(length, static_cast<float>(me)), in(length, -1);
    Request receiving = ranks().start_receive(std::span<float>(in), before, 3);
    Request sending = ranks().start_send(std::span<const float>(out), next, 3);
    sending.wait();
    while (!receiving.ended()) {
    }
    receiving.wait();  // nothing is under way any more
    EXPECT_TRUE(sending.ended());
    EXPECT_EQ(in, std::vector<float>(length, static_cast<float>(before)));
  }
}

TEST(Communicator, MessagesOfOneTagKeepTheirOrder) {
  if (ranks().size() < 2) GTEST_SKIP() << "one rank";
  for (int n = 0; n < 20; ++n) {
    if (ranks().rank() == 0) ranks().send(std::span<const int>(&n, 1), 1);
    int got = -1;
    if (ranks().rank() == 1) {
      ranks().receive(std::span<int>(&got, 1), 0);
      EXPECT_EQ(got, n);
    }
  }
}

TEST(Communicator, AnIdleBarrierWaitsForTheLastAndUsesLittleTime) {
  ranks().barrier();
  const std::clock_t used_before = std::clock();
  const auto begin = std::chrono::steady_clock::now();
  constexpr std::chrono::milliseconds work{300};
  if (ranks().rank() == 0) std::this_thread::sleep_for(work);
  ranks().idle_barrier();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, work / 2) << "the ranks leave barrier() at different moments";
  const double used = static_cast<double>(std::clock() - used_before) / CLOCKS_PER_SEC;
  EXPECT_LT(used, 0.15) << "a rank that spins uses 0.3 s";
}

TEST(Communicator, SplitsByColourInTheOrderOfKeys) {
  const int me = ranks().rank(), n = ranks().size();
  const Communicator half = ranks().split(me % 2, -me);
  EXPECT_EQ(half.size(), (n + 1 - me % 2) / 2);
  EXPECT_EQ(half.rank(), half.size() - 1 - me / 2);
  EXPECT_EQ(half.reduce(std::int64_t{me % 2}, Reduction::sum), me % 2 * half.size());
}

TEST(Communicator, PlacementNamesEveryRank) {
  const auto all = placement(ranks());
  ASSERT_EQ(all.size(), static_cast<std::size_t>(ranks().size()));
  for (std::size_t r = 0; r < all.size(); ++r) {
    EXPECT_EQ(all[r].rank, static_cast<int>(r));
    EXPECT_EQ(all[r].local_rank, static_cast<int>(r)) << "the tests run on one host";
    EXPECT_EQ(all[r].host, host_name());
    EXPECT_FALSE(all[r].cores.empty());
  }
}

TEST(Communicator, WhatMpiRefusesIsAnException) {
  EXPECT_THROW(ranks().broadcast(1, ranks().size() + 5), core::DeviceError);
  int value = 0;
  EXPECT_THROW(ranks().send(std::span<const int>(&value, 1), ranks().size() + 5), core::DeviceError);
}

}  // namespace
}  // namespace speedwell::comm
