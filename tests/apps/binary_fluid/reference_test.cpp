// The oracle against published and independently computed values: one site's collision to 15 digits, the regression
// output of Ludwig, conservation, and the identity between the pressure tensor and the chemical potential.
#include "speedwell/apps/binary_fluid/verify/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "speedwell/apps/binary_fluid/initial.hpp"
#include "speedwell/apps/binary_fluid/lattice/lattice.hpp"
#include "speedwell/apps/binary_fluid/statistics.hpp"

namespace speedwell::binary_fluid {
namespace {

// The set of Ludwig's spinodal tests.
Problem spinodal(std::int64_t n, int steps) {
  Problem p{.extents = {n, n, n}, .steps = steps};
  p.fluid.energy = {.a = -0.00625, .b = 0.00625, .kappa = 0.004};
  p.fluid.mobility = 3.75;
  p.fluid.viscosity = 0.00625;
  return p;
}

// Evaluated with 40 digits. (Of population 16 the digits in circulation have two exchanged: its sum with the others is
// the density with these.)
TEST(BinaryFluidReference, CollidesASiteAsComputedWithFortyDigits) {
  Fluid fluid{.energy = {.a = -0.0625, .b = 0.0625, .kappa = 0.04},
              .mobility = 0.45,
              .viscosity = 1.0 / 12,
              .force = {0.001, -0.002, 0.0005}};
  reference::Populations f, g;
  for (int p = 0; p < 19; ++p) {
    f[static_cast<std::size_t>(p)] = lattice::weight(p) * (1 + p / 100.0);
    g[static_cast<std::size_t>(p)] = lattice::weight(p) * (0.1 + p / 50.0);
  }
  const reference::Derivatives d{.gradient = {0.01, -0.02, 0.03}, .laplacian = 0.005};
  reference::collide(fluid, {}, d, f, g);
  constexpr double of_f[] = {0.3624650454251326,  0.02641627309577254, 0.02698846288156146, 0.05570352773262639,
                             0.02733065735503180, 0.02792423036966085, 0.02782613500509566, 0.05741818700736613,
                             0.02820764450623734, 0.05864680377852600, 0.05940606303778526, 0.02945764450623734,
                             0.06067744626662539, 0.02983539426435492, 0.02973904518447566, 0.03039547216984661,
                             0.06259241662151528, 0.03081253695563554, 0.03149034716984661};
  constexpr double of_g[] = {0.2470716173843432,    -0.001988461866813747, -0.001923854872841631, -3.978895038409349e-4,
                             -0.001883418101327564, -0.001815269823530276, -0.001824895804702132, -1.968323766729747e-4,
                             -0.001781320042299102, -5.435815150623128e-5, 3.724145007522148e-5,  -0.001635304533307187,
                             1.867982428923091e-4,  -0.001587280694128764, -0.001595620211866146, -0.001517752980671518,
                             4.250403390526104e-4,  -0.001466590150604132, -0.001385181635584332};
  for (std::size_t p = 0; p < 19; ++p) {
    EXPECT_NEAR(f[p], of_f[p], 2e-16) << p;
    EXPECT_NEAR(g[p], of_g[p], 2e-16) << p;
  }
}

// Appendix D of the dissertation: g of a site after a collision, to the digits that its order of magnitude tells.
TEST(BinaryFluidReference, LeavesMostOfPhiAtRest) {
  Fluid fluid;
  reference::Populations f, g{};
  for (int p = 0; p < 19; ++p) f[static_cast<std::size_t>(p)] = lattice::weight(p);
  g[0] = 0.01504;
  reference::collide(fluid, {}, {.laplacian = -0.03226}, f, g);
  const double mu = reference::chemical_potential(fluid.energy, 0.01504, {.laplacian = -0.03226});
  EXPECT_NEAR(mu, 3.505e-4, 2e-7);
  EXPECT_NEAR(g[0], 1.451e-2, 1e-5);
  EXPECT_NEAR(g[1], mu / 8, 1e-18);
  EXPECT_NEAR(g[1], 4.38e-5, 1e-7);
  EXPECT_NEAR(g[3], 0, 1e-18);
}

// tests/regression/d3q19-short/serial-spin-lb1 of ludwig-cf/ludwig.
TEST(BinaryFluidReference, MeetsThePublishedRegressionOfLudwig) {
  const Problem p = spinodal(64, 10);
  const auto sites = static_cast<double>(p.extents.sites());
  State s = initial(p, {});
  const Statistics start = statistics(p, s);
  EXPECT_NEAR(start.phi, 3.1484764, 5e-8);
  EXPECT_NEAR(start.phi_variance(p.extents), 8.3289934e-4, 5e-12);
  EXPECT_NEAR(start.phi_min, -4.9999916e-2, 5e-10);
  EXPECT_NEAR(start.phi_max, 4.9999705e-2, 5e-10);
  reference::advance(p, s);
  const Statistics after = statistics(p, s);
  EXPECT_NEAR(start.free_energy / sites, -2.3227909424e-6, 5e-13);
  EXPECT_NEAR(after.phi, 3.1484764, 5e-8);
  EXPECT_NEAR(after.phi_variance(p.extents), 6.9606559e-4, 5e-12);
  EXPECT_NEAR(after.phi_min, -4.9172300e-2, 5e-10);
  EXPECT_NEAR(after.phi_max, 4.9198035e-2, 5e-10);
  EXPECT_NEAR(after.rho_min, 0.99993867629, 5e-12);
  EXPECT_NEAR(after.rho_max, 1.00004070448, 5e-12);
  for (const double momentum : after.momentum) EXPECT_LT(std::abs(momentum), 1e-12);
}

TEST(BinaryFluidReference, HasTheVarianceOfAnIndependentProgramWithEitherStencil) {
  for (const bool seven : {false, true}) {
    Problem p = spinodal(32, 40);
    p.scheme.stencil = seven ? Stencil::seven : Stencil::twenty_seven;
    State s = initial(p, {});
    EXPECT_NEAR(statistics(p, s).phi, -5.9892076, 5e-8);
    reference::advance(p, s);
    const Statistics after = statistics(p, s);
    EXPECT_NEAR(after.phi_variance(p.extents), seven ? 1.6109557e-4 : 4.2730211e-4, 5e-12);
    EXPECT_NEAR(after.phi_min, seven ? -4.1111106e-2 : -4.8372531e-2, 5e-10);
    EXPECT_NEAR(after.phi_max, seven ? 3.7271124e-2 : 4.6738512e-2, 5e-10);
  }
}

TEST(BinaryFluidReference, ConservesMassAndPhiAndGivesTheForceToMomentum) {
  for (const Collision collision : {Collision::m10, Collision::trt, Collision::bgk}) {
    Problem p{.extents = {5, 7, 6}, .steps = 200};
    p.scheme.collision = collision;
    p.fluid.force = {1e-5, -2e-5, 3e-5};
    State s = initial(p, {.phi0 = 0.1, .stirring = 0.01});
    const Statistics start = statistics(p, s);
    reference::advance(p, s);
    const Statistics after = statistics(p, s);
    // 19 populations of a site are rounded at 1/3 and below, a few units in all, every time the same way at worst.
    const double rounded = 1e-15 * 200 * 210;
    EXPECT_NEAR(after.mass, start.mass, rounded);
    EXPECT_NEAR(after.phi, start.phi, rounded);
    for (std::size_t d = 0; d < 3; ++d)
      EXPECT_NEAR(after.momentum[d], start.momentum[d] + p.fluid.force[d] * 200 * 210, rounded);
  }
}

TEST(BinaryFluidReference, WallsKeepMassAndPhi) {
  for (std::size_t d = 0; d < 3; ++d) {
    Problem p{.extents = {5, 4, 6}, .steps = 100};
    p.axes[d].walls = p.axes[(d + 1) % 3].walls = true;
    p.axes[d].velocity[1][(d + 1) % 3] = 0.02;
    State s = initial(p, {.stirring = 0.01});
    const Statistics start = statistics(p, s);
    reference::advance(p, s);
    EXPECT_NEAR(statistics(p, s).mass, start.mass, 1e-15 * 100 * 120);
    EXPECT_NEAR(statistics(p, s).phi, start.phi, 1e-15 * 100 * 120);
  }
}

// d_b P_ab = phi d_a mu, for fields whose derivatives are known: phi = 0.3 sin(x + 2 y) + 0.1 cos(z - x), the outer
// derivative by central differences of a small step.
TEST(BinaryFluidReference, PressureAndChemicalPotentialBelongTogether) {
  const auto at = [](const std::array<double, 3>& r, reference::Derivatives& d) {
    const double a = r[0] + 2 * r[1], b = r[2] - r[0];
    const double s = 0.3 * std::sin(a), sc = 0.3 * std::cos(a), c = 0.1 * std::cos(b), cs = 0.1 * std::sin(b);
    d.gradient = {sc + cs, 2 * sc, -cs};
    d.laplacian = -5 * s - 2 * c;
    d.gradient_of_laplacian = {-5 * sc - 2 * cs, -10 * sc, 2 * cs};
    d.laplacian_of_laplacian = 25 * s + 4 * c;
    return s + c;
  };
  for (const bool layered : {false, true}) {
    const FreeEnergy e{.kind = layered ? FreeEnergy::Kind::brazovskii : FreeEnergy::Kind::symmetric,
                       .a = -0.3,
                       .b = 0.2,
                       .kappa = layered ? -0.4 : 0.4,
                       .c = layered ? 0.15 : 0.0};
    constexpr int pair_of[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const std::array<double, 3> r = {0.3, -0.7, 1.1};
    const double h = 1e-4;
    for (std::size_t x = 0; x < 3; ++x) {
      double divergence = 0, of_mu = 0;
      for (std::size_t y = 0; y < 3; ++y)
        for (const int side : {-1, 1}) {
          std::array<double, 3> q = r;
          q[y] += side * h;
          reference::Derivatives d;
          const double phi = at(q, d);
          divergence += side * reference::pressure(e, phi, d)[static_cast<std::size_t>(pair_of[x][y])] / (2 * h);
          if (x == y) of_mu += side * reference::chemical_potential(e, phi, d) / (2 * h);
        }
      reference::Derivatives d;
      const double phi = at(r, d);
      EXPECT_NEAR(divergence, phi * of_mu, 1e-8) << layered;
    }
  }
}

}  // namespace
}  // namespace speedwell::binary_fluid
