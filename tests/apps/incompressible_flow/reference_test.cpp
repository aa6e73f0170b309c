// The oracle against exact solutions of the discrete equations, conservation laws, and orders of accuracy.
#include "speedwell/apps/incompressible_flow/verify/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "tests/apps/incompressible_flow/cases.hpp"

namespace speedwell::incompressible_flow {
namespace {

reference::Faces faces_of(const State<double>& s) {
  reference::Faces u;
  for (std::size_t c = 0; c < 3; ++c) u[c].assign(s.velocity[c].begin(), s.velocity[c].end());
  return u;
}

double weighted(const reference::Faces& volume, const reference::Faces& a, const reference::Faces& b) {
  double sum = 0;
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t n = 0; n < a[c].size(); ++n) sum += volume[c][n] * a[c][n] * b[c][n];
  return sum;
}
double weighted_size(const reference::Faces& volume, const reference::Faces& a, const reference::Faces& b) {
  double sum = 0;
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t n = 0; n < a[c].size(); ++n) sum += std::abs(volume[c][n] * a[c][n] * b[c][n]);
  return sum;
}

Problem operators_case(int which) {
  Problem p = box(7, 6, 5, 0.3, 2);
  if (which == 1) p.faces = {two_sided_faces(7, 2, 1.5), wavy_faces(6, 1, 0.4), one_sided_faces(5, 3, 1.2)};
  if (which >= 2) p.faces = {random_faces(7, 2, 1), random_faces(6, 1, 2), random_faces(5, 3, 3)};
  if (which == 3) close(p, 1);
  if (which == 4) {
    close(p, 0, Edge::slip);
    close(p, 2);
  }
  if (which >= 5) {
    add_cube(p, 2, 1, 1, 2);
    add_cube(p, 6, 5, 4, 2);  // across the edges of the box
  }
  if (which == 6) p.solid_link = SolidLink::by_area;
  return p;
}

class FlowOperators : public ::testing::TestWithParam<int> {
 protected:
  FlowOperators() : problem_(operators_case(GetParam())), state_(problem_.extents()) {
    add_noise(problem_, 11, 1, {}, state_);
    u_ = faces_of(state_);
    volume_ = reference::volumes(problem_);
    for (std::size_t n = 0; n < u_[0].size(); ++n) p_.push_back(core::random_uniform(5, n) - 0.5);
  }
  Problem problem_;
  State<double> state_;
  reference::Faces u_, volume_;
  reference::Cells p_;
};

// Rounding of sums of a few hundred terms: 1e-13 of the sum of magnitudes.
TEST_P(FlowOperators, TheNoiseHasNoDivergence) {
  for (const double d : reference::divergence(problem_, u_)) EXPECT_NEAR(d, 0, 1e-13 * 50);
}

TEST_P(FlowOperators, ConvectionKeepsEnergy) {
  const auto c = reference::convection(problem_, u_);
  EXPECT_GT(weighted_size(volume_, u_, c), 1e-3);
  EXPECT_NEAR(weighted(volume_, u_, c), 0, 1e-13 * weighted_size(volume_, u_, c));
}

TEST(FlowReference, ConvectionKeepsMomentumInPeriodicBoxes) {
  for (int which = 0; which < 3; ++which) {
    const Problem p = operators_case(which);
    State<double> s(p.extents());
    add_noise(p, 11, 1, {}, s);
    const auto c = reference::convection(p, faces_of(s)), volume = reference::volumes(p);
    for (std::size_t d = 0; d < 3; ++d) {
      double sum = 0, size = 0;
      for (std::size_t n = 0; n < c[d].size(); ++n) {
        sum += volume[d][n] * c[d][n];
        size += std::abs(volume[d][n] * c[d][n]);
      }
      EXPECT_NEAR(sum, 0, 1e-13 * size) << which;
    }
  }
}

TEST_P(FlowOperators, TheGradientIsMinusTheTransposeOfTheDivergence) {
  reference::Faces any = u_;
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t n = 0; n < any[c].size(); ++n)
      any[c][n] = volume_[c][n] > 0 ? core::random_uniform(7 + c, n) - 0.5 : 0;
  const auto g = reference::gradient(problem_, p_);
  const auto d = reference::divergence(problem_, any);
  const Extents e = problem_.extents();
  double with_divergence = 0, size = 0;
  for (int k = 0; k < e.nz; ++k)
    for (int j = 0; j < e.ny; ++j)
      for (int i = 0; i < e.nx; ++i) {
        const auto width = [&](std::size_t a, int n) {
          return problem_.faces[a][static_cast<std::size_t>(n) + 1] - problem_.faces[a][static_cast<std::size_t>(n)];
        };
        const double term = width(0, i) * width(1, j) * width(2, k) * d[e.at(i, j, k)] * p_[e.at(i, j, k)];
        with_divergence += term;
        size += std::abs(term);
      }
  EXPECT_NEAR(weighted(volume_, any, g), -with_divergence, 1e-13 * size);
  EXPECT_NEAR(weighted(volume_, u_, g), 0,
              1e-12 * weighted_size(volume_, u_, g));  // no work on a flow without divergence
}

TEST_P(FlowOperators, DiffusionIsSymmetricAndTakesEnergy) {
  reference::Faces v = u_;
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t n = 0; n < v[c].size(); ++n)
      v[c][n] = volume_[c][n] > 0 ? core::random_uniform(17 + c, n) - 0.5 : 0;
  const auto lu = reference::diffusion(problem_, u_), lv = reference::diffusion(problem_, v);
  EXPECT_NEAR(weighted(volume_, v, lu), weighted(volume_, u_, lv), 1e-13 * weighted_size(volume_, v, lu));
  EXPECT_LT(weighted(volume_, u_, lu), 0);
}

INSTANTIATE_TEST_SUITE_P(Meshes, FlowOperators, ::testing::Range(0, 7));

// The exact discrete solution: the shape is an eigenvector of diffusion, and convection of it is a gradient.
double amplitude_after(const Problem& p, const Method& m, double dt, int steps, double* shape_error = nullptr,
                       State<double>* end = nullptr) {
  State<double> s(p.extents()), first(p.extents());
  add_taylor_green_2d(p, s);
  add_taylor_green_2d(p, first);
  reference::advance(p, m, s, dt, steps);
  double with = 0, square = 0;
  for (std::size_t n = 0; n < s.pressure.size(); ++n) {
    with += s.velocity[0][n] * first.velocity[0][n];
    square += first.velocity[0][n] * first.velocity[0][n];
  }
  const double amplitude = with / square;
  double error = 0;
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t n = 0; n < s.pressure.size(); ++n)
      error = std::max(error, std::abs(s.velocity[c][n] - amplitude * first.velocity[c][n]));
  if (shape_error) *shape_error = error;
  if (end) *end = s.copy();
  return amplitude;
}

TEST(FlowReference, TaylorGreenVorticesDecayByTheirEigenvalue) {
  struct Golden {
    int n;
    double s3, w3;
  };
  for (const Golden& g :
       {Golden{16, 0.8208256379523217, 0.8208267026622527}, Golden{32, 0.8192549711378243, 0.8192560650373101}}) {
    const Problem p = box(g.n, g.n, 1, 0.1);
    double shape = 1;
    EXPECT_NEAR(amplitude_after(p, {Scheme::s3, Diffusion::trapezoidal}, 0.05, 20, &shape), g.s3, 1e-12);
    EXPECT_LT(shape, 1e-12);
    EXPECT_NEAR(amplitude_after(p, {Scheme::w3, Diffusion::trapezoidal}, 0.05, 20, &shape), g.w3, 1e-12);
    EXPECT_LT(shape, 1e-12);
  }
}

TEST(FlowReference, TaylorGreenVorticesDecayByTheStabilityPolynomialWhenDiffusionIsExplicit) {
  const int n = 16;
  const double nu = 0.1, dt = 0.05, h = turn / n, z = -nu * dt * 2 * 4 / (h * h) * std::pow(std::sin(h / 2), 2);
  const Problem p = box(n, n, 1, nu);
  EXPECT_NEAR(amplitude_after(p, {Scheme::s3}, dt, 20), std::pow(1 + z + z * z / 2 + z * z * z / 4, 20), 1e-13);
  EXPECT_NEAR(amplitude_after(p, {Scheme::w3}, dt, 20), std::pow(1 + z + z * z / 2 + z * z * z / 6, 20), 1e-13);
}

TEST(FlowReference, ThePressureOfTaylorGreenVorticesIsTheExactOne) {
  const int n = 12;
  const Problem p = box(n, n, 1, 0);
  State<double> s(p.extents());
  amplitude_after(p, {Scheme::w3}, 0.01, 3, nullptr, &s);
  const double h = turn / n;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const double x = (i + 0.5) * h, y = (j + 0.5) * h;
      const double exact = 0.25 * std::pow(std::cos(h / 2), 2) * (std::cos(2 * x) + std::cos(2 * y));
      EXPECT_NEAR(s.pressure[p.extents().at(i, j, 0)], exact, 1e-12);
    }
}

double error_on_wavy_mesh(int n, double amplitude) {
  Problem p = box(1, 1, 1, 0.05);
  p.faces[0] = p.faces[1] = wavy_faces(n, turn, amplitude);
  State<double> s(p.extents());
  add_curl(
      p, [](int c, double x, double y, double) { return c == 2 ? std::sin(x) * std::sin(y) : 0.0; }, s);
  const int steps = 2 * n / 8;
  reference::advance(p, {Scheme::w3}, s, 0.5 / steps, steps);
  State<double> exact(p.extents());
  add_velocity(
      p,
      [](int c, double x, double y, double) {
        return std::exp(-2 * 0.05 * 0.5) * (c == 0   ? std::sin(x) * std::cos(y)
                                            : c == 1 ? -std::cos(x) * std::sin(y)
                                                     : 0.0);
      },
      exact);
  const auto volume = reference::volumes(p);
  reference::Faces difference = faces_of(s);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t m = 0; m < difference[c].size(); ++m) difference[c][m] -= exact.velocity[c][m];
  return std::sqrt(weighted(volume, difference, difference));
}

TEST(FlowReference, IsOfSecondOrderInSpaceOnUniformAndOnSmoothMeshes) {
  for (const double amplitude : {0.0, 0.3}) {
    const double coarse = error_on_wavy_mesh(16, amplitude), fine = error_on_wavy_mesh(32, amplitude);
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.1) << amplitude;
  }
}

double energy(const Problem& p, const State<double>& s) {
  const auto u = faces_of(s);
  return 0.5 * weighted(reference::volumes(p), u, u);
}

TEST(FlowReference, WithoutViscosityEnergyFallsByTheThirdPowerOfTheStep) {
  const Problem p = box(8, 8, 8, 0);
  for (const Scheme scheme : {Scheme::s3, Scheme::w3}) {
    double lost[2];
    for (int fine = 0; fine < 2; ++fine) {
      State<double> s(p.extents());
      add_noise(p, 3, 1, {}, s);
      const double before = energy(p, s);
      const int steps = 10 << fine;
      reference::advance(p, {scheme}, s, 0.4 / steps, steps);
      lost[fine] = before - energy(p, s);
    }
    EXPECT_GT(lost[1], 0);
    EXPECT_GT(lost[0] / lost[1], 7.5);
    EXPECT_LT(lost[0] / lost[1], 8.5);
  }
}

double order_in_time(Scheme scheme, Diffusion diffusion, double viscosity) {
  const Problem p = box(6, 6, 6, viscosity);
  const auto end = [&](int steps) {
    State<double> s(p.extents());
    add_noise(p, 5, 1, {}, s);
    reference::advance(p, {scheme, diffusion}, s, 0.4 / steps, steps);
    return s;
  };
  const State<double> exact = end(128);
  double errors[2] = {};
  for (int fine = 0; fine < 2; ++fine) {
    const State<double> s = end(8 << fine);
    for (std::size_t n = 0; n < s.pressure.size(); ++n)
      errors[fine] += std::pow(s.velocity[0][n] - exact.velocity[0][n], 2);
  }
  return 0.5 * std::log2(errors[0] / errors[1]);
}

TEST(FlowReference, HasItsOrdersInTime) {
  EXPECT_NEAR(order_in_time(Scheme::s3, Diffusion::trapezoidal, 0.1), 2, 0.25);
  EXPECT_NEAR(order_in_time(Scheme::w3, Diffusion::trapezoidal, 0.1), 2, 0.25);
  EXPECT_NEAR(order_in_time(Scheme::w3, Diffusion::explicit_steps, 0.1), 3, 0.25);
  EXPECT_NEAR(order_in_time(Scheme::s3, Diffusion::explicit_steps, 0.1), 2, 0.25);
}

// The pressure's system is singular and flat cells make it badly conditioned: once rounding is all that is left of the
// residual, conjugate gradients make it grow again, here by 10^17.
TEST(FlowReference, KeepsThePressureThatItHadBeforeRoundingGrew) {
  Problem p;
  p.faces = {uniform_faces(16, 4), two_sided_faces(64, 2, 2), uniform_faces(16, 2)};
  p.viscosity = 1.0 / 1600;
  p.acceleration = {1, 0, 0};
  close(p, 1);
  State<double> s(p.extents());
  add_channel(p, 1, 1, {}, s);
  add_noise(p, 1, 0.01, {}, s);
  reference::advance(p, {}, s, 0.002, 1);
  double largest = 0;
  for (const double d : reference::divergence(p, faces_of(s))) largest = std::max(largest, std::abs(d));
  EXPECT_LE(largest, 1e-9);  // of speeds of 24 over widths down to 0.002: 10^-13 of what goes through a cell
}

TEST(FlowReference, CouetteFlowIsExactOnAnyMesh) {
  Problem p = slot(random_faces(9, 1, 4), 0.2);
  p.sides[1][1].velocity = {1, 0, -2};
  State<double> s(p.extents());
  reference::advance(p, {Scheme::w3, Diffusion::trapezoidal}, s, 0.5, 150);
  for (int j = 0; j < 9; ++j) {
    const double y = 0.5 * (p.faces[1][static_cast<std::size_t>(j)] + p.faces[1][static_cast<std::size_t>(j) + 1]);
    EXPECT_NEAR(s.velocity[0][static_cast<std::size_t>(j)], y, 1e-12);
    EXPECT_NEAR(s.velocity[2][static_cast<std::size_t>(j)], -2 * y, 1e-12);
  }
}

TEST(FlowReference, PoiseuilleFlowIsTheExactDiscreteOne) {
  const double uniform[] = {1.25, 3.125, 4.375, 5.0};
  const double stretched[] = {0.529455716548, 1.862987353948, 3.610935124363, 5.000000000000};
  for (const bool tanh : {false, true}) {
    Problem p = slot(tanh ? two_sided_faces(8, 2, 1.5) : uniform_faces(8, 2), 0.1);
    p.acceleration = {1, 0, 0};
    State<double> s(p.extents());
    reference::advance(p, {Scheme::w3, Diffusion::trapezoidal}, s, 1, 150);
    for (std::size_t j = 0; j < 8; ++j) {
      const std::size_t mirrored = std::min<std::size_t>(j, 7 - j);
      EXPECT_NEAR(s.velocity[0][j], tanh ? stretched[mirrored] : uniform[mirrored], 1e-10);
    }
  }
}

TEST(FlowReference, SolidSlabsAreWalls) {
  Problem walls = box(4, 6, 5, 0.1, 1), slabs = box(4, 8, 5, 0.1, 1);
  walls.faces[1] = uniform_faces(6, 1);
  slabs.faces[1] = uniform_faces(8, 8. / 6);
  close(walls, 1);
  slabs.solid.assign(static_cast<std::size_t>(slabs.extents().cells()), 0);
  for (int k = 0; k < 5; ++k)
    for (int i = 0; i < 4; ++i) slabs.solid[slabs.extents().at(i, 0, k)] = slabs.solid[slabs.extents().at(i, 7, k)] = 1;
  walls.acceleration = slabs.acceleration = {1, 0, 0.5};
  State<double> a(walls.extents()), b(slabs.extents());
  add_noise(walls, 1, 0.5, {}, a);
  for (std::size_t c = 0; c < 3; ++c)
    for (int k = 0; k < 5; ++k)
      for (int j = 0; j < 6; ++j)
        for (int i = 0; i < 4; ++i)
          b.velocity[c][slabs.extents().at(i, j + 1, k)] = a.velocity[c][walls.extents().at(i, j, k)];
  reference::advance(walls, {Scheme::s3}, a, 0.01, 5);
  reference::advance(slabs, {Scheme::s3}, b, 0.01, 5);
  for (std::size_t c = 0; c < 3; ++c)
    for (int k = 0; k < 5; ++k)
      for (int j = 0; j < 6; ++j)
        for (int i = 0; i < 4; ++i)
          EXPECT_NEAR(b.velocity[c][slabs.extents().at(i, j + 1, k)], a.velocity[c][walls.extents().at(i, j, k)],
                      1e-12);
}

TEST(FlowProblem, RefusesWhatMakesNoSense) {
  const auto refused = [](auto change, const std::string& word) {
    Problem p = box(4, 4, 4, 0.1);
    change(p);
    try {
      require_valid(p);
      ADD_FAILURE() << word;
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
  };
  refused([](Problem& p) { p.faces[1][2] = p.faces[1][1]; }, "face 2 along y");
  refused([](Problem& p) { p.faces[2] = {0}; }, "1 faces along z");
  refused([](Problem& p) { p.faces[0][1] = NAN; }, "face 1 along x");
  refused([](Problem& p) { p.sides[0][0].edge = Edge::wall; }, "one side of x");
  refused([](Problem& p) { p.viscosity = -1; }, "viscosity -1");
  refused([](Problem& p) { p.viscosity = NAN; }, "viscosity");
  refused([](Problem& p) { p.sides[1][1].velocity[0] = 1; }, "only walls move");
  refused(
      [](Problem& p) {
        close(p, 1);
        p.sides[1][1].velocity[1] = 1;
      },
      "only along themselves");
  refused([](Problem& p) { p.acceleration[2] = INFINITY; }, "acceleration along z");
  refused([](Problem& p) { p.solid.assign(3, 0); }, "mask of 3 cells");
  refused([](Problem& p) { p.solid.assign(64, 1); }, "no cell has fluid");
}

TEST(FlowProblem, PocketsBecomeSolid) {
  Problem p = box(6, 6, 6, 0.1);
  add_cube(p, 1, 1, 1, 3);
  p.solid[p.extents().at(2, 2, 2)] = 0;
  EXPECT_EQ(fill_pockets(p), 1);
  EXPECT_EQ(p.solid[p.extents().at(2, 2, 2)], 1);
  EXPECT_EQ(fill_pockets(p), 0);
}

}  // namespace
}  // namespace speedwell::incompressible_flow
