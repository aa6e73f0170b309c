// Which GPU each rank takes, agreed on by the ranks of a launch; the GPUs are made up.
#include <gtest/gtest.h>

#include "speedwell/comm/devices.hpp"
#include "speedwell/core/error.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::comm {
namespace {

std::vector<VisibleDevice> gpus(int count) {
  std::vector<VisibleDevice> all;
  for (int g = 0; g < count; ++g) all.push_back({g, "NVIDIA H", "GPU-" + std::to_string(g)});
  return all;
}

TEST(DevicesOfRanks, AreAgreedOn) {
  const Communicator& ranks = test::ranks();
  const RankDevices mine = devices_of_ranks(ranks, gpus(ranks.size()), "", false);
  EXPECT_EQ(mine.device, ranks.rank());
  EXPECT_EQ(mine.device_count, ranks.size());
  EXPECT_EQ(mine.model, "NVIDIA H");
  const RankDevices shared = devices_of_ranks(ranks, gpus(1), "", true);
  EXPECT_EQ(shared.device, 0);
  EXPECT_EQ(shared.ranks_on_device, ranks.size());
}

TEST(DevicesOfRanks, AreRefusedByAllRanks) {
  const Communicator& ranks = test::ranks();
  const bool last = ranks.rank() == ranks.size() - 1;
  EXPECT_THROW(devices_of_ranks(ranks, last ? gpus(0) : gpus(8), "two\nlines", false), core::Unavailable);
  if (ranks.size() == 1) return;
  EXPECT_THROW(devices_of_ranks(ranks, gpus(ranks.size() - 1), "", false), core::Unavailable);
  auto other = gpus(ranks.size());
  if (last) other.back().model = "NVIDIA L";
  EXPECT_THROW(devices_of_ranks(ranks, other, "", true), core::Unavailable);
}

TEST(DeviceOfRank, IsAGpuOrAReason) {
  const Communicator& ranks = test::ranks();
  try {
    EXPECT_GE(device_of_rank(ranks, true), 0);
  } catch (const core::Unavailable&) {  // no GPU, or a build without CUDA
  }
}

}  // namespace
}  // namespace speedwell::comm
