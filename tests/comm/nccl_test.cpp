// Communicators of NCCL: what they exchange, and that their connections are used again by the next one of the same
// ranks and devices, and by no other.
#include "speedwell/comm/gpu/nccl.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "speedwell/core/cuda.hpp"
#include "tests/support/device_ranks.hpp"

namespace speedwell::comm {
namespace {

using test::ranks;

class NcclTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    if (const auto reason = nccl_missing(ranks())) GTEST_SKIP() << *reason;
  }
};

// What every rank gets of the numbers of all ranks.
std::vector<double> gathered(const NcclCommunicator& communicator, int count) {
  const core::Stream stream;
  const double mine = 10 + ranks().rank();
  core::DeviceBuffer<double> from(1), to(static_cast<std::size_t>(count));
  core::copy_async(from.data(), &mine, 1, stream);
  communicator.gather(from.data(), to.data(), 1, stream.get());
  std::vector<double> all(to.size());
  core::copy_async(all.data(), static_cast<const double*>(to.data()), all.size(), stream);
  stream.synchronize();
  return all;
}

std::vector<double> expected(int count) {
  std::vector<double> all;
  for (int rank = 0; rank < count; ++rank) all.push_back(10 + rank);
  return all;
}

TEST_F(NcclTest, TheNextCommunicatorTakesOverTheConnections) {
  {
    const NcclCommunicator first(ranks());
    EXPECT_EQ(gathered(first, ranks().size()), expected(ranks().size()));
    const NcclCommunicator second(ranks());  // beside the first, which is in use
    EXPECT_EQ(gathered(second, ranks().size()), expected(ranks().size()));
    EXPECT_EQ(gathered(first, ranks().size()), expected(ranks().size()));
  }
  for (int round = 0; round < 3; ++round) {
    const NcclCommunicator again(ranks());
    EXPECT_TRUE(again.is_reused());
    EXPECT_EQ(gathered(again, ranks().size()), expected(ranks().size()));
  }
}

TEST_F(NcclTest, OtherGroupsOfRanksHaveTheirOwn) {
  { const NcclCommunicator all(ranks()); }
  const Communicator mine = ranks().split(ranks().rank() % 2, ranks().rank());
  if (mine.size() == ranks().size()) GTEST_SKIP() << "one rank is the only group";
  const NcclCommunicator part(mine);
  EXPECT_FALSE(part.is_reused());
  const core::Stream stream;
  const double value = ranks().rank();
  core::DeviceBuffer<double> from(1), to(static_cast<std::size_t>(mine.size()));
  core::copy_async(from.data(), &value, 1, stream);
  part.gather(from.data(), to.data(), 1, stream.get());
  std::vector<double> got(to.size());
  core::copy_async(got.data(), static_cast<const double*>(to.data()), got.size(), stream);
  stream.synchronize();
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], ranks().rank() % 2 + 2.0 * static_cast<double>(i));
}

TEST_F(NcclTest, ConnectionsEndWithAnException) {
  { const NcclCommunicator connected(ranks()); }
  try {
    const NcclCommunicator failing(ranks());
    EXPECT_TRUE(failing.is_reused());
    throw std::runtime_error("a failure of all ranks");
  } catch (const std::runtime_error&) {
  }
  const NcclCommunicator next(ranks());
  EXPECT_EQ(gathered(next, ranks().size()), expected(ranks().size()));
}

TEST_F(NcclTest, ConnectionsThatOneRankLacksAreNotUsed) {
  if (ranks().size() == 1) GTEST_SKIP() << "the only rank lacks nothing that others have";
  { const NcclCommunicator connected(ranks()); }
  // All idle ones are taken, so that the failing one below is the only one that ranks may keep.
  std::vector<std::unique_ptr<NcclCommunicator>> taken;
  do taken.push_back(std::make_unique<NcclCommunicator>(ranks()));
  while (taken.back()->is_reused());
  try {
    const NcclCommunicator failing(ranks());
    if (ranks().rank() == 0) throw std::runtime_error("a failure of one rank");
  } catch (const std::runtime_error&) {
  }
  const NcclCommunicator next(ranks());
  EXPECT_FALSE(next.is_reused());
  EXPECT_EQ(gathered(next, ranks().size()), expected(ranks().size()));
}

}  // namespace
}  // namespace speedwell::comm
