// Statistics against what is known of simple flows, and cases advanced in time against published and conserved values.
#include "speedwell/apps/incompressible_flow/simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "speedwell/apps/incompressible_flow/cases/cubes.hpp"
#include "tests/apps/incompressible_flow/stirred.hpp"

namespace speedwell::incompressible_flow {
namespace {

// u = sin x cos y cos z: <u u> = 1/8 of each of two components; every derivative of the discrete flow is Lambda's.
TEST(FlowStatistics, TaylorGreenVortices) {
  const int n = 16;
  const Problem p = box(n, n, n, 1. / 1600);
  State<double> s(p.extents());
  add_taylor_green(p, s);
  const Statistics t = statistics_of(p, s);
  const double h = turn / n, lambda = 4 / (h * h) * std::pow(std::sin(h / 2), 2);
  EXPECT_NEAR(t.energy, 0.125, 1e-14);
  EXPECT_NEAR(t.turbulent_energy, 0.125, 1e-14);
  EXPECT_NEAR(t.dissipation, 3 * 0.25 / 1600 * lambda, 1e-15);
  EXPECT_NEAR(t.stresses[0], 0.125, 1e-14);
  EXPECT_NEAR(t.stresses[2], 0, 1e-14);
  for (const double m : t.mean) EXPECT_NEAR(m, 0, 1e-14);
  EXPECT_LT(t.divergence, 1e-14);
}

// Between a wall at rest and one of speed 1, nu (du/dy)^2 = nu whatever the widths.
TEST(FlowStatistics, CouetteFlow) {
  Problem p = slot(random_faces(9, 1, 4), 0.2);
  p.sides[1][1].velocity = {1, 0, 0};
  State<double> s(p.extents());
  add_velocity(
      p, [](int c, double, double y, double) { return c == 0 ? y : 0.0; }, s);
  const Statistics t = statistics_of(p, s);
  EXPECT_NEAR(t.dissipation, 0.2, 1e-13);
  EXPECT_NEAR(t.mean[0], 0.5, 1e-13);
}

FlowCase decay(int n, double viscosity) {
  FlowCase c;
  c.problem = box(n, n, n, viscosity);
  c.start = "taylor-green";
  c.noise = 0.1;
  c.cfl = 0.4;
  c.end = 1;
  return c;
}

// The dissipation equals the decrease of energy: second order between two steps.
TEST(FlowSimulation, EnergyFallsByTheDissipation) {
  for (const bool solids : {false, true}) {
    FlowCase c = decay(12, 0.05);
    if (solids) add_cube(c.problem, 2, 3, 4, 4);
    c.options.tolerance = 1e-11;
    c.largest_step = 1e-3;
    Simulation<double> s(c, 2);
    for (int n = 0; n < 3; ++n) ASSERT_TRUE(s.step(1));
    const Statistics a = s.statistics();
    ASSERT_TRUE(s.step(1));
    const Statistics b = s.statistics();
    const double fall = (a.energy - b.energy) / s.moment().dt, middle = (a.dissipation + b.dissipation) / 2;
    EXPECT_NEAR(fall / middle, 1, 1e-4) << solids;
  }
}

TEST(FlowSimulation, StepsLandOnWhatIsAskedFor) {
  Simulation<double> s(decay(8, 0.05), 1);
  for (const double until : {0.1, 0.35, 0.350001}) {
    while (s.moment().time < until) ASSERT_TRUE(s.step(until));
    EXPECT_EQ(s.moment().time, until);
    EXPECT_LE(s.moment().cfl, 0.4 + 1e-12);
  }
}

TEST(FlowSimulation, TheFirstStepSeesWallsThatMove) {
  FlowCase c;
  c.problem = cavity(16, 100);
  c.cfl = 0.5;
  c.end = 1;
  Simulation<double> s(c, 1);
  ASSERT_TRUE(s.step(1));
  EXPECT_LE(s.moment().dt, 0.5 / 16 * (1 + 1e-12));
}

// Values of an independent prototype of the same scheme, which repeats to 1 % as long as the flow has not forgotten how
// it began.
TEST(FlowSimulation, StirredTurbulenceIsTheOneOfTheSpecification) {
  Simulation<double> s(stirred(), 1);
  while (s.moment().time < 1) ASSERT_TRUE(s.step(1));
  const Statistics t = s.statistics();
  EXPECT_NEAR(t.turbulent_energy, 63.262, 0.01 * 63.262);
  EXPECT_NEAR(t.stresses[0], 55.55, 0.01 * 55.55);
  EXPECT_NEAR(t.stresses[1], 25.51, 0.01 * 25.51);
  EXPECT_NEAR(t.stresses[2], 45.47, 0.01 * 45.47);
}

TEST(FlowSimulation, TheMeanFlowIsGoneWhenTheCubesAre) {
  Simulation<double> s(quick(), 1);
  while (s.moment().time < 0.5) {
    ASSERT_TRUE(s.step(0.5));
    EXPECT_EQ(s.problem().solid.empty(), s.moment().time >= 0.4);
  }
  const Statistics t = s.statistics();
  for (const double m : t.mean) EXPECT_LT(std::abs(m), 1e-12 * std::sqrt(t.turbulent_energy));
}

TEST(FlowSimulation, AResumedRunHasTheBitsOfAnUninterruptedOne) {
  for (const double at : {0.1, 0.3, 0.5}) expect_same_bits_after_resuming<double>(quick(), at);
  expect_same_bits_after_resuming<float>(
      [] {
        FlowCase c = quick();
        c.options.tolerance = 1e-4;
        return c;
      }(),
      0.3);
  FlowCase implicit = decay(10, 0.1);
  implicit.options.method.diffusion = Diffusion::trapezoidal;
  expect_same_bits_after_resuming<double>(implicit, 0.5);
}

TEST(FlowSimulation, AFlowThatBlowsUpStopsTheRun) {
  FlowCase c = decay(8, 0);
  Simulation<double> s(c, 1);
  State<double> broken(c.problem.extents());
  broken.velocity[0][17] = NAN;
  s.resume(broken);
  EXPECT_FALSE(s.step(1));
  EXPECT_NE(s.failure().find("not finite"), std::string::npos);
}

TEST(FlowSimulation, GoesBackToWhatItKept) {
  FlowCase c = quick();
  Simulation<double> s(c, 1);
  while (s.moment().time < 0.3) ASSERT_TRUE(s.step(0.3));
  s.save();
  State<double> kept(c.problem.extents()), again(c.problem.extents());
  s.get(kept);
  for (int n = 0; n < 3; ++n) ASSERT_TRUE(s.step(0.6));
  s.restore();
  s.get(again);
  EXPECT_EQ(again.time, 0.3);
  EXPECT_EQ(again.step, kept.step);
  for (std::size_t d = 0; d < 3; ++d)
    EXPECT_EQ(std::memcmp(kept.velocity[d].data(), again.velocity[d].data(), kept.velocity[d].bytes()), 0);
}

}  // namespace
}  // namespace speedwell::incompressible_flow
