// FT on several GPUs, which ranks may share: the reference's and the official checksums, for any number of ranks, by
// every transport that is here. With --gtest_also_run_disabled_tests the numbers of thread blocks that store are timed.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/npb/adapter.hpp"
#include "speedwell/apps/npb/ft/gpu_distributed.hpp"
#include "speedwell/apps/npb/ft/verify.hpp"
#include "tests/apps/device_ranks_lifecycle.hpp"

namespace speedwell::npb::ft {
namespace {

using comm::Transport;
using test::ranks;

class FtOnGpus : public testing::TestWithParam<Transport> {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    if (const auto reason = comm::transport_missing(ranks(), GetParam())) GTEST_SKIP() << *reason;
  }
  GpuRanksOptions options() const { return {.transport = GetParam()}; }
};

/// Collective. Runs on memory that was poisoned, twice.
Checksums checksums_of(const Problem& problem, const GpuRanksOptions& options) {
  const core::Stream stream;
  DistributedGpuSolver solver(ranks(), problem, options);
  for (const std::span<std::byte> bytes : solver.device_work())
    core::check(cudaMemsetAsync(bytes.data(), 0xff, bytes.size(), stream.get()));
  const Checksums first = solver.run(stream);
  EXPECT_EQ(solver.run(stream), first) << "every time the same bits";
  std::vector<std::complex<double>> all(first.size() * static_cast<std::size_t>(ranks().size()));
  ranks().gather(std::span<const std::complex<double>>(first), std::span<std::complex<double>>(all));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], first[i % first.size()]) << "on every rank";
  EXPECT_EQ(solver.transport(), *options.transport);
  EXPECT_EQ(solver.store_blocks() > 0, solver.transport() == Transport::peer);
  EXPECT_GE(solver.exchange_seconds(), 0);
  return first;
}

// Every order of sides, slabs of different thickness, a long axis, a single step. The largest relative error is
// compared with the tolerance of the benchmark.
TEST_P(FtOnGpus, GivesTheReferencesAnswer) {
  const std::int64_t n = ranks().size();
  for (const Problem& p : {Problem{16, 8, 4, 3}, {32, 64, 16, 3}, {4, 8, 16, 1}, {8, 4, 64, 2}, {2, 16, 2048, 2}}) {
    if (std::min(p.ny, p.nz) < n) continue;
    const core::Verdict verdict = verify(expect(p), checksums_of(p, options()));
    EXPECT_TRUE(verdict.passed) << p.nx << " x " << p.ny << " x " << p.nz << ": " << verdict.error;
  }
}

TEST_P(FtOnGpus, GivesTheOfficialAnswers) {
  for (const Class c : {Class::S, Class::W}) {
    const core::Verdict verdict = verify(expect(problem_of(c)), checksums_of(problem_of(c), options()));
    EXPECT_TRUE(verdict.passed) << letter(c) << ": " << verdict.error;
  }
}

TEST_P(FtOnGpus, GivesTheOfficialAnswersForAnyNumberOfBlocks) {
  if (GetParam() != Transport::peer) GTEST_SKIP() << "only peer has blocks that store";
  for (const int blocks : {1, 7, 10000}) {
    const core::Verdict verdict =
        verify(expect(problem_of(Class::W)),
               checksums_of(problem_of(Class::W), {.transport = Transport::peer, .store_blocks = blocks}));
    EXPECT_TRUE(verdict.passed) << blocks << ": " << verdict.error;
  }
}

TEST_P(FtOnGpus, RefusesWhatItCannotDo) {
  EXPECT_THROW(DistributedGpuSolver(ranks(), {8, 8, 12, 1}, options()), std::invalid_argument);
  EXPECT_THROW(DistributedGpuSolver(ranks(), {8, 8, 8, 0}, options()), std::invalid_argument);
  EXPECT_THROW(DistributedGpuSolver(ranks(), {8, 8, 8192, 1}, options()), std::invalid_argument);
  EXPECT_THROW(DistributedGpuSolver(ranks(), {8, 8, 8, 1}, {.transport = GetParam(), .store_blocks = -1}),
               std::invalid_argument);
  if (ranks().size() > 1) {
    EXPECT_THROW(DistributedGpuSolver(ranks(), {8, 8, 1, 1}, options()), std::invalid_argument);
    EXPECT_THROW(DistributedGpuSolver(ranks(), {8, 1, 8, 1}, options()), std::invalid_argument);
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, FtOnGpus, testing::ValuesIn(comm::transports()), [](const auto& test) {
  const std::string name(to_string(test.param));
  return name == "gpu-aware" ? "gpu_aware" : name;
});

TEST(FtOnGpusInTheHarness, Passes) {
  if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
  harness::Application all = application();
  harness::bind_variants(all, multi_runs());
  const auto run = harness::completed_run_on_ranks(
      all, harness::row(all, "multi"),
      harness::problem_with(all, {{"kernel", std::string("ft")}, {"class", std::string("S")}}));
  EXPECT_TRUE(run->exchange_seconds().has_value());
  if (ranks().rank() == 0) {
    EXPECT_TRUE(run->verify().passed);
  }
}

/// Collective. Seconds of the slowest rank: the least of three runs after a first one.
double seconds_of(const Problem& problem, const GpuRanksOptions& options) {
  const core::Stream stream;
  DistributedGpuSolver solver(ranks(), problem, options);
  solver.run(stream);
  double least = 0;
  for (int sample = 0; sample < 3; ++sample) {
    ranks().barrier();
    const auto begin = std::chrono::steady_clock::now();
    solver.run(stream);
    const std::chrono::duration<double> own = std::chrono::steady_clock::now() - begin;
    const double seconds = ranks().reduce(own.count(), comm::Reduction::maximum);
    if (sample == 0 || seconds < least) least = seconds;
  }
  return least;
}

// How many blocks should store: those of the default, 0, are to be among the fastest.
TEST(DISABLED_FtOnGpusTimes, EveryNumberOfBlocks) {
  if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
  if (const auto reason = comm::transport_missing(ranks(), Transport::peer)) GTEST_SKIP() << *reason;
  for (const Class c : {Class::A, Class::B, Class::C})
    for (const int blocks : {0, 16, 32, 64, 96, 128, 176, 264}) {
      const double seconds = seconds_of(problem_of(c), {.transport = Transport::peer, .store_blocks = blocks});
      if (ranks().rank() == 0)
        std::printf("class %c  %2d ranks  %3d blocks  %10.3f ms\n", letter(c), ranks().size(), blocks, seconds * 1e3);
    }
}

}  // namespace
}  // namespace speedwell::npb::ft
