// The ceilings of the link between two GPUs.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/core/cuda.hpp"
#include "speedwell/core/cuda/device_guard.hpp"
#include "speedwell/core/cuda/peer_access.hpp"
#include "speedwell/machine/ceilings.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::machine {
namespace {

class Link : public testing::Test {
 protected:
  void SetUp() override {
    for (int device = 0; device < core::device_count(); ++device) devices_.push_back(device);
    if (const auto reason = link_missing(devices_)) GTEST_SKIP() << *reason;
  }
  const Ceilings& quick() const {
    static const Ceilings ceilings = measure_link({0, 1}, Effort::quick);
    return ceilings;
  }
  double value(const std::string& name) const { return quick().find(name).value_or(0); }
  std::vector<int> devices_;
};

TEST_F(Link, EveryCeilingIsThereAndFinite) {
  const std::vector<std::string> names = {"link.copy",  "link.copy_both",  "link.load", "link.load_both",
                                          "link.store", "link.store_both", "link.flag", "link.all_reduce"};
  ASSERT_EQ(quick().entries.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Ceiling& c = quick().entries[i];
    SCOPED_TRACE(names[i]);
    EXPECT_EQ(c.name, names[i]);
    EXPECT_TRUE(std::isfinite(c.value) && c.value > 0);
    EXPECT_LE(c.low, c.value);
    EXPECT_GE(c.high, c.value);
    EXPECT_GE(c.samples.size(), 5u);
    EXPECT_EQ(c.unit, i < 6 ? "GB/s" : "us");
    EXPECT_NE(words_of_ceiling(c.name), "");
    EXPECT_EQ(c.note.find("GPUs 0 and 1"), 0u) << c.note;
  }
}

TEST_F(Link, CeilingsAreInSaneRelations) {
  for (const std::string mover : {"link.copy", "link.load", "link.store"}) {
    EXPECT_LT(value(mover + "_both"), 1.1 * value(mover)) << mover << ": each direction";
    EXPECT_GT(value(mover + "_both"), 0.4 * value(mover)) << mover << ": each direction";
    EXPECT_GT(value(mover), 1) << mover;
    EXPECT_LT(value(mover), 2000) << mover;
  }
  EXPECT_GT(value("link.flag"), 0.2);
  EXPECT_LT(value("link.flag"), 50);
  EXPECT_LT(value("link.all_reduce"), 1.5 * value("link.flag")) << "one way, without a fence, plus the addition";
}

TEST_F(Link, IsDescribed) {
  EXPECT_EQ(describe_link({0, 1}).find("GPUs 0 and 1"), 0u);
  if (devices_.size() > 2) EXPECT_NE(describe_link(devices_).find("pairs of the"), std::string::npos);
}

TEST_F(Link, AMeasurementIsFastAndLeavesTheDeviceAndNoAccessBehind) {
  core::check(cudaSetDevice(0));
  (void)quick();
  const auto before = available_device_bytes(0);
  const auto begin = std::chrono::steady_clock::now();
  measure_link({1, 0}, Effort::quick);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 3);
  EXPECT_GE(available_device_bytes(0), before - (std::int64_t{64} << 20));
  int current = -1;
  core::check(cudaGetDevice(&current));
  EXPECT_EQ(current, 0);
  for (const auto& [device, other] : {std::pair(0, 1), std::pair(1, 0)}) {
    const core::DeviceGuard guard(device);
    EXPECT_EQ(cudaDeviceDisablePeerAccess(other), cudaErrorPeerAccessNotEnabled);
    (void)cudaGetLastError();
  }
}

// Access ends with the last object, and not before.
TEST_F(Link, AccessIsShared) {
  core::check(cudaSetDevice(0));
  const auto enabled = [] {
    const cudaError_t status = cudaDeviceEnablePeerAccess(1, 0);
    if (status == cudaSuccess) core::check(cudaDeviceDisablePeerAccess(1));
    (void)cudaGetLastError();
    return status == cudaErrorPeerAccessAlreadyEnabled;
  };
  EXPECT_FALSE(enabled());
  {
    const core::PeerAccess outer(0, 1);
    { const core::PeerAccess inner(1, 0); }
    EXPECT_TRUE(enabled());
  }
  EXPECT_FALSE(enabled());
  EXPECT_THROW(core::PeerAccess(0, 0), core::Unavailable);
  EXPECT_THROW(core::PeerAccess(0, core::device_count()), core::Unavailable);
}

}  // namespace
}  // namespace speedwell::machine
