// A blast on slabs of several GPUs, which ranks may share, against the solvers of one process and of one GPU: slabs
// of different sizes, down to two planes, failures, continued runs, and the same bits each time.
#include "speedwell/apps/blast_wave/gpu_distributed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/blast_wave/blast_wave.hpp"
#include "speedwell/apps/blast_wave/gpu_solver.hpp"
#include "speedwell/apps/blast_wave/verify/reference.hpp"
#include "speedwell/apps/blast_wave/verify/verify.hpp"
#include "speedwell/comm/gpu/transport.hpp"
#include "speedwell/numerics/loop_graph.hpp"
#include "tests/apps/blast_wave/fields.hpp"
#include "tests/support/device_ranks.hpp"

namespace speedwell::blast_wave {
namespace {

using test::is_root;
using test::ranks;

class DistributedBlastOnGpus : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    if (const auto reason = comm::transport_missing(ranks(), comm::Transport::peer)) GTEST_SKIP() << *reason;
  }
  // Ranks that share a GPU wait for each other by turns, each of which takes milliseconds: an iteration has three sums.
  static bool takes_turns() { return ranks().size() > core::device_count(); }
};

/// Two planes for the last rank at least, and slabs that differ.
std::int64_t planes() { return std::max(5, 3 * ranks().size() - 1); }

DistributedGpuSolver solver_of(const Problem& problem, int max_steps, const core::Stream& stream) {
  DistributedGpuSolver solver(ranks(), problem, max_steps, stream);
  solver.loop_by_host(numerics::loops_by_host());
  return solver;
}
/// The ends of all loops depend on the history's having the same bits on all ranks.
void expect_on_all_ranks(const History& history) {
  EXPECT_EQ(history.stop_reason, ranks().broadcast(history.stop_reason));
  const std::size_t steps = ranks().broadcast(history.steps.size());
  EXPECT_EQ(history.steps.size(), steps);
  for (std::size_t s = 0; s < steps; ++s) {  // as many broadcasts on all ranks, whatever they have
    const StepRecord own = s < history.steps.size() ? history.steps[s] : StepRecord{}, first = ranks().broadcast(own);
    EXPECT_EQ(own.dt, first.dt) << s;
    EXPECT_EQ(own.right_hand_side, first.right_hand_side) << s;
    EXPECT_EQ(own.residual, first.residual) << s;
    EXPECT_EQ(own.iterations, first.iterations) << s;
  }
}
Answer on_gpus(const Problem& problem, const State& start) {
  const core::Stream stream;
  DistributedGpuSolver solver = solver_of(problem, problem.steps, stream);
  solver.scatter(is_root() ? &start : nullptr, stream);
  solver.run(problem.steps, stream);
  Answer answer;
  answer.history = solver.finish(is_root() ? &answer.state : nullptr, stream);
  EXPECT_GE(solver.exchange_seconds(), 0);
  expect_on_all_ranks(answer.history);
  return answer;
}
Answer on_one_gpu(const Problem& problem, const State& start) {
  const core::Stream stream;
  GpuSolver solver(problem, BlockSource::recomputed, problem.steps, stream);
  solver.loop_by_host(numerics::loops_by_host());
  solver.upload(start, stream);
  solver.run(problem.steps, stream);
  Answer answer;
  answer.history = solver.finish(answer.state, stream);
  return answer;
}

// Sums of two divisions differ by rounding, by which BiCGSTAB takes other iterates. Each step leaves a residual of norm
// 1e-10 at most in both, and the matrix is the identity plus a positive part, so that their changes differ by at most
// 2e-10 a step; at most four steps, and what the flow amplifies, allow 2e-9.
void expect_close(const Answer& expected, const Answer& got, const char* of) {
  SCOPED_TRACE(of);
  ASSERT_EQ(expected.history.stop_reason, got.history.stop_reason);
  ASSERT_EQ(expected.history.steps.size(), got.history.steps.size());
  for (std::size_t s = 0; s < expected.history.steps.size(); ++s) {
    const StepRecord &one = expected.history.steps[s], &several = got.history.steps[s];
    EXPECT_NEAR(several.dt / one.dt, 1, 1e-10) << s;
    EXPECT_NEAR(several.right_hand_side / one.right_hand_side, 1, 1e-8) << s;
    EXPECT_NEAR(several.change / one.change, 1, 1e-9) << s;
    EXPECT_NEAR(several.iterations, one.iterations, 2) << s;
    EXPECT_EQ(several.restarts, 0) << s;
  }
  if (!is_root()) return;
  EXPECT_EQ(expected.state.step, got.state.step);
  EXPECT_NEAR(expected.state.time, got.state.time, 1e-12);
  ASSERT_EQ(expected.state.q.size(), got.state.q.size());
  double largest = 0;
  for (std::size_t at = 0; at < got.state.q.size(); ++at) {
    const double difference = std::abs(got.state.q[at] - expected.state.q[at]);
    if (!(difference <= largest)) largest = difference;
  }
  EXPECT_LE(largest, 2e-9);
}

void expect_answers(const Problem& problem) {
  const Extents& e = problem.extents;
  SCOPED_TRACE(std::to_string(e.nx) + " x " + std::to_string(e.ny) + " x " + std::to_string(e.nz) + " points");
  const State start = moving_blast(problem);
  const Answer got = on_gpus(problem, start), on_one = on_one_gpu(problem, start);
  expect_close(on_one, got, "of one GPU");
  expect_close(on_one_core(problem, start), got, "of the cores");
  for (const StepRecord& step : got.history.steps) {
    EXPECT_LE(step.residual, problem.max_squared_residual);
    EXPECT_LE(step.true_residual, 1.0001 * problem.max_squared_residual + 1e-24);
  }
  if (is_root() && ranks().size() == 1) {
    EXPECT_EQ(on_one.state.q, got.state.q);
  }
  Answer expected{start, {}};
  if (!is_root()) return;
  expected.history = reference::advance(problem, expected.state);
  const core::Verdict verdict = verify(problem, start, expected, got);
  EXPECT_TRUE(verdict.passed) << verdict.error << " " << verdict.oracle;
}

// Planes of fewer points than a tile, of one more than a block of threads has along a plane, and of several blocks;
// slabs of two planes and of more than a block has.
TEST_F(DistributedBlastOnGpus, TakeTheStepsOfOneGpuAndOfTheCores) {
  const int steps = takes_turns() ? 2 : 4;
  for (const Extents& e : {Extents{5, 5, planes()}, Extents{13, 5, 2 * planes() + 1}, Extents{17, 17, 16}})
    expect_answers({.extents = e, .steps = steps});
}

TEST_F(DistributedBlastOnGpus, TakeThemForOtherEquations) {
  Problem problem{.extents = {9, 7, planes() + 2}, .cfl = 4, .theta = 0.5, .steps = 2};
  problem.gas.reynolds = 50;
  expect_answers(problem);
  problem.gas.viscous = false;
  problem.kappa4 = 0;
  problem.dt = 0.01;
  expect_answers(problem);
}

TEST_F(DistributedBlastOnGpus, StopAtTheIterationLimitWithTheStateBeforeIt) {
  const Problem problem{.extents = {9, 8, planes()}, .max_iterations = 2, .steps = 3};
  const State start = blast(problem);
  const Answer got = on_gpus(problem, start);
  EXPECT_EQ(got.history.stop_reason, StopReason::iteration_limit);
  EXPECT_EQ(got.history.steps.size(), 1u);
  if (!is_root()) return;
  EXPECT_EQ(got.state.step, 0);
  EXPECT_EQ(got.state.q, start.q);
}

// A step that is too long for so strong a blast empties points of several slabs.
TEST_F(DistributedBlastOnGpus, NameTheFirstPointThatIsNotAdmissible) {
  Problem problem{
      .extents = {9, 8, std::max<std::int64_t>(10, planes())}, .dt = 0.05, .max_squared_residual = 1e-12, .steps = 5};
  problem.blast.pressure = 100;
  problem.blast.density = 4;
  const State start = moving_blast(problem);
  const Answer expected = on_one_core(problem, start), got = on_gpus(problem, start);
  ASSERT_EQ(expected.history.stop_reason, StopReason::not_admissible);
  EXPECT_EQ(got.history.stop_reason, StopReason::not_admissible);
  EXPECT_EQ(got.history.steps.size(), expected.history.steps.size());
  EXPECT_EQ(got.history.point, expected.history.point);
  // The norm of a residual, 1e-6, in each step, and what they are amplified by.
  EXPECT_NEAR(got.history.density, expected.history.density, 1e-4);
  EXPECT_NEAR(got.history.pressure, expected.history.pressure, 1e-4 * (1 + std::abs(expected.history.pressure)));
  if (is_root()) {
    EXPECT_EQ(got.state.step, expected.state.step);
  }
}

TEST_F(DistributedBlastOnGpus, GiveTheSameBitsAgainAndAfterAStop) {
  const core::Stream stream;
  const Problem problem{.extents = {11, 6, planes() + 1}, .steps = 2};
  const State start = moving_blast(problem);
  State whole, again, halves, saved;
  const auto on_root = [](State& state) { return is_root() ? &state : nullptr; };
  DistributedGpuSolver solver = solver_of(problem, 2, stream);
  solver.scatter(is_root() ? &start : nullptr, stream);
  solver.run(2, stream);
  const History first = solver.finish(on_root(whole), stream);
  // Without waiting between the two runs.
  solver.restore(stream);
  solver.run(1, stream);
  solver.restore(stream);
  solver.run(2, stream);
  const History second = solver.finish(on_root(again), stream);
  ASSERT_EQ(first.steps.size(), second.steps.size());
  for (std::size_t s = 0; s < first.steps.size(); ++s) {
    EXPECT_EQ(first.steps[s].iterations, second.steps[s].iterations);
    EXPECT_EQ(first.steps[s].residual, second.steps[s].residual);
  }
  EXPECT_EQ(whole.q, again.q);
  solver.restore(stream);
  solver.run(1, stream);
  solver.save(stream);
  solver.run(1, stream);
  solver.finish(on_root(saved), stream);
  EXPECT_EQ(whole.q, saved.q);
  solver.restore(stream);
  solver.finish(on_root(halves), stream);
  DistributedGpuSolver other = solver_of(problem, 1, stream);
  other.scatter(is_root() ? &halves : nullptr, stream);
  other.run(1, stream);
  other.finish(on_root(halves), stream);
  EXPECT_EQ(whole.q, halves.q);
  if (!is_root()) return;
  EXPECT_EQ(saved.step, 2);
  EXPECT_EQ(saved.time, whole.time);
  EXPECT_EQ(halves.step, 2);
}

TEST_F(DistributedBlastOnGpus, LoopByTheHostWithTheSameBits) {
  if (numerics::loops_by_host()) GTEST_SKIP() << "no other loop to compare with";
  const core::Stream stream;
  const Problem problem{.extents = {7, 6, planes()}, .steps = 1};
  const State start = moving_blast(problem);
  State ends[2];
  for (const bool by_host : {true, false}) {
    DistributedGpuSolver solver(ranks(), problem, 1, stream);
    solver.loop_by_host(by_host);
    solver.scatter(is_root() ? &start : nullptr, stream);
    solver.run(1, stream);
    EXPECT_EQ(solver.finish(is_root() ? &ends[by_host] : nullptr, stream).stop_reason, StopReason::done);
  }
  EXPECT_EQ(ends[0].q, ends[1].q);
}

TEST_F(DistributedBlastOnGpus, AreRefusedWhatTheyCannotDivideOrAdvance) {
  const core::Stream stream;
  const Problem problem{.extents = {6, 6, planes()}, .steps = 2};
  EXPECT_THROW(DistributedGpuSolver(ranks(), problem, 0, stream), std::invalid_argument);
  EXPECT_THROW(DistributedGpuSolver(ranks(), {.extents = {4, 6, 6}}, 1, stream), std::invalid_argument);
  const int n = ranks().size();
  if (n > 2) {
    EXPECT_THROW(DistributedGpuSolver(ranks(), {.extents = {6, 6, 2 * n - 1}}, 1, stream), std::invalid_argument);
  }
  DistributedGpuSolver solver = solver_of(problem, 2, stream);
  State state = blast(problem);
  state.q[17] = -1;
  EXPECT_THROW(solver.scatter(is_root() ? &state : nullptr, stream), std::invalid_argument);
  state = blast(problem);
  solver.scatter(is_root() ? &state : nullptr, stream);
  EXPECT_THROW(solver.run(-1, stream), std::invalid_argument);
  EXPECT_THROW(solver.run(3, stream), std::invalid_argument);
  solver.run(1, stream);
  EXPECT_EQ(solver.finish(is_root() ? &state : nullptr, stream).steps.size(), 1u);
}

// 373 million points, almost as many as a box may have: 158 GB.
TEST_F(DistributedBlastOnGpus, AreRefusedMemoryThatADeviceDoesNotHave) {
  if (ranks().size() != 1) GTEST_SKIP() << "the largest box fits on several";
  std::size_t free = 0, total = 0;
  core::check(cudaMemGetInfo(&free, &total));
  if (free > std::size_t{158'000'000'000}) GTEST_SKIP() << "the device has as much";
  const core::Stream stream;
  EXPECT_THROW(DistributedGpuSolver(ranks(), {.extents = {720, 720, 720}}, 1, stream), core::Unavailable);
}

}  // namespace
}  // namespace speedwell::blast_wave
