// The solver on a GPU against the oracle.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "speedwell/apps/incompressible_flow/gpu_refusals.hpp"
#include "speedwell/apps/incompressible_flow/gpu_solver.hpp"
#include "speedwell/apps/incompressible_flow/stepper.hpp"
#include "speedwell/apps/incompressible_flow/verify/reference.hpp"
#include "speedwell/apps/incompressible_flow/verify/verify.hpp"
#include "speedwell/core/error.hpp"
#include "tests/apps/incompressible_flow/on_gpu.hpp"
#include "tests/apps/incompressible_flow/stirred.hpp"

namespace speedwell::incompressible_flow {
namespace {

class FlowGpu : public ::testing::TestWithParam<Method> {};

TEST_P(FlowGpu, AgreesWithTheReference) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Case& c : cases()) {
    const Options options = {.method = GetParam()};
    if (refuses_on_gpu(c.problem, options)) continue;
    const State<double> begin = beginning(c.problem);
    State<double> expected = begin.copy();
    reference::advance(c.problem, options.method, expected, dt, 3);
    const core::Verdict twice = verify(c.problem, expected, advanced<double>(c.problem, options, begin, 3), 3);
    EXPECT_TRUE(twice.passed) << c.name << ": " << twice.error << " > " << twice.tolerance << ", " << twice.oracle;
    const core::Verdict single = verify(c.problem, expected, advanced<float>(c.problem, options, begin, 3), 3);
    EXPECT_TRUE(single.passed) << c.name << " in single precision: " << single.error << " > " << single.tolerance
                               << ", " << single.oracle;
  }
}
INSTANTIATE_TEST_SUITE_P(Methods, FlowGpu,
                         ::testing::Values(Method{Scheme::w3}, Method{Scheme::s3},
                                           Method{Scheme::w3, Diffusion::trapezoidal},
                                           Method{Scheme::s3, Diffusion::trapezoidal}));

// Lengths that warps take, periodic and between walls, of equal and of other cells, and their neighbours.
TEST(FlowOnGpu, LinesOfEveryLength) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const int n : {32, 63, 64, 65, 128, 256, 512, 1024})
    for (const bool walls : {false, true}) {
      Problem p = box(9, 4, n, 0.001);
      p.faces[2] = walls ? two_sided_faces(n, turn * n / 9, 1.1) : uniform_faces(n, turn * n / 9);
      if (walls) close(p, 2);
      const State<double> begin = beginning(p);
      State<double> expected = begin.copy();
      const double step = 0.001;
      reference::advance(p, {}, expected, step, 1);
      const core::Stream stream;
      GpuSolver<double> solver(p);
      solver.upload(begin, stream);
      solver.run(step, 1, stream);
      State<double> end(p.extents());
      solver.download(end, stream);
      const core::Verdict verdict = verify(p, expected, end, 1);
      EXPECT_TRUE(verdict.passed) << n << " " << walls << ": " << verdict.error << " > " << verdict.tolerance << ", "
                                  << verdict.oracle;
    }
}

TEST(FlowOnGpu, GivesTheSameBitsEveryTime) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const Problem p = box(64, 48, 40, 0.01);
  const State<double> begin = beginning(p);
  const auto first = advanced<double>(p, {}, begin, 4);
  for (int again = 0; again < 3; ++again) {
    const auto other = advanced<double>(p, {}, begin, 4);
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_EQ(std::memcmp(first.velocity[c].data(), other.velocity[c].data(), first.velocity[c].bytes()), 0);
  }
}

TEST(FlowOnGpu, ContinuesFromItsStateWithOtherSteps) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const Problem p = box(16, 12, 10, 0.01);
  const State<double> begin = beginning(p);
  State<double> expected = begin.copy();
  reference::advance(p, {}, expected, 0.01, 3);
  reference::advance(p, {}, expected, 0.004, 2);
  const core::Stream stream;
  GpuSolver<double> solver(p);
  solver.upload(begin, stream);
  solver.run(0.01, 3, stream);
  solver.run(0.004, 2, stream);
  State<double> end(p.extents());
  solver.download(end, stream);
  const core::Verdict verdict = verify(p, expected, end, 5);
  EXPECT_TRUE(verdict.passed) << verdict.error;
  EXPECT_NEAR(end.time, 0.038, 1e-15);
  EXPECT_EQ(end.step, 5);
}

TEST(FlowOnGpu, ConjugateGradientsAndTheDirectSolverGiveTheSameFlow) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const bool walls : {false, true}) {
    Problem p = box(24, 18, 20, 0.01);
    if (walls) p.faces[2] = two_sided_faces(20, turn, 1.5);
    if (walls) close(p, 2);
    const State<double> begin = beginning(p);
    const auto direct = advanced<double>(p, {}, begin, 5),
               gradients =
                   advanced<double>(p, {.pressure = Pressure::conjugate_gradients, .tolerance = 1e-12}, begin, 5);
    const core::Verdict verdict = verify(p, direct, gradients, 5);
    EXPECT_TRUE(verdict.passed) << walls << ": " << verdict.error << " > " << verdict.tolerance << ", "
                                << verdict.oracle;
  }
}

// The test of conjugate gradients for compute-sanitizer, too: walls, solids, both preconditioners.
TEST(FlowOnGpu, IterationsThatTheHostDecidesOnHaveTheSameBits) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const auto diffusion : {Diffusion::explicit_steps, Diffusion::trapezoidal})
    for (const bool solids : {false, true}) {
      Problem p = box(9, 7, 8, 0.01);
      p.faces[1] = two_sided_faces(7, turn, 1.2);
      close(p, 1);
      if (solids) add_cube(p, 2, 3, 6, 3);
      if (!solids) p.faces[2] = random_faces(8, turn, 4);
      const State<double> begin = beginning(p);
      State<double> ends[] = {State<double>(p.extents()), State<double>(p.extents())};
      for (const bool by_host : {true, false}) {
        if (!by_host && std::getenv("SPEEDWELL_LOOPS_BY_HOST")) continue;
        const core::Stream stream;
        GpuSolver<double> solver(p, {.method = {Scheme::w3, diffusion}, .pressure = Pressure::conjugate_gradients});
        solver.loop_by_host(by_host);
        solver.upload(begin, stream);
        solver.run(dt, 2, stream);
        EXPECT_GT(solver.pressure_iterations(stream), 6);
        EXPECT_EQ(solver.diffusion_iterations(stream) > 6, diffusion == Diffusion::trapezoidal);
        solver.download(ends[by_host], stream);
      }
      if (std::getenv("SPEEDWELL_LOOPS_BY_HOST")) continue;
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_EQ(std::memcmp(ends[0].velocity[c].data(), ends[1].velocity[c].data(), ends[0].velocity[c].bytes()), 0);
    }
}

// A solve is two direct solutions and those of the iterations between, of which there are not more than of fields on
// the host: else what the list leads to was no solution, and iterations of fields had to find it.
TEST(FlowOnGpu, ConjugateGradientsBesideSolidsLeaveNothingToThoseOfFields) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const double tolerance : {1e-6, 1e-10}) {  // direct solutions of iterations in single precision, and in double
    Problem p = box(24, 20, 18, 0.01);
    add_cube(p, 2, 3, 4, 4);
    add_cube(p, 22, 10, 16, 3);
    HostAndGpu both(p, {.tolerance = tolerance});
    for (int s = 0; s < 3; ++s) {
      both.run(1);
      EXPECT_LE(both.gpu.pressure_iterations(both.stream), both.host.pressure_iterations() + 3 * 3) << tolerance;
    }
  }
}

TEST(FlowOnGpu, SaysWhenConjugateGradientsDoNotConverge) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const Problem p = box(16, 16, 16, 0.01);
  const core::Stream stream;
  GpuSolver<double> solver(p, {.pressure = Pressure::conjugate_gradients, .max_iterations = 2});
  solver.upload(beginning(p), stream);
  solver.run(dt, 1, stream);
  EXPECT_THROW(solver.pressure_iterations(stream), core::DeviceError);
}

// With a graph and with conjugate gradients, along axes that keep their names and along one that does not.
TEST(FlowOnGpu, KeepsBulkVelocitiesAsTheHostDoes) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Scheme scheme : {Scheme::w3, Scheme::s3})
    for (const auto pressure : {Pressure::direct, Pressure::conjugate_gradients}) {
      Problem p = box(33, 12, 7, 0.01);
      p.faces[1] = two_sided_faces(12, turn, 1.5);
      close(p, 1);
      p.bulk_velocity = {0.75, std::nullopt, -0.25};
      HostAndGpu both(p, {.method = {scheme}, .pressure = pressure, .tolerance = 1e-12});
      both.run(3);
      State<double> expected(p.extents()), end(p.extents());
      both.host.get(expected);
      both.gpu.download(end, both.stream);
      const core::Verdict verdict = verify(p, expected, end, 3);
      EXPECT_TRUE(verdict.passed) << verdict.error << " > " << verdict.tolerance << ", " << verdict.oracle;
      const Statistics of_end = statistics_of(p, end);
      // Means of some 3000 velocities of order 1.
      EXPECT_NEAR(of_end.mean[0], 0.75, 1e-13);
      EXPECT_NEAR(of_end.mean[2], -0.25, 1e-13);
      // The same rounding over a step of 0.01, in three parts.
      for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(both.gpu.force(both.stream)[d], both.host.force()[d], 1e-10) << d;
    }
}

// Conjugate gradients begin with the pressure before, on whatever stream that was.
TEST(FlowOnGpu, ContinuesOnAnotherStreamWithTheSameBits) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const Method implicit = {Scheme::w3, Diffusion::trapezoidal};
  for (const Options& options :
       {Options{}, Options{.pressure = Pressure::conjugate_gradients}, Options{.method = implicit}}) {
    const Problem p = box(18, 12, 10, 0.01);
    const State<double> begin = beginning(p);
    const State<double> expected = advanced<double>(p, options, begin, 4);
    const core::Stream one, other;
    GpuSolver<double> solver(p, options);
    solver.upload(begin, one);
    solver.run(dt, 2, one);
    one.synchronize();
    solver.run(dt, 2, other);
    State<double> end(p.extents());
    solver.download(end, other);
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_EQ(std::memcmp(expected.velocity[c].data(), end.velocity[c].data(), end.velocity[c].bytes()), 0) << c;
    EXPECT_EQ(std::memcmp(expected.pressure.data(), end.pressure.data(), end.pressure.bytes()), 0);
  }
}

// To the granularity of the driver, 2 MiB for each of some 20 arrays, which is less than one of them.
TEST(FlowOnGpu, SaysWhatItIsTakingMemory) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const auto free_bytes = [] {
    std::size_t free = 0, total = 0;
    core::check(cudaMemGetInfo(&free, &total));
    return static_cast<double>(free);
  };
  Problem periodic = box(192, 192, 192, 0.01), walls = periodic, stretched = periodic, solids = periodic;
  close(walls, 1);
  stretched.faces[1] = stretched.faces[2] = wavy_faces(192, turn, 0.3);
  add_cube(solids, 3, 4, 5, 6);
  for (const auto diffusion : {Diffusion::explicit_steps, Diffusion::trapezoidal})
    for (const Problem* p : {&periodic, &walls, &stretched, &solids}) {
      const Options options = {.method = {Scheme::w3, diffusion}};
      const core::Stream stream;
      const State<double> rest(p->extents());
      {
        GpuSolver<double> once(box(8, 8, 8, 0.01));  // modules and plans are loaded
        once.upload(State<double>({8, 8, 8}), stream);
      }
      const double before = free_bytes();
      GpuSolver<double> solver(*p, options);
      solver.upload(rest, stream);
      const double took = before - free_bytes(), predicted = gpu_bytes(*p, options, sizeof(double));
      EXPECT_LT(took, predicted + 45e6) << solver.choice().reason;
      EXPECT_GT(took, 0.7 * predicted) << solver.choice().reason;
    }
}

TEST(FlowOnGpu, MeasuresAFlowAsTheHostDoes) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Case& c : cases()) {
    State<double> begin = beginning(c.problem);
    for (auto& u : begin.velocity[0]) u += 0.25;
    Solver<double> host(c.problem);
    host.set(begin);
    host.get(begin);  // closed faces are closed
    const core::Stream stream;
    GpuSolver<double> solver(c.problem);
    solver.upload(begin, stream);
    // Sums of three products.
    EXPECT_NEAR(solver.convection_rate(stream) / host.convection_rate(), 1, 1e-14) << c.name;
    // Sums of some hundred terms.
    const Statistics expected = statistics_of(c.problem, begin), got = solver.statistics(stream);
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(got.mean[d], expected.mean[d], 1e-13) << c.name << " " << d;
    for (std::size_t d = 0; d < 6; ++d) EXPECT_NEAR(got.stresses[d], expected.stresses[d], 1e-12) << c.name << " " << d;
    EXPECT_NEAR(got.dissipation, expected.dissipation, 1e-12 * expected.dissipation) << c.name;
    EXPECT_NEAR(got.energy, expected.energy, 1e-12 * expected.energy) << c.name;
    if (std::isfinite(expected.skewness)) {  // not of a mesh that is one cell thick
      EXPECT_NEAR(got.skewness, expected.skewness, 1e-11) << c.name;
    }
    EXPECT_EQ(got.fastest, expected.fastest) << c.name;
    EXPECT_NEAR(got.divergence, expected.divergence, 1e-12) << c.name;
    begin.velocity[1][begin.extents.at(0, 0, 0)] = std::numeric_limits<double>::quiet_NaN();
    if (!c.problem.periodic(1) || !c.problem.solid.empty()) continue;
    solver.upload(begin, stream);
    EXPECT_TRUE(std::isnan(solver.convection_rate(stream))) << c.name;
  }
}

// The same steps, for the rate that bounds them has the same bits but for its last ones.
TEST(FlowOnGpu, StirredTurbulenceIsTheHosts) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  FlowCase c = quick();
  c.options.tolerance = 1e-10;
  c.end = 0.1;
  Simulation<double> host(c, 1), device(c, 1, true);
  while (host.moment().time < c.end) ASSERT_TRUE(host.step(c.end));
  while (device.moment().time < c.end) ASSERT_TRUE(device.step(c.end)) << device.failure();
  EXPECT_EQ(device.moment().step, host.moment().step);
  const double expected = host.statistics().turbulent_energy;
  EXPECT_NEAR(device.statistics().turbulent_energy, expected, 1e-7 * expected);  // pressures of 1e-10, some 30 steps
}

TEST(FlowOnGpu, AResumedRunHasTheBitsOfAnUninterruptedOne) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const double at : {0.1, 0.3, 0.5}) expect_same_bits_after_resuming<double>(quick(), at, true);
  FlowCase strained = quick();
  strained.strain = Strain{{1.5, 0, -1.5}, 0.5, 0.6};
  strained.end = 0.7;
  for (const double at : {0.45, 0.55, 0.65}) expect_same_bits_after_resuming<double>(strained, at, true);
  FlowCase implicit = quick();
  implicit.options.method.diffusion = Diffusion::trapezoidal;
  for (const double at : {0.1, 0.5}) expect_same_bits_after_resuming<double>(implicit, at, true);
}

TEST(FlowOnGpu, WithoutOneASimulationSaysSo) {
  if (core::have_device()) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(*lacks_gpu(), "there is no GPU");
  EXPECT_THROW(stepper_on_gpu<double>(box(4, 4, 4, 0.1), {}), core::Unavailable);
}

TEST(FlowOnGpu, RefusesWhatItCannotDo) {
  Problem p = box(4, 4, 4, 0.1);
  p.strain = Strain{{1, -1, 0}, 0, 0.5};
  EXPECT_THROW(GpuSolver<double>(p, {.method = {Scheme::w3, Diffusion::trapezoidal}}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::incompressible_flow
