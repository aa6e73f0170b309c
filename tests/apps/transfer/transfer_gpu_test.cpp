#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/apps/transfer/cuda.hpp"
#include "speedwell/core/cuda/device_guard.hpp"
#include "speedwell/core/cuda/peer_access.hpp"
#include "tests/apps/transfer/variants.hpp"

namespace speedwell::transfer {
namespace {

harness::Application application_with_cuda() {
  harness::Application a = application();
  harness::bind_variants(a, cuda_runs());
  return a;
}
const std::string gpu_ways[] = {"cuda-pageable", "cuda-staged",    "cuda-pinned",    "cuda-write-combined",
                                "cuda-mapped",   "cuda-device",    "cuda-pool",      "cuda-graph",
                                "cuda-event",    "cuda-peer-copy", "cuda-peer-load", "cuda-peer-store"};

/// Why the variant cannot run here: no GPU, or none that another one has access to.
std::optional<std::string> missing(const std::string& variant_name) {
  if (!core::have_device()) return "no GPU";
  static const harness::Application application = application_with_cuda();
  const auto& reason = harness::row(application, variant_name).missing;
  return reason ? reason() : std::nullopt;
}

class TransferGpuWays : public ::testing::TestWithParam<std::string> {};
TEST_P(TransferGpuWays, LeaveTheirBlocksWhole) {
  if (const auto reason = missing(GetParam())) GTEST_SKIP() << *reason;
  expect_right(application_with_cuda(), GetParam(), {1, 7, 8, 15, 16, 4095, 4096, 4097, 1000003});
}
TEST_P(TransferGpuWays, HaveTheirFaultsRejected) {
  if (const auto reason = missing(GetParam())) GTEST_SKIP() << *reason;
  expect_faults_rejected(application_with_cuda(), GetParam(), 100003);
}
INSTANTIATE_TEST_SUITE_P(Gpu, TransferGpuWays, ::testing::ValuesIn(gpu_ways),
                         [](const ::testing::TestParamInfo<std::string>& variant_name) {
                           std::string name = variant_name.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(TransferGpu, LargeBlocksAreStagedWhole) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  constexpr std::int64_t staged = core::detail::min_staged_bytes;
  expect_right(application_with_cuda(), "cuda-staged", {staged, 2 * staged + 3, 5 * staged});
  expect_faults_rejected(application_with_cuda(), "cuda-staged", 2 * staged + 3);
}

TEST(TransferGpu, KernelsCopyAtAnyAlignmentAndTouchNothingElse) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  constexpr std::size_t n = 1001, room = 64;
  core::DeviceBuffer<unsigned char> from(n + room), to(n + room);
  std::vector<unsigned char> expected(n), got(n + room);
  for (const std::size_t source : {0, 1, 16})
    for (const std::size_t target : {0, 4, 16, 33}) {
      fill_pattern_async(from.data(), n, 9, stream);  // at the start, aligned; then the copy under test moves it
      fill_pattern(expected, 9);
      core::copy_async(got.data(), from.data(), n, stream);
      stream.synchronize();
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), got.begin()));
      core::copy_async(from.data() + source, expected.data(), n, stream);
      core::fill_bytes_async(to, 0x11, stream);
      copy_by_kernel(to.data() + target, from.data() + source, n, stream);
      core::copy_async(got.data(), to.data(), n + room, stream);
      stream.synchronize();
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(got[i], i < target || i >= target + n ? 0x11 : expected[i - target]) << i;
    }
}

// The variants between two GPUs leave the current device as it was, and no access that other allocations would pay for.
TEST(TransferGpu, BetweenTwoGpusNothingRemainsEnabled) {
  if (const auto reason = missing("cuda-peer-store")) GTEST_SKIP() << *reason;
  core::check(cudaSetDevice(0));
  const int peer = core::first_peer(0).value_or(-1);
  if (peer < 0) GTEST_SKIP() << "GPU 0 has no access to another GPU";
  const harness::Application application = application_with_cuda();
  for (const char* operation : {"peer", "peer-duplex"}) {
    const auto run = completed_run(application, harness::row(application, "cuda-peer-store"),
                                   problem_of_variant(application, operation, 4099));
    const auto again = completed_run(application, harness::row(application, "cuda-peer-load"),
                                     problem_of_variant(application, operation, 4099));
    EXPECT_TRUE(run->verify().passed);
    EXPECT_TRUE(again->verify().passed);
  }
  int current = -1;
  core::check(cudaGetDevice(&current));
  EXPECT_EQ(current, 0);
  for (const auto& [device, other] : {std::pair(0, peer), std::pair(peer, 0)}) {
    const core::DeviceGuard guard(device);
    EXPECT_EQ(cudaDeviceDisablePeerAccess(other), cudaErrorPeerAccessNotEnabled);
    (void)cudaGetLastError();
  }
}

// What is kept is in use until the next execute, and what is freed is not.
TEST(TransferGpu, KeptBlocksAreThereUntilTheyAreFreed) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const harness::Application application = application_with_cuda();
  const auto free_bytes = [] {
    std::size_t free = 0, all = 0;
    core::check(cudaMemGetInfo(&free, &all));
    return static_cast<double>(free);
  };
  constexpr std::int64_t bytes = 64 << 20, repeats = 8;
  constexpr double rounding = repeats * (2 << 20);  // the driver maps memory in pages of 2 MiB
  for (const std::string operation : {"allocate-kept", "free"}) {
    const auto run = harness::row(application, "cuda-device")
                         .make(application.prepare(problem_of_variant(application, operation, bytes, repeats)), {});
    run->allocate();
    run->upload();
    const double before = free_bytes();
    run->reset();
    const double between = free_bytes();
    run->execute();
    run->synchronize();
    const double after = free_bytes();
    const bool frees = operation == "free";
    EXPECT_NEAR(before - (frees ? between : after), bytes * repeats, rounding) << operation;
    EXPECT_NEAR(before - (frees ? after : between), 0, rounding) << operation;
  }
}

// A block given back to the pool is taken again without waiting for the device, and the pool holds no more than two.
TEST(TransferGpu, ThePoolReusesItsBlocks) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  const Pool pool;
  constexpr std::size_t size = 8 << 20;
  for (int k = 0; k < 100; ++k) PoolBlock(size, pool, stream);
  stream.synchronize();
  std::uint64_t reserved = 0;
  core::check(cudaMemPoolGetAttribute(pool.get(), cudaMemPoolAttrReservedMemCurrent, &reserved));
  EXPECT_EQ(pool.used_bytes(), 0u);
  EXPECT_LE(reserved, std::uint64_t{64} << 20);  // the driver reserves in steps of 32 MiB
  core::check(cudaMemPoolTrimTo(pool.get(), 0));
  core::check(cudaMemPoolGetAttribute(pool.get(), cudaMemPoolAttrReservedMemCurrent, &reserved));
  EXPECT_EQ(reserved, 0u);
}

}  // namespace
}  // namespace speedwell::transfer
