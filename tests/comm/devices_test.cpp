// Which GPU each rank takes, without GPUs and without ranks.
#include "speedwell/comm/devices.hpp"

#include <gtest/gtest.h>

#include "speedwell/core/error.hpp"

namespace speedwell::comm {
namespace {

/// What each of `ranks` ranks of a host sees that shows all its GPUs to all.
std::vector<VisibleDevices> host(const std::string& name, int ranks, int gpus, int first_rank = 0,
                                 const std::string& model = "H") {
  VisibleDevices one{.host = name, .first_rank = first_rank, .devices = {}, .reason = {}};
  for (int g = 0; g < gpus; ++g) one.devices.push_back({g, model, name + "-" + std::to_string(g)});
  if (gpus == 0) one.reason = "no driver";
  return std::vector<VisibleDevices>(static_cast<std::size_t>(ranks), one);
}

std::vector<VisibleDevices> both(std::vector<VisibleDevices> all, const std::vector<VisibleDevices>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::string refusal(const std::vector<VisibleDevices>& all, bool shared = false) {
  std::string first;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    std::string text = "none";
    try {
      devices_of_ranks(all, static_cast<int>(rank), shared);
    } catch (const core::Unavailable& e) {
      text = e.what();
    }
    if (rank == 0) first = text;
    EXPECT_EQ(text, first) << "every rank says the same";
  }
  return first;
}

TEST(DevicesOfRanks, GiveEachRankOfAHostItsOwn) {
  for (int ranks = 1; ranks <= 4; ++ranks)
    for (int rank = 0; rank < ranks; ++rank) {
      const RankDevices mine = devices_of_ranks(host("a", ranks, 4), rank, false);
      EXPECT_EQ(mine.device, rank);
      EXPECT_EQ(mine.device_count, ranks);
      EXPECT_EQ(mine.ranks_on_device, 1);
      EXPECT_EQ(mine.uuids.size(), static_cast<std::size_t>(ranks));
      EXPECT_EQ(mine.model, "H");
    }
}

TEST(DevicesOfRanks, BeginAgainOnEachHost) {
  const auto all = both(host("a", 2, 2, 0), host("b", 2, 2, 2));
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(devices_of_ranks(all, rank, false).device, rank % 2);
    EXPECT_EQ(devices_of_ranks(all, rank, false).device_count, 4);
  }
}

TEST(DevicesOfRanks, TakeTurnsWhereSharingIsMeant) {
  for (int rank = 0; rank < 3; ++rank) {
    const RankDevices mine = devices_of_ranks(host("a", 3, 2), rank, true);
    EXPECT_EQ(mine.device, rank % 2);
    EXPECT_EQ(mine.device_count, 2);
    EXPECT_EQ(mine.ranks_on_device, rank == 1 ? 1 : 2);
  }
  EXPECT_EQ(devices_of_ranks(host("a", 4, 1), 3, true).ranks_on_device, 4);
  EXPECT_EQ(devices_of_ranks(host("a", 4, 1), 3, true).device_count, 1);
}

TEST(DevicesOfRanks, MayBeChosenByTheLauncher) {  // which shows each rank one GPU of its own, as its device 0
  auto all = host("a", 3, 1);
  for (int r = 0; r < 3; ++r) all[static_cast<std::size_t>(r)].devices[0].uuid = "own " + std::to_string(r);
  EXPECT_EQ(refusal(all), "none");
  EXPECT_EQ(devices_of_ranks(all, 2, false).device, 0);
  EXPECT_EQ(devices_of_ranks(all, 2, false).device_count, 3);
}

TEST(DevicesOfRanks, KeepTheOrderOfTheUsersList) {
  auto all = host("a", 2, 0);
  for (VisibleDevices& rank : all) rank.devices = {{3, "H", "three"}, {1, "H", "one"}};
  EXPECT_EQ(devices_of_ranks(all, 0, false).device, 3);
  EXPECT_EQ(devices_of_ranks(all, 1, false).device, 1);
}

TEST(DevicesOfRanks, AreRefusedInOneLine) {
  EXPECT_EQ(refusal(host("a", 3, 2)), "3 ranks on a, which has 2 GPUs; ranks share a GPU only with --oversubscribe");
  EXPECT_EQ(refusal(both(host("a", 2, 2), host("b", 2, 1, 2))),
            "2 ranks on b, which has 1 GPU; ranks share a GPU only with --oversubscribe");
  EXPECT_EQ(refusal(both(host("a", 2, 2), host("b", 1, 0, 2))), "rank 2 on b has no GPU: no driver");
  EXPECT_EQ(refusal(both(host("a", 1, 1), host("b", 1, 1, 1, "L")), true),
            "GPUs of different models: H of rank 0 and L of rank 1");
}

}  // namespace
}  // namespace speedwell::comm
