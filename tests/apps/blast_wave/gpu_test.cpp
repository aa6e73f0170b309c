// The GPU variants against the reference: one product, whole runs, and failures.
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "speedwell/apps/blast_wave/gpu_article.hpp"
#include "speedwell/apps/blast_wave/gpu_solver.hpp"
#include "speedwell/apps/blast_wave/point.hpp"
#include "speedwell/apps/blast_wave/verify/reference.hpp"
#include "speedwell/apps/blast_wave/verify/verify.hpp"

namespace speedwell::blast_wave {
namespace {

constexpr BlockSource all_sources[] = {BlockSource::f64, BlockSource::f32, BlockSource::recomputed};

/// By compute-sanitizer, which takes long over a launch: few meshes and steps, of every kernel all the same.
bool watched() { return std::getenv("SPEEDWELL_LOOPS_BY_HOST") != nullptr; }

GpuSolver solver_of(const Problem& problem, BlockSource blocks, int max_steps, const core::Stream& stream) {
  GpuSolver solver(problem, blocks, max_steps, stream);
  solver.loop_by_host(watched());
  return solver;
}

class BlastWaveOnGpu : public testing::TestWithParam<BlockSource> {};

TEST_P(BlastWaveOnGpu, TakesTheReferencesStepsOnAwkwardMeshes) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  for (const Extents& e : {Extents{5, 5, 5}, Extents{7, 5, 9}, Extents{17, 17, 16}, Extents{33, 6, 13}}) {
    if (watched() && e.points() > 400) continue;
    const Problem problem{.extents = e, .steps = watched() ? 2 : 4};
    State expected = blast(problem), got = expected;
    GpuSolver solver = solver_of(problem, GetParam(), problem.steps, stream);
    solver.upload(got, stream);
    solver.run(problem.steps, stream);
    const History h = solver.finish(got, stream), known = reference::advance(problem, expected);
    ASSERT_EQ(h.stop_reason, StopReason::done);
    ASSERT_EQ(h.steps.size(), known.steps.size());
    EXPECT_NEAR(got.time / expected.time, 1, 1e-10);
    for (std::size_t s = 0; s < h.steps.size(); ++s) {
      EXPECT_NEAR(h.steps[s].dt / known.steps[s].dt, 1, 1e-10);
      EXPECT_NEAR(h.steps[s].change / known.steps[s].change, 1, 1e-9);
      EXPECT_LE(h.steps[s].residual, problem.max_squared_residual);
      EXPECT_LE(h.steps[s].true_residual, 1.0001 * problem.max_squared_residual);
      if (GetParam() != BlockSource::f32) {
        EXPECT_NEAR(h.steps[s].iterations, known.steps[s].iterations, 2);
      }
    }
    for (std::size_t n = 0; n < got.q.size(); ++n) ASSERT_NEAR(got.q[n], expected.q[n], 1e-9);
  }
}

// A step that fails for want of iterations leaves the state, its faces and its blocks together.
TEST_P(BlastWaveOnGpu, MultipliesAsTheReferencesBlocksDo) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  Problem problem{.extents = {9, 13, 7}, .max_iterations = 1};
  problem.gas.reynolds = 50;
  State state = blast(problem);
  for (std::size_t at = 0; at < state.q.size(); ++at) state.q[at] *= 1 + 0.01 * std::sin(static_cast<double>(at * at));
  for (std::size_t at = 0; at < state.q.size() / 5 * 3; ++at)
    state.q[state.q.size() / 5 + at] += 0.2 * std::cos(static_cast<double>(at * at % 101));
  const auto n = static_cast<std::size_t>(problem.extents.points());
  GpuSolver solver = solver_of(problem, GetParam(), 1, stream);
  solver.upload(state, stream);
  solver.run(1, stream);
  const auto q = reference::mesh_of(state);
  const double dt = reference::time_step(problem, q);
  reference::Mesh x(n);
  std::vector<double> v(5 * solver.stride()), y(v.size());
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t c = 0; c < 5; ++c)
      v[c * solver.stride() + p] = x[p][c] = std::sin(static_cast<double>(p * p % 977 + 31 * c));
  core::DeviceBuffer<double> dx(v.size()), dy(v.size());
  core::copy_async(dx.data(), v.data(), v.size(), stream);
  core::fill_bytes_async(dy, 0xff, stream);
  solver.multiply(dx.data(), dy.data(), stream);
  core::copy_async(y.data(), dy.data(), y.size(), stream);
  stream.synchronize();
  const auto product = reference::multiply(problem.extents, reference::blocks(problem, q, dt), x);
  const double tolerance = GetParam() == BlockSource::f32 ? 1e-5 : 1e-12;
  for (std::size_t c = 0; c < 5; ++c) {
    for (std::size_t p = 0; p < n; ++p)
      ASSERT_NEAR(y[c * solver.stride() + p], product[p][c], tolerance * (1 + std::abs(product[p][c])));
    for (std::size_t p = n; p < solver.stride(); ++p) ASSERT_TRUE(std::isnan(y[c * solver.stride() + p])) << p;
  }
}

TEST_P(BlastWaveOnGpu, StopsAtAFailureWithTheStateBeforeIt) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  const Problem problem{.extents = {9, 8, 7}, .max_iterations = 2, .steps = 3};
  const State begun = blast(problem);
  State got = begun;
  GpuSolver solver = solver_of(problem, GetParam(), problem.steps, stream);
  solver.upload(got, stream);
  solver.run(problem.steps, stream);
  const History h = solver.finish(got, stream);
  EXPECT_EQ(h.stop_reason, StopReason::iteration_limit);
  EXPECT_EQ(h.steps.size(), 1u);
  EXPECT_EQ(got.step, 0);
  EXPECT_EQ(got.q, begun.q);
}

TEST_P(BlastWaveOnGpu, RefusesStepsBeyondItsHistory) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  const Problem problem{.extents = {5, 5, 5}, .steps = 2};
  EXPECT_THROW(GpuSolver(problem, GetParam(), 0, stream), std::invalid_argument);
  GpuSolver solver = solver_of(problem, GetParam(), 2, stream);
  solver.upload(blast(problem), stream);
  solver.run(1, stream);
  EXPECT_THROW(solver.run(2, stream), std::invalid_argument);
  EXPECT_THROW(solver.run(INT_MAX, stream), std::invalid_argument);  // its sum with 1 is not an int
  EXPECT_THROW(solver.run(-1, stream), std::invalid_argument);
  solver.run(1, stream);
  State end;
  EXPECT_EQ(solver.finish(end, stream).steps.size(), 2u);
}

TEST_P(BlastWaveOnGpu, IterationsThatTheHostDecidesOnHaveTheSameBits) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  const Problem problem{.extents = {9, 7, 8}, .steps = 2};
  State ends[2];
  for (const bool by_host : {true, false}) {
    if (!by_host && watched()) return;
    GpuSolver solver(problem, GetParam(), problem.steps, stream);
    solver.loop_by_host(by_host);
    solver.upload(blast(problem), stream);
    solver.run(problem.steps, stream);
    EXPECT_EQ(solver.finish(ends[by_host], stream).stop_reason, StopReason::done);
  }
  EXPECT_EQ(ends[0].q, ends[1].q);
}

TEST_P(BlastWaveOnGpu, GivesTheSameBitsAgainAndAfterAStop) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  const int half = watched() ? 1 : 3;
  const Problem problem{.extents = {17, 11, 16}, .steps = 2 * half};
  State whole, halves;
  GpuSolver solver = solver_of(problem, GetParam(), problem.steps, stream);
  solver.upload(blast(problem), stream);
  solver.run(2 * half, stream);
  solver.finish(whole, stream);
  solver.restore(stream);
  solver.run(half, stream);
  solver.finish(halves, stream);
  GpuSolver other = solver_of(problem, GetParam(), problem.steps, stream);
  other.upload(halves, stream);
  other.run(half, stream);
  other.finish(halves, stream);
  EXPECT_EQ(whole.q, halves.q);
}

// At so large a CFL number BiCGSTAB's recurrence stands still for thousands of iterations: on a host a step of 13^3
// points took 2461 in cycles of any length, and 356 in cycles of 50 at most.
TEST(BlastWaveF32BlocksOnGpu, ACycleThatStandsStillEndsAndAnotherBegins) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  if (watched()) GTEST_SKIP() << "thousands of launches: too long for the tools";
  const core::Stream stream;
  for (const std::int64_t n : {9, 13}) {
    const Problem problem{.extents = {n, n, n}, .cfl = 20, .max_iterations = 1000, .steps = 3};
    State got = blast(problem);
    GpuSolver solver = solver_of(problem, BlockSource::f32, problem.steps, stream);
    solver.upload(got, stream);
    solver.run(problem.steps, stream);
    const History h = solver.finish(got, stream);
    ASSERT_EQ(h.stop_reason, StopReason::done) << failure(problem, h);
    for (const StepRecord& step : h.steps) {
      EXPECT_LE(step.true_residual, 1.0001 * problem.max_squared_residual);
      EXPECT_LE(step.iterations, 50 * (step.restarts + 1));
    }
  }
}

// Rows whose length is no multiple of five, and meshes of fewer points than a block has threads.
TEST(BlastWaveArticle, TakesTheReferencesStepsOnAwkwardMeshes) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  for (const Extents& e : {Extents{5, 5, 5}, Extents{7, 5, 9}, Extents{11, 6, 13}, Extents{33, 17, 8}}) {
    if (watched() && e.points() > 1000) continue;
    const Problem problem{.extents = e, .steps = watched() ? 1 : 3};
    Answer known{blast(problem), {}};
    known.history = reference::advance(problem, known.state);
    for (const PublishedVariant way : {PublishedVariant::one_point, PublishedVariant::five_points,
                                       PublishedVariant::ribbon, PublishedVariant::concurrent}) {
      ArticleSolver solver(problem, way, 2, stream);
      Answer got{blast(problem), {}};
      solver.set(got.state);
      got.history = solver.run(problem.steps, stream);
      solver.get(got.state);
      const core::Verdict verdict = verify(problem, blast(problem), known, got);
      EXPECT_TRUE(verdict.passed) << static_cast<int>(way) << ": " << verdict.error << " " << verdict.oracle;
    }
  }
}

TEST(BlastWaveGpuMemory, WhatTheDeviceDoesNotHaveIsRefusedWithItsBytes) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  const Problem problem{.extents = {720, 720, 720}};  // 700 GB with blocks, and 164 GB without
  for (const BlockSource source : {BlockSource::f64, BlockSource::recomputed}) {
    try {
      GpuSolver(problem, source, 1, stream);
      ADD_FAILURE();
    } catch (const core::Unavailable& e) {
      EXPECT_NE(std::string(e.what()).find("of device memory"), std::string::npos) << e.what();
    }
  }
  EXPECT_THROW(ArticleSolver(problem, PublishedVariant::ribbon, 1, stream), core::Unavailable);
}

INSTANTIATE_TEST_SUITE_P(, BlastWaveOnGpu, testing::ValuesIn(all_sources), [](const auto& chosen) {
  return std::string(chosen.param == BlockSource::f64   ? "f64"
                     : chosen.param == BlockSource::f32 ? "f32"
                                                        : "recomputed");
});

}  // namespace
}  // namespace speedwell::blast_wave
