// EP on several GPUs, which ranks may share: exact counts and the official sums, whatever the number of ranks.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "speedwell/apps/npb/adapter.hpp"
#include "speedwell/apps/npb/ep/gpu_distributed.hpp"
#include "speedwell/apps/npb/ep/verify.hpp"
#include "tests/apps/device_ranks_lifecycle.hpp"

namespace speedwell::npb::ep {
namespace {

using test::ranks;

class EpOnGpus : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
  }
};

Result on_one_gpu(const Problem& problem) {
  const core::Stream stream;
  GpuSolver solver(problem);
  solver.upload(stream);
  solver.run(stream);
  stream.synchronize();
  return solver.result();
}

// Fewer pairs than threads, parts that differ by a pair, and many.
TEST_F(EpOnGpus, HasTheCountsOfOneGpu) {
  for (const int m : {10, 11, 16, 19, 22}) {
    const Result expected = on_one_gpu({m});
    const core::Stream stream;
    DistributedGpuSolver solver(ranks(), {m});
    solver.upload(stream);
    const Result got = solver.tally(stream);
    EXPECT_EQ(got.counts, expected.counts) << m;
    if (ranks().size() == 1) {
      EXPECT_EQ(got, expected) << m;
    }
    EXPECT_TRUE(verify(expect({m}), got).passed) << m;
    EXPECT_EQ(solver.tally(stream), got) << m << ": every time the same bits";
    std::vector<Result> all(static_cast<std::size_t>(ranks().size()));
    ranks().gather(std::span<const Result>(&got, 1), std::span<Result>(all));
    for (const Result& of_rank : all) EXPECT_EQ(of_rank, got) << m << ": on every rank the same bits";
    EXPECT_GE(solver.exchange_seconds(), 0);
  }
}

TEST_F(EpOnGpus, PartsOfOneGpuMakeTheWhole) {
  const Problem problem{16};
  const Result whole = on_one_gpu(problem);
  Result sum;
  const std::int64_t bounds[] = {0, 0, 1, 12345, 65535, 65536};
  for (int i = 0; i < 5; ++i) {
    const core::Stream stream;
    GpuSolver part(problem, bounds[i], bounds[i + 1] - bounds[i]);
    part.upload(stream);
    part.run(stream);
    stream.synchronize();
    const Result result = part.result();
    sum.sum_x += result.sum_x;
    sum.sum_y += result.sum_y;
    for (std::size_t l = 0; l < annuli; ++l) sum.counts[l] += result.counts[l];
  }
  EXPECT_EQ(sum.counts, whole.counts);
  EXPECT_TRUE(verify(expect(problem), sum).passed);
  EXPECT_THROW(GpuSolver(problem, -1, 1), std::invalid_argument);
  EXPECT_THROW(GpuSolver(problem, 1, 65536), std::invalid_argument);
}

TEST_F(EpOnGpus, GivesTheOfficialAnswers) {
  for (const Class c : {Class::S, Class::W, Class::A, Class::B, Class::C}) {
    const core::Stream stream;
    DistributedGpuSolver solver(ranks(), problem_of(c));
    solver.upload(stream);
    const core::Verdict verdict = verify(expect(problem_of(c)), solver.tally(stream));
    EXPECT_TRUE(verdict.passed) << letter(c) << ": " << verdict.error << " " << verdict.oracle;
  }
}

TEST_F(EpOnGpus, RunsInTheHarness) {
  harness::Application all = application();
  harness::bind_variants(all, multi_runs());
  const auto run = harness::completed_run_on_ranks(
      all, harness::row(all, "multi"),
      harness::problem_with(all, {{"kernel", std::string("ep")}, {"class", std::string("W")}}));
  EXPECT_TRUE(run->exchange_seconds().has_value());
  if (ranks().rank() == 0) {
    EXPECT_TRUE(run->verify().passed);
  }
}

TEST_F(EpOnGpus, RefusesWhatTallyRefuses) {
  EXPECT_THROW(DistributedGpuSolver(ranks(), {max_m + 1}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::npb::ep
