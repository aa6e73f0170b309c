// Boxes that move on a GPU, against the host's and against exact modes.
#include <gtest/gtest.h>

#include <cmath>

#include "speedwell/apps/incompressible_flow/gpu_solver.hpp"
#include "speedwell/apps/incompressible_flow/verify/verify.hpp"
#include "tests/apps/incompressible_flow/on_gpu.hpp"
#include "tests/apps/incompressible_flow/stirred.hpp"

namespace speedwell::incompressible_flow {
namespace {

// Before the strain, in its midst and after it; with the axes as they are and renamed, and cells that differ along one.
TEST(FlowOnGpu, AMeshMovesAsTheHosts) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Scheme scheme : {Scheme::w3, Scheme::s3})
    for (int wavy = -1; wavy < 3; ++wavy) {
      Problem p = block(33, 16, 18, 4, 9, 6, 0.01);
      if (wavy >= 0) {
        auto& faces = p.faces[static_cast<std::size_t>(wavy)];
        faces = wavy_faces(static_cast<int>(faces.size()) - 1, faces.back(), 0.3);
      }
      p.strain = Strain{{1, -1.5, 0.5}, 0.02, 0.045};
      const Options options = {.method = {scheme}};
      HostAndGpu both(p, options);
      GpuSolver<float> single(p, options);
      single.upload(converted<float>(beginning(p)), both.stream);
      State<double> expected(p.extents()), end(p.extents());
      State<float> end_single(p.extents());
      int steps = 0;
      for (const int more : {1, 3, 3}) {
        both.run(more);
        single.run(dt, more, both.stream);
        steps += more;
        both.host.get(expected);
        both.gpu.download(end, both.stream);
        single.download(end_single, both.stream);
        const Problem now = at_time(p, both.host.time());
        const core::Verdict verdict = verify(now, expected, end, steps);
        EXPECT_TRUE(verdict.passed) << wavy << ": " << verdict.error << " > " << verdict.tolerance << ", "
                                    << verdict.oracle;
        const core::Verdict of_single = verify(now, expected, end_single, steps);
        EXPECT_TRUE(of_single.passed) << wavy << " in single precision: " << of_single.error << " > "
                                      << of_single.tolerance << ", " << of_single.oracle;
        const Statistics there = both.gpu.statistics(both.stream), here = statistics_of(now, expected);
        EXPECT_NEAR(there.dissipation, here.dissipation, 1e-10 * here.dissipation) << wavy;
        const double rate = both.host.convection_rate();
        EXPECT_NEAR(both.gpu.convection_rate(both.stream), rate, 1e-10 * rate) << wavy;
      }
    }
}

// Waves that neither convection nor pressure touches: exp(-1), e and 1 times their squares after a strain of 1/2.
TEST(FlowOnGpu, ShearWavesUnderStrainGrowAndShrinkByExactFactors) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Scheme scheme : {Scheme::w3, Scheme::s3})
    for (int c = 0; c < 3; ++c) {
      Problem p = block(12, 12, 12, std::exp(-0.5), std::exp(0.5), 1, 0);
      p.strain = Strain{{2, -2, 0}, 0, 0.25};
      State<double> s(p.extents());
      add_velocity(
          p,
          [&](int axis, double x, double, double z) {
            return axis == c ? std::sin(turn * (c == 2 ? x / p.faces[0].back() : z)) : 0.0;
          },
          s);
      const double before = statistics_of(p, s).stresses[static_cast<std::size_t>(c)];
      const core::Stream stream;
      GpuSolver<double> solver(p, {.method = {scheme}});
      solver.upload(s, stream);
      solver.run(0.025, 10, stream);
      const double factor[] = {std::exp(-1.), std::exp(1.), 1};
      EXPECT_NEAR(solver.statistics(stream).stresses[static_cast<std::size_t>(c)] / before, factor[c], 1e-13) << c;
    }
}

// Stirred, then strained: the history's balance of energy holds there, too.
TEST(FlowOnGpu, StirredTurbulenceIsStrainedAsTheHostDoes) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  FlowCase c = quick();
  c.options.tolerance = 1e-10;
  c.strain = Strain{{1.5, -1.5, 0}, 0.4, 0.6};
  c.end = 0.6;
  Simulation<double> host(c, 1), device(c, 1, true);
  host.watch_balance();
  device.watch_balance();
  while (host.moment().time < c.end) ASSERT_TRUE(host.step(c.end));
  while (device.moment().time < c.end) ASSERT_TRUE(device.step(c.end)) << device.failure();
  EXPECT_EQ(device.moment().step, host.moment().step);
  EXPECT_LT(device.moment().imbalance, 1e-3);
  for (std::size_t d = 0; d < 3; ++d) {
    const double expected = host.statistics().stresses[d];
    EXPECT_NEAR(device.statistics().stresses[d], expected, 1e-6 * expected);  // pressures of 1e-10, some 60 steps
  }
}

}  // namespace
}  // namespace speedwell::incompressible_flow
