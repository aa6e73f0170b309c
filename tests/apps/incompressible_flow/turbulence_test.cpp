// Turbulence statistics of flows for which they are known: spectra, lengths, decay, profiles and balances; and
// stirred turbulence against the specification.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "speedwell/apps/incompressible_flow/statistics/energy_spectrum.hpp"
#include "speedwell/apps/incompressible_flow/statistics/profiles.hpp"
#include "tests/apps/incompressible_flow/stirred.hpp"

namespace speedwell::incompressible_flow {
namespace {

std::vector<std::vector<double>> table(const std::string& text) {
  std::vector<std::vector<double>> lines;
  std::istringstream in(text);
  std::string line, value;
  std::getline(in, line);
  while (std::getline(in, line)) {
    lines.emplace_back();
    std::istringstream values(line);
    while (std::getline(values, value, ',')) lines.back().push_back(value.empty() ? NAN : std::stod(value));
  }
  return lines;
}

// Parseval's theorem: sums of N terms of one sign in double precision, a transform's error grows with log2 N.
TEST(FlowSpectrum, AddsUpToTheTurbulentEnergy) {
  for (const Problem& p :
       {block(16, 16, 16, 1, 1, 1, 0.1), block(15, 9, 7, 2, 1, 3, 0.1), block(8, 20, 1, 1, 1, 1, 0.1)}) {
    State<double> s(p.extents());
    add_noise(p, 5, 2, {}, s);
    add_velocity(
        p, [](int, double, double, double) { return 0.7; }, s);
    const Spectrum spectrum = spectrum_of(p, s);
    const Statistics t = statistics_of(p, s);
    EXPECT_NEAR(spectrum.energy_in_all() / t.turbulent_energy, 1, 1e-12);
    for (std::size_t c = 0; c < 3; ++c) {
      double sum = 0;
      for (const double e : spectrum.of_component[c]) sum += e * spectrum.width;
      EXPECT_NEAR(2 * sum, t.stresses[c], 1e-12 * t.turbulent_energy);
    }
  }
}

// sin x cos y cos z has all of its energy at |kappa| = sqrt 3, in the shell of 2; sin 4 z in that of 4.
TEST(FlowSpectrum, PutsWavesIntoTheirShells) {
  const Problem p = box(16, 16, 16, 0.5);
  State<double> s(p.extents());
  add_taylor_green(p, s);
  const Spectrum one = spectrum_of(p, s);
  EXPECT_NEAR(one.energy[2], 0.125, 1e-14);
  EXPECT_NEAR(one.integral_length(), std::numbers::pi / (4. / 3 * 0.125) * 0.125 / 2, 1e-13);
  State<double> other(p.extents());
  add_velocity(
      p, [](int c, double, double, double z) { return c == 0 ? std::sin(4 * z) : 0.0; }, other);
  const Spectrum four = spectrum_of(p, other);
  EXPECT_NEAR(four.energy[4], 0.25, 1e-14);
  EXPECT_NEAR(four.of_component[0][4], 0.25, 1e-14);
  const auto lines = table(spectrum_text(four, 0.5));
  ASSERT_GT(lines.size(), 4u);
  EXPECT_EQ(lines[4][0], 4);
  EXPECT_NEAR(lines[4][2], 2 * 0.5 * 16 * 0.25, 1e-13);
}

TEST(FlowSpectrum, RefusesWallsAndUnequalCells) {
  Problem p = box(8, 8, 8, 0.1);
  close(p, 1);
  EXPECT_THROW(spectrum_of(p, State<double>(p.extents())), std::invalid_argument);
  p = box(8, 8, 8, 0.1);
  p.faces[2] = wavy_faces(8, 1, 0.3);
  EXPECT_THROW(spectrum_of(p, State<double>(p.extents())), std::invalid_argument);
}

TEST(FlowSpectrum, TablesHavePowerLawsBetweenAndBeyondTheirPoints) {
  const SpectrumTable table({1, 4, 8}, {16, 1, 1});
  EXPECT_NEAR(table.at(2), 4, 1e-14);
  EXPECT_NEAR(table.at(0.5), 64, 1e-13);
  EXPECT_NEAR(table.at(4), 1, 1e-15);
  EXPECT_NEAR(table.at(100), 1, 1e-15);
  EXPECT_THROW(SpectrumTable({1}, {1}), std::invalid_argument);
  EXPECT_THROW(SpectrumTable({1, 2}, {1}), std::invalid_argument);
  EXPECT_THROW(SpectrumTable({2, 1}, {1, 1}), std::invalid_argument);
  EXPECT_THROW(SpectrumTable({0, 1}, {1, 1}), std::invalid_argument);
  EXPECT_THROW(SpectrumTable({1, 2}, {1, 0}), std::invalid_argument);
  EXPECT_THROW(SpectrumTable({1, 2}, {1, NAN}), std::invalid_argument);
  EXPECT_THROW(SpectrumTable({1, INFINITY}, {1, 1}), std::invalid_argument);
}

// Every shell that all axes resolve has the energy of the table, and all others none, to the rounding of transforms;
// the mean velocity stays, and there is no divergence.
TEST(FlowSpectrum, ScalesEveryShellToATable) {
  const SpectrumTable table({0.3, 2, 9}, {5, 1, 0.02});
  for (const Problem& p :
       {block(16, 16, 16, 1, 1, 1, 0.1), block(15, 9, 7, 2, 1, 3, 0.1), block(24, 16, 12, 1, 1, 1, 0.1)}) {
    State<double> s(p.extents());
    add_noise(p, 3, 1, {}, s);
    add_velocity(
        p, [](int c, double, double, double) { return c == 1 ? 0.7 : 0.0; }, s);
    scale_to_spectrum(p, table, s);
    const Spectrum spectrum = spectrum_of(p, s);
    double resolved = INFINITY, widest = 0;
    for (std::size_t d = 0; d < 3; ++d)
      widest = std::max(widest, (p.faces[d].back() - p.faces[d].front()) / p.extents().extent(static_cast<int>(d)));
    resolved = std::numbers::pi / widest / spectrum.width;
    double sum = 0;
    for (std::size_t m = 1; m < spectrum.energy.size(); ++m) {
      const double wanted =
          static_cast<double>(m) <= resolved + 1e-9 ? table.at(static_cast<double>(m) * spectrum.width) : 0;
      EXPECT_NEAR(spectrum.energy[m], wanted, 1e-12) << m;
      sum += wanted * spectrum.width;
    }
    const Statistics t = statistics_of(p, s);
    EXPECT_NEAR(t.turbulent_energy / sum, 1, 1e-12);
    EXPECT_NEAR(t.mean[1], 0.7, 1e-14);
    EXPECT_LT(t.divergence, 1e-13);
  }
}

// k = (t - t0)^-n has eps = n k / (t - t0): any t0 gives n back.
TEST(FlowDecay, FindsTheExponentWhateverItsOrigin) {
  for (const double n : {1.2, 10. / 7, 2.5}) {
    std::vector<double> t, k, loss;
    for (int i = 0; i < 100; ++i) {
      t.push_back(30 + i);
      k.push_back(std::pow(t.back() - 3, -n));
      loss.push_back(n * k.back() / (t.back() - 3));
    }
    for (const double found : decay_exponents(t, k, loss)) EXPECT_NEAR(found, n, 1e-9 * n);
    EXPECT_TRUE(std::isnan(decay_exponents(std::vector{1., 2.}, std::vector{2., 1.}, std::vector{1., 1.})[0]));
  }
}

TEST(FlowStatistics, AnisotropyHasNoTraceAndKnowsItsAxes) {
  Statistics s;
  s.stresses = {4, 1, 1, 0.6, 0, 0};
  s.turbulent_energy = 3;
  const auto b = s.anisotropy();
  EXPECT_NEAR(b[0], 1. / 3, 1e-15);
  EXPECT_NEAR(b[0] + b[1] + b[2], 0, 1e-15);
  EXPECT_NEAR(b[3], 0.1, 1e-15);
}

// Poiseuille's flow at rest in time: u_tau^2 = G H / 2, the stress is linear, fluctuations are none. A wave on it that
// changes sign from sample to sample leaves the mean and shows in the covariances.
TEST(FlowProfiles, LaminarFlowAndAWaveOnIt) {
  Problem p = block(8, 10, 6, 1, 2, 1, 0.1);
  p.faces[1] = two_sided_faces(10, 2, 1.5);
  close(p, 1);
  Profiles profiles(p);
  const double drive = 0.8;
  for (const double sign : {1., -1.}) {
    State<double> s(p.extents());
    double u = drive / 0.1 * p.faces[1][1] / 2;
    const auto& y = p.faces[1];
    for (int j = 0; j < 10; ++j) {
      const auto n = static_cast<std::size_t>(j);
      if (j > 0) u += 0.5 * (y[n + 1] - y[n - 1]) * drive / 0.1 * (1 - y[n]);
      for (int k = 0; k < 6; ++k)
        for (int i = 0; i < 8; ++i) {
          s.velocity[0][p.extents().at(i, j, k)] = u + sign * 0.3;
          s.velocity[1][p.extents().at(i, j, k)] = j < 9 ? sign * -0.2 : 0;
          s.velocity[2][p.extents().at(i, j, k)] = sign * (k % 2 ? 0.1 : -0.1);
        }
    }
    profiles.add(s);
  }
  EXPECT_NEAR(profiles.friction_velocity(), std::sqrt(drive), 1e-12);
  const auto lines = table(profiles.text());
  ASSERT_EQ(lines.size(), 10u);
  const double y5 = lines[4][0];
  EXPECT_NEAR(lines[4][1], y5 * std::sqrt(drive) / 0.1, 1e-7);
  EXPECT_NEAR(lines[4][5], 0.09, 1e-9);                     // uu
  EXPECT_NEAR(lines[4][6], 0.04, 1e-9);                     // vv
  EXPECT_NEAR(lines[0][6], 0.02, 1e-9);                     // of a face in the flow and one in the wall
  EXPECT_NEAR(lines[4][7], 0.01, 1e-9);                     // ww
  EXPECT_NEAR(lines[4][8], -0.06, 1e-9);                    // uv
  EXPECT_NEAR(lines[4][9], drive * (1 - y5) + 0.06, 1e-8);  // stress
  EXPECT_NEAR(lines[4][10], lines[4][2] / std::sqrt(drive), 1e-7);
  Profiles again(p);
  again.restore(profiles.samples(), profiles.sums());
  EXPECT_EQ(again.text(), profiles.text());
  EXPECT_THROW(Profiles(box(8, 8, 8, 0.1)), std::invalid_argument);
}

// The mean is what was asked for to rounding, and in a laminar channel the force is what the walls take: 12 nu U / H^2,
// over 1 + 2 / n^2 on n equal cells (the discrete profile is y (H - y) + h^2 / 4 at cell centres, whose mean is H^2 / 6
// + h^2 / 3). With implicit diffusion the change of the mean comes after half of it, which costs the first order in
// time: nu dt / h^2 = 1/4 here, times the part of the flow beside walls, 2 / 32.
TEST(FlowSolver, KeepsABulkVelocityAndSaysWhatForceThatTakes) {
  for (const Scheme scheme : {Scheme::w3, Scheme::s3})
    for (const Diffusion diffusion : {Diffusion::explicit_steps, Diffusion::trapezoidal}) {
      Problem p = block(4, 32, 4, 1, 2, 1, 0.5);
      close(p, 1);
      p.bulk_velocity[0] = 0.75;
      Solver<double> solver(p, {.method = {scheme, diffusion}, .tolerance = 1e-13, .threads = 1});
      solver.set(State<double>(p.extents()));
      State<double> s(p.extents());
      for (int n = 0; n < 2000; ++n) {
        solver.step(0.002);
        if (n != 0 && n != 1999) continue;
        solver.get(s);
        EXPECT_NEAR(statistics_of(p, s).mean[0], 0.75, 1e-14);
      }
      const double exact = 12 * 0.5 * 0.75 / 4 / (1 + 2. / (32 * 32));
      EXPECT_NEAR(solver.force()[0], exact, (diffusion == Diffusion::explicit_steps ? 1e-9 : 0.25 * 2 / 32) * exact);
      EXPECT_NEAR(solver.force()[1], 0, 1e-15);
    }
}

// A force that acts on a box without obstacles is the change of its mean over the step.
TEST(FlowSolver, BulkVelocitiesAreOfTheAxesThatWereNamed) {
  Problem p = block(6, 5, 7, 1, 2, 3, 0.1);
  p.bulk_velocity[2] = -0.5;
  Solver<double> solver(p, {.threads = 1});
  solver.set(State<double>(p.extents()));
  solver.step(0.1);
  EXPECT_NEAR(solver.force()[2], -5, 1e-13);
  EXPECT_EQ(solver.force()[0], 0);
}

TEST(FlowProblem, RefusesStrainsAndBulkVelocitiesThatCannotBe) {
  Problem p = box(8, 8, 8, 0.1);
  p.strain = Strain{{1, -1, 0}, 0, 0.5};
  require_valid(p);
  const auto refuses = [](Problem q, const char* word) {
    try {
      require_valid(q);
    } catch (const std::invalid_argument& e) {
      return std::string(e.what()).find(word) != std::string::npos;
    }
    return false;
  };
  Problem q = p;
  q.strain->rates[2] = 0.1;
  EXPECT_TRUE(refuses(q, "add up"));
  q = p;
  q.strain->end = 4;
  EXPECT_TRUE(refuses(q, "at most 3"));
  q = p;
  q.strain->end = -1;
  EXPECT_TRUE(refuses(q, "later time"));
  q = p;
  close(q, 2);
  EXPECT_TRUE(refuses(q, "periodic"));
  q = box(8, 8, 8, 0.1);
  close(q, 2);
  q.bulk_velocity[2] = 1;
  EXPECT_TRUE(refuses(q, "not periodic"));
  q.bulk_velocity = {1, std::nullopt, std::nullopt};
  q.acceleration = {1, 0, 0};
  EXPECT_TRUE(refuses(q, "one of them"));
  EXPECT_THROW(Solver<double>(p, {.method = {Scheme::w3, Diffusion::trapezoidal}}), std::invalid_argument);
  EXPECT_THROW(Solver<double>(p, {.pressure = Pressure::conjugate_gradients}), std::invalid_argument);
}

// An independent prototype's values of 32^3 cells with 12 cubes, and how far a flow repeats that forgets how it began:
// 1 % until 5, 2 % until 8, 5 % until 12. While there are cubes the prototype's dissipation counts the links to them
// once, as plain differences over the whole box do; ours counts what diffusion takes, and the balance of energy is held
// to that.
TEST(FlowSimulation, StirredTurbulenceDecaysAsThatOfTheSpecification) {
  struct Anchor {
    double time, energy, dissipation, tolerance;
  };
  FlowCase c = stirred();
  c.options.tolerance = 1e-7;
  Simulation<double> s(c, 1);
  s.watch_balance();
  State<double> state(c.problem.extents());
  Problem plain = c.problem;
  plain.solid.clear();
  for (const Anchor& a : {Anchor{1, 63.262, 44.93, 0.01},
                          {2, 115.34, 115.95, 0.01},
                          {5, 129.35, 142.6, 0.01},
                          {7, 25.445, 16.09, 0.02},
                          {8, 15.282, 6.208, 0.02},
                          {12, 5.8545, 0.9404, 0.05}}) {
    while (s.moment().time < a.time) ASSERT_TRUE(s.step(a.time));
    s.get(state);
    EXPECT_NEAR(s.statistics().turbulent_energy / a.energy, 1, a.tolerance) << a.time;
    EXPECT_NEAR(statistics_of(plain, state).dissipation / a.dissipation, 1, 2 * a.tolerance) << a.time;
    // The imbalance of whole steps at a CFL number of 0.8; the mean of the ends of a step is of second order.
    if (a.time != 7) {
      EXPECT_LT(s.moment().imbalance, 5e-3) << a.time;
    }
  }
}

}  // namespace
}  // namespace speedwell::incompressible_flow
