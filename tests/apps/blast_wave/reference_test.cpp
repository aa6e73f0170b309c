// The oracle against what is known without it: hand-checked Jacobians, differentiation by a complex step, conservation,
// exact dispersion, order in space and time, symmetry, and the published histories of this formulation.
#include "speedwell/apps/blast_wave/verify/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "tests/apps/blast_wave/block_system.hpp"
#include "tests/apps/blast_wave/physics_checks.hpp"

namespace speedwell::blast_wave {
namespace {

using reference::Block;
using reference::Mesh;
using reference::Point;
constexpr double tau = 2 * std::numbers::pi;

Point random_point(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const double rho = 1.2 + unit(random), u[] = {unit(random), unit(random), unit(random)};
  const double pressure = 1.1 + unit(random);
  return {rho, rho * u[0], rho * u[1], rho * u[2],
          pressure / 0.4 + 0.5 * rho * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2])};
}

TEST(BlastWaveReference, FluxesAndJacobiansAreThoseComputedByHand) {
  const Point q = {1.3, 0.4, -0.7, 0.25, 3.1};
  const Gas gas;
  const double fx[] = {0.4, 1.253461538461538, -0.2153846153846154, 0.07692307692307693, 1.301656804733728};
  const double ax[5][5] = {
      {0, 1, 0, 0, 0},
      {-0.0103550295857989, 0.492307692307692, 0.215384615384615, -0.0769230769230769, 0.4},
      {0.165680473372781, -0.538461538461538, 0.307692307692308, 0, 0},
      {-0.0591715976331361, 0.192307692307692, 0, 0.307692307692308, 0},
      {-0.975329995448339, 3.21627218934911, 0.0662721893491124, -0.0236686390532544, 0.430769230769231}};
  const double ay4[] = {1.70682749203459, 0.0662721893491124, 3.13816568047337, 0.0414201183431952, -0.753846153846154};
  const double az4[] = {-0.609581247155212, -0.0236686390532544, 0.0414201183431952, 3.23934911242603,
                        0.269230769230769};
  const double gx[] = {0, 0.4102564102564102, -0.5384615384615383, 0.1923076923076923, 4.45344345825115};
  const double gx4[] = {-3.28471906134628, -0.144641683103222, 0.391190006574622, -0.139710716633794, 1.4957264957265};
  const Block a = reference::flux_jacobian(gas, q, 0), ay = reference::flux_jacobian(gas, q, 1),
              az = reference::flux_jacobian(gas, q, 2), g = reference::diffused_jacobian(gas, q, 0);
  const Point f = reference::flux(gas, q, 0), d = reference::diffused(gas, q, 0);
  for (std::size_t c = 0; c < 5; ++c) {
    EXPECT_NEAR(f[c], fx[c], 1e-13);
    EXPECT_NEAR(d[c], gx[c], 1e-13);
    for (std::size_t m = 0; m < 5; ++m) EXPECT_NEAR(a[c][m], ax[c][m], 1e-13) << c << m;
    EXPECT_NEAR(ay[4][c], ay4[c], 1e-13);
    EXPECT_NEAR(az[4][c], az4[c], 1e-13);
    EXPECT_NEAR(g[4][c], gx4[c], 1e-13);
  }
  const double fy[] = {-0.7, -0.2153846153846154, 1.507307692307692, -0.1346153846153846, -2.277899408284023},
               fz[] = {0.25, 0.07692307692307693, -0.1346153846153846, 1.178461538461538, 0.8135355029585798};
  const double g_rows[3][5] = {{-0.315581854043392, 1.02564102564103, 0, 0, 0},
                               {0.414201183431953, 0, 0.769230769230769, 0, 0},
                               {-0.14792899408284, 0, 0, 0.769230769230769, 0}};
  for (std::size_t c = 0; c < 5; ++c) {
    EXPECT_NEAR(reference::flux(gas, q, 1)[c], fy[c], 1e-13);
    EXPECT_NEAR(reference::flux(gas, q, 2)[c], fz[c], 1e-13);
    for (std::size_t m = 0; m < 3; ++m) EXPECT_NEAR(g[m + 1][c], g_rows[m][c], 1e-13);
  }
}

TEST(BlastWaveReference, JacobiansAreDerivativesByAComplexStepAndTheFluxIsHomogeneous) {
  std::mt19937_64 random(5);
  const Gas gas;
  const double h = 1e-40;  // no difference is taken: nothing cancels
  for (int sample = 0; sample < 1000; ++sample) {
    const Point q = random_point(random);
    for (int d = 0; d < 3; ++d) {
      const Block a = reference::flux_jacobian(gas, q, d), g = reference::diffused_jacobian(gas, q, d);
      const Point f = reference::flux(gas, q, d);
      for (std::size_t column = 0; column < 5; ++column) {
        reference::Five<std::complex<double>> z;
        for (std::size_t c = 0; c < 5; ++c) z[c] = {q[c], c == column ? h : 0};
        const auto df = reference::flux(gas, z, d), dg = reference::diffused(gas, z, d);
        for (std::size_t row = 0; row < 5; ++row) {
          EXPECT_NEAR(a[row][column], df[row].imag() / h, 1e-12 * (1 + std::abs(a[row][column])));
          EXPECT_NEAR(g[row][column], dg[row].imag() / h, 1e-12 * (1 + std::abs(g[row][column])));
        }
      }
      for (std::size_t row = 0; row < 5; ++row) {
        double product = 0;
        for (std::size_t column = 0; column < 5; ++column) product += a[row][column] * q[column];
        EXPECT_NEAR(product, f[row], 1e-12 * (1 + std::abs(f[row])));
      }
    }
  }
}

// Without dissipation, and with viscosity where fields vary along one axis alone (cross terms are not linearised), the
// blocks are the derivative of the right-hand side.
TEST(BlastWaveReference, BlocksAreTheDerivativeOfTheRightHandSide) {
  std::mt19937_64 random(9);
  for (int axis = -1; axis < 3; ++axis) {
    Problem problem{.extents = {6, 7, 5}, .kappa2 = 0, .kappa4 = 0};
    problem.gas.viscous = axis >= 0;
    problem.gas.reynolds = 10;
    const Extents& e = problem.extents;
    Mesh q(static_cast<std::size_t>(e.points())), delta = q;
    Mesh line_q, line_delta;
    for (int m = 0; m < 210; ++m) {
      line_q.push_back(random_point(random));
      line_delta.push_back(random_point(random));
    }
    for (std::size_t p = 0; p < q.size(); ++p) {
      const auto at = static_cast<std::int64_t>(p);
      const std::int64_t along[] = {at % e.nx, at / e.nx % e.ny, at / e.nx / e.ny};
      const std::size_t line = axis < 0 ? p : static_cast<std::size_t>(along[axis]);
      q[p] = line_q[line];
      delta[p] = line_delta[line];
    }
    const double h = 1e-6, dt = 0.37;
    Mesh up = q, down = q;
    for (std::size_t p = 0; p < q.size(); ++p)
      for (std::size_t c = 0; c < 5; ++c) {
        up[p][c] += h * delta[p][c];
        down[p][c] -= h * delta[p][c];
      }
    const Mesh high = reference::right_hand_side(problem, up), low = reference::right_hand_side(problem, down);
    const Mesh product = reference::multiply(e, reference::blocks(problem, q, dt), delta);
    double worst = 0, scale = 0;
    for (std::size_t p = 0; p < q.size(); ++p)
      for (std::size_t c = 0; c < 5; ++c) {
        const double derivative = (high[p][c] - low[p][c]) / (2 * h);
        worst = std::max(worst, std::abs((product[p][c] - delta[p][c]) / dt - derivative));
        scale = std::max(scale, std::abs(derivative));
      }
    EXPECT_LE(worst, 1e-7 * scale) << "axis " << axis;
  }
}

TEST(BlastWaveReference, BicgstabFindsTheSolutionOfEliminationAndTheIdentityTakesOneIteration) {
  const Extents e{5, 4, 6};
  const Blocks7 random_system = random_blocks(e, 5);
  const auto n = static_cast<std::size_t>(e.points());
  reference::Blocks a(n), identity(n);
  Mesh b(n);
  std::vector<double> side;
  double squares = 0;
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t c = 0; c < 5; ++c) {
      side.push_back(b[p][c] = std::cos(static_cast<double>(3 * p + c)));
      squares += b[p][c] * b[p][c];
      identity[p][0][c][c] = 1;
      for (std::size_t block = 0; block < 7; ++block)
        for (std::size_t m = 0; m < 5; ++m)
          a[p][block][c][m] = random_system.entry(static_cast<std::int64_t>(p), static_cast<Neighbour>(block),
                                                  static_cast<int>(c), static_cast<int>(m));
    }
  const auto one = reference::bicgstab(e, identity, b, 1e-20, 10);
  EXPECT_EQ(one.iterations, 1);
  EXPECT_EQ(one.x, b);
  const auto solved = reference::bicgstab(e, a, b, 1e-20, 500);
  ASSERT_EQ(solved.stop_reason, StopReason::done);
  const std::vector<double> exact = dense_solution(random_system, side);
  const Mesh ax = reference::multiply(e, a, solved.x);
  double rest = 0;
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t c = 0; c < 5; ++c) {
      EXPECT_NEAR(solved.x[p][c], exact[5 * p + c], 1e-11);
      rest += std::pow(b[p][c] - ax[p][c], 2);
    }
  EXPECT_NEAR(std::sqrt(rest), std::sqrt(solved.residual), 1e-13 * std::sqrt(squares));
}

TEST(BlastWaveReference, TakesThePublishedStepsIterationsAndNormsAndEntropyRisesAtEachAsPublished) {
  struct {
    Extents extents;
    int steps;
    double dt, time, change;
    int iterations;
  } const anchors[] = {{{17, 17, 16}, 10, 0.03098386704229434, 0.28271333702811, 7.9928932086488, 163},
                       {{33, 33, 32}, 20, 0.01580809530915575, 0.28928886465529, 15.902206356064, 360}};
  const struct {
    int step;
    double entropy, kinetic;
  } known[] = {
      {1, -0.3474368911, 0}, {2, -0.3464519809, 0}, {10, -0.3419788595, 0.030663133}, {20, -0.3375831706, 0.01414133}};
  for (const auto& a : anchors) {
    const Problem problem{.extents = a.extents, .max_squared_residual = 1e-16, .steps = 1};
    State s = blast(problem);
    const Totals before = totals(problem.gas, s);
    History h;
    double entropy = before.entropy;
    for (int step = 1; step <= a.steps; ++step) {
      const History one = reference::advance(problem, s);
      ASSERT_EQ(one.stop_reason, StopReason::done);
      h.steps.push_back(one.steps.front());
      const Totals now = totals(problem.gas, s);
      EXPECT_GT(now.entropy, entropy);
      entropy = now.entropy;
      for (const auto& k : known)
        if (a.extents.nx == 33 && k.step == step) {
          EXPECT_NEAR(now.entropy, k.entropy, 1e-9);
          if (k.kinetic > 0) {
            EXPECT_NEAR(now.kinetic, k.kinetic, 1e-8);
          }
        }
    }
    EXPECT_NEAR(h.steps.front().dt / a.dt, 1, 1e-14);
    for (const StepRecord& r : h.steps) EXPECT_NEAR(r.true_residual / r.residual, 1, 1e-3);
    EXPECT_NEAR(s.time / a.time, 1, 1e-8);
    EXPECT_NEAR(h.steps.back().change / a.change, 1, 1e-8);
    EXPECT_NEAR(static_cast<double>(h.iterations()), a.iterations, 0.015 * a.iterations);
    const Totals after = totals(problem.gas, s);
    EXPECT_NEAR(after.mass / before.mass, 1, 1e-11);
    EXPECT_NEAR(after.energy / before.energy, 1, 1e-11);
    for (const double m : after.momentum) EXPECT_NEAR(m, 0, 1e-12);
  }
}

TEST(BlastWaveReference, AUniformFlowStays) {
  Problem problem{.extents = {5, 7, 6}, .steps = 3};
  State s = state_of(problem.extents, [](double, double, double) { return Point{1.1, 0.5, -0.3, 0.4, 0.9}; });
  const std::vector<double> begun = s.q;
  const History h = reference::advance(problem, s);
  EXPECT_EQ(h.stop_reason, StopReason::done);
  EXPECT_EQ(h.iterations(), 0);
  EXPECT_EQ(s.q, begun);
}

// A right-going wave of small amplitude: central differences and one-parameter time stepping give its phase and damping
// exactly, with a = dt sin(2 pi dx) / dx.
TEST(BlastWaveReference, SoundHasTheExactDiscreteDispersion) {
  const double amplitude = 1e-5;
  for (const double theta : {0.5, 1.0}) {
    Problem problem{.extents = {32, 5, 5},
                    .kappa2 = 0,
                    .kappa4 = 0,
                    .dt = 0.02,
                    .theta = theta,
                    .max_squared_residual = 1e-30,
                    .steps = 20};
    problem.gas.viscous = false;
    State s = state_of(problem.extents, [&](double x, double, double) {
      const double e = amplitude * std::cos(tau * x);
      return Point{1 + e, e, 0, 0, (1 + 1.4 * e) / 1.4};
    });
    ASSERT_EQ(reference::advance(problem, s).stop_reason, StopReason::done);
    std::complex<double> mode = 0;
    for (std::size_t i = 0; i < 32; ++i)
      mode += s.q[i] * std::exp(std::complex<double>(0, -tau * static_cast<double>(i) / 32)) / 16.0;
    const double phase = theta == 0.5 ? 2.4939195748 : 2.4842997157, factor = theta == 0.5 ? 1 : 0.85667895748;
    // Waves of this amplitude steepen by its square: a relative 1e-5 of the wave, less in its first harmonic.
    EXPECT_NEAR(-std::arg(mode), phase, 1e-7) << theta;
    EXPECT_NEAR(std::abs(mode) / amplitude, factor, 1e-7) << theta;
  }
}

TEST(BlastWaveReference, ADensityWaveConvergesAtSecondOrder) {
  const double published[2][2] = {{2.304480e-2, 6.020025e-3}, {2.775410e-2, 7.628388e-3}};
  for (const int dissipated : {0, 1})
    for (const int level : {0, 1}) {
      const double error = error_of_density_wave(8 << level, dissipated != 0, reference::advance);
      EXPECT_NEAR(error / published[dissipated][level], 1, 1e-5);
    }
}

TEST(BlastWaveReference, AShearWaveDecaysByItsViscosity) {
  for (int d = 0; d < 3; ++d) {
    Extents e{5, 5, 5};
    (d == 0 ? e.nx : d == 1 ? e.ny : e.nz) = 32;
    Problem problem{
        .extents = e, .kappa2 = 0, .kappa4 = 0, .dt = 0.01, .theta = 0.5, .max_squared_residual = 1e-28, .steps = 100};
    problem.gas.reynolds = 100;
    const auto moving = static_cast<std::size_t>((d + 1) % 3) + 1;
    State s = state_of(e, [&](double x, double y, double z) {
      Point w = {1, 0, 0, 0, 1 / 1.4};
      w[moving] = 1e-5 * std::sin(tau * (d == 0 ? x : d == 1 ? y : z));
      return w;
    });
    const auto peak = [&] {
      double largest = 0;
      const auto n = static_cast<std::size_t>(e.points());
      for (std::size_t p = 0; p < n; ++p) largest = std::max(largest, s.q[moving * n + p]);
      return largest;
    };
    const double begun = peak();
    ASSERT_EQ(reference::advance(problem, s).stop_reason, StopReason::done);
    EXPECT_NEAR(peak() / begun, 0.674680, 3e-6) << d;
  }
}

TEST(BlastWaveReference, TheBlastKeepsItsSymmetry) {
  const Problem problem{.extents = {16, 16, 16}, .max_squared_residual = 1e-20, .steps = 5};
  State s = blast(problem);
  reference::advance(problem, s);
  const auto at = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return s.q[static_cast<std::size_t>((i + 16) % 16 + 16 * ((j + 16) % 16 + 16 * ((k + 16) % 16)))];
  };
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j)
      for (int k = 0; k < 16; ++k) {
        EXPECT_NEAR(at(i, j, k), at(j, i, k), 1e-8);
        EXPECT_NEAR(at(i, j, k), at(k, j, i), 1e-8);
        EXPECT_NEAR(at(i, j, k), at(-i, j, -k), 1e-8);
      }
}

TEST(BlastWaveReference, FailuresAreReportedWithTheirPlace) {
  Problem problem{.extents = {9, 8, 7}, .max_iterations = 2, .steps = 3};
  State s = blast(problem);
  const History used = reference::advance(problem, s);
  EXPECT_EQ(used.stop_reason, StopReason::iteration_limit);
  EXPECT_EQ(s.step, 0);
  EXPECT_NE(failure(problem, used).find("step 1"), std::string::npos);
  problem = {.extents = {17, 17, 16}, .blast = {.pressure = 4000, .density = 0.05, .width = 0.001}, .cfl = 20};
  s = blast(problem);
  const History broken = reference::advance(problem, s);
  EXPECT_NE(broken.stop_reason, StopReason::done);
  if (broken.point >= 0) {
    EXPECT_NE(failure(problem, broken).find("): density "), std::string::npos) << failure(problem, broken);
    EXPECT_FALSE(broken.density > 0 && broken.pressure > 0);
  }
}

TEST(BlastWaveProblem, RefusesWhatCannotBe) {
  const auto refused = [](auto change) {
    Problem p;
    change(p);
    EXPECT_THROW(require_valid(p), std::invalid_argument);
  };
  refused([](Problem& p) { p.extents.nx = 4; });
  refused([](Problem& p) { p.extents = {4096, 4096, 4096}; });
  refused([](Problem& p) { p.steps = 0; });
  refused([](Problem& p) { p.cfl = 0; });
  refused([](Problem& p) { p.cfl = 20.5; });
  refused([](Problem& p) { p.max_squared_residual = 0; });
  refused([](Problem& p) { p.gas.reynolds = 0; });
  refused([](Problem& p) { p.gas.prandtl = -1; });
  refused([](Problem& p) { p.gas.gamma = 1; });
  refused([](Problem& p) { p.blast.pressure = 0; });
  refused([](Problem& p) { p.blast.density = -3; });
  refused([](Problem& p) { p.blast.width = 0; });
  refused([](Problem& p) { p.blast.radius = 0.6; });
  refused([](Problem& p) { p.theta = 0.4; });
  refused([](Problem& p) { p.kappa4 = -1; });
  Problem p;
  State s = blast(p);
  s.q[77] = -1;
  EXPECT_THROW(require_admissible(p, s), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::blast_wave
