// The oracle against physics: decay of shear, flow between walls, growth of a mixture's waves, interfaces, drops,
// layers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "speedwell/apps/binary_fluid/binary_fluid.hpp"
#include "speedwell/apps/binary_fluid/verify/reference.hpp"

namespace speedwell::binary_fluid {
namespace {

constexpr double pi = std::numbers::pi;

double velocity(const Problem& p, const State& s, std::int64_t site, std::size_t d) {
  return fields(p, s).velocity[3 * static_cast<std::size_t>(site) + d];
}

/// Takes the steps of `p`, which would take the oracle long.
void advance_on_cores(const Problem& p, State& s, int threads = 1) {
  CpuSolver solver(p, Precision::f64, threads);
  solver.set(s);
  solver.run(p.steps);
  solver.get(s);
}

// u = sin kz along x decays as exp(-nu k^2 t): what it is off by falls with k^2.
TEST(BinaryFluidPhysics, ShearDecaysWithTheViscosity) {
  double before = 0;
  for (const std::int64_t n : {16, 32, 64}) {
    Problem p{.extents = {1, 1, n}};
    p.fluid.viscosity = 1.0 / 12;
    State s = initial(p, {.kind = Beginning::Kind::rest});
    for (std::int64_t k = 0; k < n; ++k) {
      constexpr int moving[] = {2, 3, 4, 14 + 1, 16, 17, 1, 5, 14, 18};  // those with a component along x
      const double u = 0.001 * std::sin(2 * pi * static_cast<double>(k) / static_cast<double>(n));
      constexpr double weights[] = {1, 2, 1, 1, 2, 1, 1, 1, 1, 1}, sign[] = {1, 1, 1, -1, -1, -1, 1, 1, -1, -1};
      for (std::size_t q = 0; q < 10; ++q)
        s.f[static_cast<std::size_t>(moving[q] * n + k)] = weights[q] / 36 * 3 * u * sign[q];
    }
    const auto amplitude = [&] {
      double sum = 0;
      for (std::int64_t k = 0; k < n; ++k)
        sum += velocity(p, s, k, 0) * std::sin(2 * pi * static_cast<double>(k) / static_cast<double>(n));
      return sum;
    };
    p.steps = static_cast<int>(n * n / 8);
    reference::advance(p, s);  // other modes decay
    const double start = amplitude();
    reference::advance(p, s);
    const double k2 = std::pow(2 * pi / static_cast<double>(n), 2);
    const double off = std::log(start / amplitude()) / (k2 * p.steps) / p.fluid.viscosity - 1;
    EXPECT_NEAR(off, 3.2e-3 * 256 / static_cast<double>(n * n), 0.1e-3 * 256 / static_cast<double>(n * n));
    if (before > 0) {
      EXPECT_NEAR(before / off, 4, 0.1);
    }
    before = off;
  }
}

double poiseuille_error(double viscosity, std::int64_t h, Collision collision) {
  Problem p{.extents = {1, 1, h}};
  p.axes[2].walls = true;
  p.fluid.viscosity = viscosity;
  p.scheme.collision = collision;
  p.fluid.force = {1e-6, 0, 0};
  State s = initial(p, {.kind = Beginning::Kind::rest});
  p.steps = static_cast<int>(5 * static_cast<double>(h * h) / viscosity);
  reference::advance(p, s);
  const auto height = static_cast<double>(h);
  double worst = 0;
  for (std::int64_t k = 0; k < h; ++k) {
    const double z = static_cast<double>(k) + 0.5;
    worst = std::max(worst, std::abs(velocity(p, s, k, 0) - 1e-6 / (2 * viscosity) * z * (height - z)));
  }
  return worst / (1e-6 / (8 * viscosity) * height * height);
}

// Ten moments put the wall where Lambda = 3 eta / 2 does; eta = 1/8 is exact, and two relaxation times always.
TEST(BinaryFluidPhysics, PoiseuilleFlowIsOffByTheKnownAmountBetweenWalls) {
  for (const std::int64_t h : {8, 16})
    for (const double eta : {1.0 / 6, 1.0 / 12, 0.5})
      EXPECT_NEAR(poiseuille_error(eta, h, Collision::m10),
                  std::abs(16 * 1.5 * eta - 3) / (3 * static_cast<double>(h * h)), 2e-8);
  EXPECT_LT(poiseuille_error(0.125, 8, Collision::m10), 1e-9);
  EXPECT_LT(poiseuille_error(0.5, 8, Collision::trt), 1e-9);
  EXPECT_GT(poiseuille_error(0.5, 8, Collision::bgk), 1e-2);
}

// Walls that move carry the fluid with them: u = U z / H between one at rest and one with U.
TEST(BinaryFluidPhysics, MovingWallsMakeAStraightProfile) {
  Problem p{.extents = {1, 1, 8}, .steps = 4000};
  p.axes[2].walls = true;
  p.axes[2].velocity[1] = {0.01, -0.02, 0};
  State s = initial(p, {.kind = Beginning::Kind::rest});
  reference::advance(p, s);
  for (std::int64_t k = 0; k < 8; ++k) {
    EXPECT_NEAR(velocity(p, s, k, 0), 0.01 * (static_cast<double>(k) + 0.5) / 8, 1e-9);
    EXPECT_NEAR(velocity(p, s, k, 1), -0.02 * (static_cast<double>(k) + 0.5) / 8, 1e-9);
  }
}

// About phi = 0 a wave grows at the rate -M k^2 (a + kappa k^2). The ratios are those of an independent program.
TEST(BinaryFluidPhysics, WavesOfAMixtureGrowAtTheLinearRate) {
  for (const auto& [n, known] : {std::pair{std::int64_t{32}, 0.9974}, std::pair{std::int64_t{64}, 0.9993}}) {
    Problem p{.extents = {1, 1, n}, .steps = 400};
    p.scheme.stencil = Stencil::seven;
    p.fluid.viscosity = 0.1;
    const double k2 = std::pow(2 * pi / static_cast<double>(n), 2);
    State s = initial(p, {.kind = Beginning::Kind::wave, .noise = 1e-6});
    reference::advance(p, s);
    const double start = statistics(p, s).phi_max;
    reference::advance(p, s);
    const double rate = std::log(statistics(p, s).phi_max / start) / p.steps;
    EXPECT_NEAR(rate / (-p.fluid.mobility * k2 * (p.fluid.energy.a + p.fluid.energy.kappa * k2)), known, 3e-4);
  }
}

/// phi of every site, times its sign in `wave`, added up: the amplitude of that wave.
double amplitude_of(const State& s, const std::vector<double>& wave) {
  const auto phi = reference::order_parameter(s);
  double sum = 0;
  for (std::size_t site = 0; site < wave.size(); ++site) sum += phi[site] * wave[site];
  return sum;
}

// With one well (a > 0) mu = (a + kappa k^2) phi for small phi, and a wave decays at the rate r = M k^2 m, where
// m = a + kappa k^2: M means the same in both schemes. The schemes' own rates along an axis, with e = 1 - cos k and
// m' = a + 2 kappa e, are those of the roots of z^2 - (1 + q - e (m' + q)) z + q (1 - e (1 - m')) in `relaxed`, where
// q = 1 - 1/tau, and of z = 1 - 2 M e m' in `projected`. They differ from r by a fraction of at most k^2 / 12 for each
// of the two second differences, r / 2 of the logarithm, and in `relaxed` tau (r + k^2 / 2 (m + |q|)) of the flux,
// which lags; terms of second order in these are below a tenth of them.
TEST(BinaryFluidPhysics, WavesDecayWithTheMobilityInBothSchemes) {
  for (const OrderParameter scheme : {OrderParameter::relaxed, OrderParameter::projected})
    for (const Stencil stencil : {Stencil::seven, Stencil::twenty_seven})
      for (const std::int64_t n : {24, 48})
        for (const double mobility : {0.05, 0.45, 1.5}) {
          Problem p{.extents = {1, 1, n}, .steps = 200};
          p.scheme = {.order_parameter = scheme, .stencil = stencil};
          p.fluid.mobility = mobility;
          p.fluid.energy.a = 0.0625;
          const double k = 2 * pi / static_cast<double>(n), m = p.fluid.energy.a + p.fluid.energy.kappa * k * k;
          std::vector<double> wave;
          for (std::int64_t z = 0; z < n; ++z) wave.push_back(std::cos(k * static_cast<double>(z)));
          // b phi^2 is below 1e-13 of a.
          State s = initial(p, {.kind = Beginning::Kind::wave, .noise = 1e-7});
          reference::advance(p, s);  // the flux of phi, which is zero at first, adjusts
          const double start = amplitude_of(s, wave);
          reference::advance(p, s);
          const double rate = std::log(start / amplitude_of(s, wave)) / p.steps, expected = mobility * m * k * k;

          const double e = 1 - std::cos(k), of_lattice = p.fluid.energy.a + 2 * p.fluid.energy.kappa * e;
          const bool relaxed = scheme == OrderParameter::relaxed;
          const double tau = 0.5 + mobility, q = 1 - 1 / tau;
          const double half_trace = (1 + q - e * (of_lattice + q)) / 2, determinant = q * (1 - e * (1 - of_lattice));
          const double root = relaxed ? half_trace + std::sqrt(half_trace * half_trace - determinant)
                                      : 1 - 2 * mobility * e * of_lattice;
          // Rounding of phi, 1e-16 of it per step at worst, is 1e-12 of the smallest rate, 1e-4.
          EXPECT_NEAR(rate / -std::log(root), 1, 1e-9) << relaxed << " " << n << " " << mobility;
          const double off =
              k * k / 6 + expected / 2 + (relaxed ? tau * (expected + k * k / 2 * (m + std::abs(q))) : 0);
          EXPECT_NEAR(rate / expected, 1, 1.1 * off) << relaxed << " " << n << " " << mobility;
        }
}

// At M = 1/2 the flux relaxes in one step, and the schemes are the same but for rounding: 20 roundings per step of the
// largest numbers, weights of 1/3 and phi of 1/4, here and there.
TEST(BinaryFluidPhysics, BothSchemesAreOneAtAMobilityOfOneHalf) {
  Problem p{.extents = {8, 7, 6}, .steps = 20};
  p.fluid.mobility = 0.5;
  p.fluid.force = {1e-3, -2e-3, 5e-4};
  State relaxed = initial(p, {.phi0 = 0.1, .noise = 0.3, .stirring = 0.02}), projected = relaxed;
  reference::advance(p, relaxed);
  p.scheme.order_parameter = OrderParameter::projected;
  reference::advance(p, projected);
  for (std::size_t at = 0; at < relaxed.g.size(); ++at) {
    ASSERT_NEAR(relaxed.f[at], projected.f[at], 40 * 20 * 0x1p-53 / 3) << at;
    ASSERT_NEAR(relaxed.g[at], projected.g[at], 40 * 20 * 0x1p-53 / 3) << at;
  }
}

// Waves that alternate from site to site along one or two axes are multiplied by 1 - 2 x, about phi = 0 and about a
// phase, for either scheme, stencil and free energy: they decay up to x = 1, where warnings() begins.
TEST(BinaryFluidPhysics, ShortestWavesGrowAboveTheStabilityLimit) {
  const FreeEnergy one_well{.a = 0.0625, .b = 0.0625, .kappa = 0.04}, phases{};
  const FreeEnergy layers{.kind = FreeEnergy::Kind::brazovskii, .a = -5e-4, .b = 5e-4, .kappa = -6e-4, .c = 7.6e-4};
  for (const FreeEnergy& energy : {one_well, phases, layers})
    for (const OrderParameter scheme : {OrderParameter::relaxed, OrderParameter::projected})
      for (const Stencil stencil : {Stencil::seven, Stencil::twenty_seven})
        for (const std::int64_t ny : {1, 6})
          for (const double wanted : {0.98, 1.02}) {
            Problem p{.extents = {1, ny, 4}, .steps = 10};
            p.fluid.energy = energy;
            p.scheme = {.order_parameter = scheme, .stencil = stencil};
            if (scheme == OrderParameter::projected) {
              p.fluid.mobility *= wanted / stability_number(p);
            } else {
              FreeEnergy& e = p.fluid.energy;  // x is linear in the coefficients
              const double scale = wanted / stability_number(p);
              e.a *= scale, e.b *= scale, e.kappa *= scale, e.c *= scale;
            }
            ASSERT_NEAR(stability_number(p), wanted, 1e-12);
            const std::vector<std::string> texts = warnings(p);
            EXPECT_EQ(std::any_of(texts.begin(), texts.end(),
                                  [](const std::string& text) { return text.find("period of two") != text.npos; }),
                      wanted > 1);
            const bool symmetric = energy.kind == FreeEnergy::Kind::symmetric;
            const double mean = symmetric && energy.a < 0 ? bulk_phi(energy) : 0;
            State s = initial(p, {.kind = Beginning::Kind::rest, .phi0 = mean});
            // With 27 points and Brazovskii's energy or not, waves along z alone are the stiffest; with 7, along both.
            const bool both = ny > 1 && stencil == Stencil::seven;
            std::vector<double> wave;
            for (std::int64_t z = 0; z < 4; ++z)
              for (std::int64_t y = 0; y < ny; ++y) {
                wave.push_back((z + (both ? y : 0)) % 2 == 0 ? 1 : -1);
                s.g[wave.size() - 1] += 1e-7 * wave.back();
              }
            const double start = amplitude_of(s, wave);
            reference::advance(p, s);
            // The cubic term changes mu by 3 b phi 1e-7 at most, a few 1e-7 of the factor in each step.
            EXPECT_NEAR(amplitude_of(s, wave) / start, std::pow(1 - 2 * wanted, 10), 1e-5)
                << mean << " " << static_cast<int>(scheme) << " " << ny << " " << wanted;
          }
}

// A relaxed interface has the profile tanh(z / xi) and the tension of its excess of free energy; what the lattice
// changes falls with 1/xi^2. Ratios of an independent program; no flow is left.
TEST(BinaryFluidPhysics, AFlatInterfaceHasItsProfileAndTension) {
  struct {
    double a, kappa, tension, profile;
  } const sets[] = {{-0.0625, 0.04, 0.870, 7.3e-2}, {-0.03125, 0.04, 0.947, 2.3e-2}, {-0.0078125, 0.04, 0.987, 5.6e-3}};
  for (const auto& set : sets) {
    Problem p{.extents = {64, 1, 1}, .steps = 20000};
    p.fluid.energy = {.a = set.a, .b = -set.a, .kappa = set.kappa};
    p.fluid.viscosity = 1.0 / 6;
    p.scheme.stencil = Stencil::seven;
    State s = initial(p, {.kind = Beginning::Kind::flat, .axis = 0});
    advance_on_cores(p, s);
    const Statistics t = statistics(p, s);
    const double bulk = -0.25 * set.a * set.a / -set.a;  // per site, of either phase
    const double tension = (t.free_energy - bulk * 64) / 2;
    EXPECT_NEAR(tension / interface_tension(p.fluid.energy), set.tension, 0.02) << set.a;
    EXPECT_LT(t.speed_max, 1e-7);
    const std::vector<double> phi = fields(p, s).phi;
    double worst = 0;
    for (std::size_t k = 0; k < 32; ++k)
      worst = std::max(
          worst, std::abs(phi[k] - std::tanh((static_cast<double>(k) + 0.5 - 16) / interface_width(p.fluid.energy))));
    EXPECT_LT(worst, 1.3 * set.profile) << set.a;
  }
}

// In two dimensions the pressure inside a drop is sigma / R above that outside: 0.918 of it is what an independent
// program got with this set of parameters (xi = 1.6), for a drop of radius 24.
TEST(BinaryFluidPhysics, ADropHasLaplacesPressure) {
  Problem p{.extents = {48, 48, 1}, .steps = 4000};
  p.fluid.energy = {.a = -0.03125, .b = 0.03125, .kappa = 0.04};
  p.fluid.viscosity = 1.0 / 6;
  State s = initial(p, {.kind = Beginning::Kind::droplet, .radius = 14});
  advance_on_cores(p, s, 2);
  const Fields all = fields(p, s);
  double inside = 0, outside = 0, in = 0, out = 0, area = 0;
  for (int j = 0; j < 48; ++j)
    for (int i = 0; i < 48; ++i) {
      const std::size_t at = p.extents.at(i, j, 0);
      const double phi = all.phi[at], r = std::hypot(i - 23.5, j - 23.5), phi2 = phi * phi;
      const double pressure = all.density[at] / 3 - 0.03125 / 2 * phi2 + 0.75 * 0.03125 * phi2 * phi2;
      area += phi < 0;
      if (r < 14 - 6.4) inside += pressure, ++in;
      if (r > 14 + 6.4) outside += pressure, ++out;
    }
  const double radius = std::sqrt(area / pi), jump = inside / in - outside / out;
  EXPECT_NEAR(jump * radius / interface_tension(p.fluid.energy), 0.92, 0.05);
  EXPECT_LT(statistics(p, s).speed_max, 1e-2);
}

// Brazovskii's free energy makes layers of wavelength 2 pi / k0 and amplitude^2 = 4/3 (1 + kappa^2 / (4 b c)).
TEST(BinaryFluidPhysics, LayersHaveTheirAmplitude) {
  Problem p{.extents = {10, 1, 1}, .steps = 60000};
  p.fluid.energy = {.kind = FreeEnergy::Kind::brazovskii, .a = -5e-4, .b = 5e-4, .kappa = -6e-4, .c = 7.6e-4};
  p.fluid.mobility = 0.25;
  p.fluid.viscosity = 1.0 / 12;
  State s = initial(p, {.kind = Beginning::Kind::wave, .noise = 0.5, .axis = 0});
  advance_on_cores(p, s);
  EXPECT_NEAR(std::sqrt(2 * statistics(p, s).phi_variance(p.extents)), 1.28418, 0.04);  // of one mode: others add 2 %
}

}  // namespace
}  // namespace speedwell::binary_fluid
