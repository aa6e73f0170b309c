// Published histories of whole runs, the symmetries of the blast and its entropy, for every source of blocks.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "speedwell/apps/blast_wave/gpu_solver.hpp"
#include "tests/apps/blast_wave/physics_checks.hpp"

namespace speedwell::blast_wave {
namespace {

class BlastWavePhysicsOnGpu : public testing::TestWithParam<BlockSource> {
 protected:
  void SetUp() override {
    if (!core::have_device()) GTEST_SKIP() << "no GPU";
    if (std::getenv("SPEEDWELL_LOOPS_BY_HOST")) GTEST_SKIP() << "whole runs: too long for the tools";
  }
  History advance(const Problem& problem, State& state) const {
    const core::Stream stream;
    GpuSolver solver(problem, GetParam(), problem.steps, stream);
    solver.upload(state, stream);
    solver.run(problem.steps, stream);
    return solver.finish(state, stream);
  }
};

// Iterations within 1.5 % (reduction order changes them, the article saw as much), norms to 1e-8, times to 1e-9. With
// CFL 5 BiCGSTAB stands still now and then: on all cores this run took 4694 iterations, and 60 steps of 33 x 33 x 32
// points from 4093 to 4621, 6 % about their mean, with initial pressures 1e-11 apart. Two such runs are within a
// quarter, three times 6 % sqrt(2). Cycles of blocks in f32 do not stand still, and take fewer.
TEST_P(BlastWavePhysicsOnGpu, LongWholeRunsHaveThePublishedTimesNormsAndIterations) {
  const struct {
    double pressure, density, max_squared_residual, cfl, time, change;
    int iterations;
  } published[] = {{5, 3, 1e-12, 2, 0.773010523091, 19.537747952517, 1280},
                   {5, 3, 1e-16, 2, 0.77301052250225, 19.537747952185, 1679},
                   {5, 3, 1e-20, 2, 0.773010522495, 19.537747952193, 2091},
                   {10, 4, 1e-16, 2, 0.615078576914, 32.488417987, 1858},
                   {10, 4, 1e-12, 5, 1.68414840, 0, 5360},
                   {10, 4, 1e-12, 1, 0.29486683, 0, 845}};
  for (const auto& p : published) {
    Problem problem{.cfl = p.cfl, .max_squared_residual = p.max_squared_residual, .max_iterations = 2000};
    problem.blast.pressure = p.pressure;
    problem.blast.density = p.density;
    State s = blast(problem);
    const Totals before = totals(problem.gas, s);
    const History h = advance(problem, s);
    ASSERT_EQ(h.stop_reason, StopReason::done) << failure(problem, h);
    // What a residual is at a point, from a hundred steps of either sign.
    const double left = 10 * std::sqrt(p.max_squared_residual / static_cast<double>(problem.extents.points()));
    EXPECT_NEAR(s.time / p.time, 1, (p.change > 0 ? 1e-9 : 1e-7) + left);
    if (p.change > 0) {
      EXPECT_NEAR(h.steps.back().change / p.change, 1, 1e-8);
    }
    const auto iterations = static_cast<double>(h.iterations());
    const double apart = p.cfl > 2 ? 0.25 : 0.015;
    EXPECT_LE(iterations, (1 + apart) * p.iterations);
    if (GetParam() != BlockSource::f32) {
      EXPECT_GE(iterations, (1 - apart) * p.iterations);
    }
    for (const StepRecord& r : h.steps)
      EXPECT_LE(std::sqrt(r.true_residual),
                std::sqrt(p.max_squared_residual) + 1e-14 * (1 + r.iterations) * std::sqrt(r.right_hand_side));
    EXPECT_LE(drift(before, totals(problem.gas, s)), 1e-11);
  }
}

// Every column of the exact matrix sums to the identity, whatever is left of the residual; the means of a change that
// blocks in f32 make are taken off it.
TEST_P(BlastWavePhysicsOnGpu, MassMomentumAndEnergyAreKeptForEveryTolerance) {
  expect_conservation_for_every_tolerance(
      [&](const Problem& problem, State& state) { return advance(problem, state); });
}

TEST_P(BlastWavePhysicsOnGpu, TheFirstStepIsThePublishedOne) {
  Problem problem{.max_squared_residual = 1e-16, .steps = 1};
  State s = blast(problem);
  const History h = advance(problem, s);
  ASSERT_EQ(h.stop_reason, StopReason::done);
  EXPECT_NEAR(h.steps[0].dt / 0.007985532675849278, 1, 1e-14);
  EXPECT_NEAR(h.steps[0].change / 42.223898746, 1, 1e-10);
  EXPECT_NEAR(h.steps[0].right_hand_side / 1.0863e3, 1, 1e-4);
}

TEST_P(BlastWavePhysicsOnGpu, ABlastKeepsTheSymmetriesOfTheCube) {
  const Problem problem{.extents = {64, 64, 64}, .steps = 20};
  State s = blast(problem);
  ASSERT_EQ(advance(problem, s).stop_reason, StopReason::done);
  EXPECT_LE(asymmetry_of_cube(s), 1e-8);
}

TEST_P(BlastWavePhysicsOnGpu, EntropyRisesAtEveryStep) {
  Problem problem{.extents = {33, 33, 32}, .max_squared_residual = 1e-16, .steps = 120};
  const core::Stream stream;
  GpuSolver solver(problem, GetParam(), problem.steps, stream);
  State s = blast(problem);
  solver.upload(s, stream);
  double before = totals(problem.gas, s).entropy;
  for (int step = 1; step <= problem.steps; ++step) {
    solver.run(1, stream);
    ASSERT_EQ(solver.finish(s, stream).stop_reason, StopReason::done);
    const Totals now = totals(problem.gas, s);
    EXPECT_GT(now.entropy, before) << step;
    before = now.entropy;
    if (step == 2) {
      EXPECT_NEAR(now.entropy, -0.3464519809, 1e-9);
    }
    if (step == 20) {
      EXPECT_NEAR(now.entropy, -0.3375831706, 1e-9);
      EXPECT_NEAR(now.kinetic, 0.01414133, 1e-7);
    }
    if (step == 100) {
      EXPECT_NEAR(now.entropy, -0.3252208, 1e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, BlastWavePhysicsOnGpu,
                         testing::Values(BlockSource::f64, BlockSource::f32, BlockSource::recomputed),
                         [](const auto& chosen) {
                           return std::string(chosen.param == BlockSource::f64   ? "f64"
                                              : chosen.param == BlockSource::f32 ? "f32"
                                                                                 : "recomputed");
                         });

}  // namespace
}  // namespace speedwell::blast_wave
