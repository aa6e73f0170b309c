// The solver on all cores against the oracle, over meshes, edges, solids, schemes and pressure solvers; and
// its own promises.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/verify/reference.hpp"
#include "speedwell/apps/incompressible_flow/verify/verify.hpp"
#include "tests/apps/incompressible_flow/cases.hpp"

namespace speedwell::incompressible_flow {
namespace {

template <class T>
State<T> advanced(const Problem& p, const Options& o, const State<double>& from, double dt, int steps) {
  Solver<T> solver(p, o);
  solver.set(converted<T>(from));
  for (int s = 0; s < steps; ++s) solver.step(dt);
  State<T> end(p.extents());
  solver.get(end);
  return end;
}

constexpr double dt = 0.01;
constexpr int steps = 3;

class FlowSolver : public ::testing::TestWithParam<Method> {};

TEST_P(FlowSolver, AgreesWithTheReference) {
  for (const Case& c : cases()) {
    const State<double> begin = beginning(c.problem);
    State<double> expected = begin.copy();
    reference::advance(c.problem, GetParam(), expected, dt, steps);
    for (const Pressure pressure : {Pressure::automatic, Pressure::conjugate_gradients}) {
      const Options options = {.method = GetParam(), .pressure = pressure, .tolerance = 1e-11, .threads = 2};
      const auto got = advanced<double>(c.problem, options, begin, dt, steps);
      const core::Verdict verdict = verify(c.problem, expected, got, steps);
      EXPECT_TRUE(verdict.passed) << c.name << ", " << choose(c.problem, pressure).reason << ": " << verdict.error
                                  << " > " << verdict.tolerance << ", " << verdict.oracle;
      EXPECT_NEAR(got.time, steps * dt, 1e-15);
      EXPECT_EQ(got.step, steps);
    }
    const auto single = advanced<float>(c.problem, {.method = GetParam(), .threads = 2}, begin, dt, steps);
    const core::Verdict verdict = verify(c.problem, expected, single, steps);
    EXPECT_TRUE(verdict.passed) << c.name << " in single precision: " << verdict.error << " > " << verdict.tolerance
                                << ", " << verdict.oracle;
  }
}
INSTANTIATE_TEST_SUITE_P(Methods, FlowSolver,
                         ::testing::Values(Method{Scheme::w3, Diffusion::explicit_steps},
                                           Method{Scheme::s3, Diffusion::explicit_steps},
                                           Method{Scheme::w3, Diffusion::trapezoidal},
                                           Method{Scheme::s3, Diffusion::trapezoidal}));

TEST(FlowSolverOnCores, GivesTheSameBitsOnAnyNumberOfThreads) {
  for (const bool solids : {false, true}) {
    Problem p = box(40, 30, 20, 0.01);  // more cells than one thread takes
    if (solids) add_cube(p, 5, 5, 5, 4);
    const State<double> begin = beginning(p);
    const auto one = advanced<double>(p, {.threads = 1}, begin, dt, 2);
    for (const int threads : {2, 3, 5}) {
      const auto several = advanced<double>(p, {.threads = threads}, begin, dt, 2);
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_EQ(std::memcmp(one.velocity[c].data(), several.velocity[c].data(), one.velocity[c].bytes()), 0)
            << threads;
    }
  }
}

// So many planes that right-hand sides and pressures stay in them: periodic, between walls, and with cosines along y. A
// flow that is measured in between continues as one that is not.
TEST(FlowSolverOnCores, PlanesThatStayInCachesAgreeWithTheReference) {
  for (int walls = -1; walls < 3; ++walls) {
    Problem p = block(6, 5, 97, 1, 1, 12, 0.01);
    if (walls == 1) p = block(6, 97, 5, 1, 12, 1, 0.01);  // the long axis is the one that is eliminated
    if (walls == 1) p.faces[1] = two_sided_faces(97, 12, 1.3);
    if (walls >= 0) close(p, walls);
    p.acceleration = {0.3, -0.2, 0.1};
    const State<double> begin = beginning(p);
    State<double> expected = begin.copy(), end(p.extents());
    reference::advance(p, {}, expected, dt, 2);
    Solver<double> solver(p, {.threads = 1});
    solver.set(begin);
    for (int n = 0; n < 2; ++n) {
      solver.step(dt);
      solver.get(end);
    }
    const core::Verdict verdict = verify(p, expected, end, 2);
    EXPECT_TRUE(verdict.passed) << walls << ": " << verdict.error << " > " << verdict.tolerance << ", "
                                << verdict.oracle;
    const auto at_once = advanced<double>(p, {.threads = 1}, begin, dt, 2);
    EXPECT_EQ(std::memcmp(at_once.velocity[2].data(), end.velocity[2].data(), end.velocity[2].bytes()), 0);
    EXPECT_EQ(std::memcmp(at_once.pressure.data(), end.pressure.data(), end.pressure.bytes()), 0);
  }
}
TEST(FlowSolverOnCores, PlanesThatStayInCachesHaveTheSameBitsOnAnyNumberOfThreads) {
  const Problem p = box(14, 12, 101, 0.01);
  const State<double> begin = beginning(p);
  const auto one = advanced<double>(p, {.threads = 1}, begin, dt, 2);
  for (const int threads : {2, 3, 7}) {
    const auto several = advanced<double>(p, {.threads = threads}, begin, dt, 2);
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_EQ(std::memcmp(one.velocity[c].data(), several.velocity[c].data(), one.velocity[c].bytes()), 0) << threads;
    EXPECT_EQ(std::memcmp(one.pressure.data(), several.pressure.data(), one.pressure.bytes()), 0) << threads;
  }
}

TEST(FlowSolverOnCores, GivesTheSameFlowWithEveryInstructionSet) {
  const Problem p = box(19, 10, 8, 0.01);
  const State<double> begin = beginning(p);
  State<double> expected = begin.copy();
  reference::advance(p, {}, expected, dt, 2);
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512}) {
    if (!core::is_available(isa)) continue;
    EXPECT_TRUE(verify(p, expected, advanced<double>(p, {.isa = isa}, begin, dt, 2), 2).passed);
  }
}

TEST(FlowSolverOnCores, LeavesNoDivergenceButRounding) {
  const Problem p = box(32, 32, 32, 0.01);
  const auto end = advanced<double>(p, {}, beginning(p), dt, 3);
  reference::Faces u;
  double fastest = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    u[c].assign(end.velocity[c].begin(), end.velocity[c].end());
    for (const double x : u[c]) fastest = std::max(fastest, std::abs(x));
  }
  const double h = turn / 32;
  for (const double d : reference::divergence(p, u)) ASSERT_LT(std::abs(d) * h, 1e-13 * fastest);
}

TEST(FlowSolverOnCores, ClosedFacesOfSolidsCarryNothing) {
  Problem p = box(12, 12, 12, 0.01);
  add_cube(p, 3, 3, 3, 4);
  const auto end = advanced<double>(p, {}, beginning(p), dt, 3);
  const reference::Faces volumes = reference::volumes(p);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t n = 0; n < end.velocity[c].size(); ++n) ASSERT_TRUE(volumes[c][n] > 0 || end.velocity[c][n] == 0);
}

// Ghia, Ghia and Shin, J. Comput. Phys. 48 (1982): u on the vertical and v on the horizontal centre line.
struct Ghia {
  double at, re100, re400, re1000;
};
constexpr Ghia ghia_u[] = {{0.0547, -0.03717, -0.08186, -0.18109}, {0.1016, -0.06434, -0.14612, -0.29730},
                           {0.1719, -0.10150, -0.24299, -0.38289}, {0.2813, -0.15662, -0.32726, -0.27805},
                           {0.4531, -0.21090, -0.17119, -0.10648}, {0.5000, -0.20581, -0.11477, -0.06080},
                           {0.6172, -0.13641, 0.02135, 0.05702},   {0.7344, 0.00332, 0.16256, 0.18719},
                           {0.8516, 0.23151, 0.29093, 0.33304},    {0.9531, 0.68717, 0.55892, 0.46604}};

double between(double x, double x0, double y0, double x1, double y1) { return y0 + (x - x0) / (x1 - x0) * (y1 - y0); }

// u at x = 1/2 and height y, an even number of cells being a face there.
double u_on_centre_line(const Problem& p, const State<double>& s, double y) {
  const int n = p.extents().nx, i = n / 2 - 1;
  const double h = 1.0 / n;
  const int j = static_cast<int>(std::floor(y / h - 0.5));
  const double low = j < 0 ? 0 : s.velocity[0][s.extents.at(i, j, 0)];
  const double high = j + 1 >= n ? 1 : s.velocity[0][s.extents.at(i, j + 1, 0)];
  return between(y, j < 0 ? 0 : (j + 0.5) * h, low, j + 1 >= n ? 1 : (j + 1.5) * h, high);
}

State<double> steady_cavity(const Problem& p, double time) {
  Solver<double> solver(p, {.threads = 2});
  solver.set(State<double>(p.extents()));
  const double step = stable_step(p, {}, 1.2, p.extents().nx * 1.0);
  while (solver.time() < time) solver.step(step);
  State<double> end(p.extents());
  solver.get(end);
  return end;
}

TEST(FlowSolverOnCores, TheCavityIsGhias) {
  struct Run {
    double reynolds, time, tolerance;
    int cells;
    double Ghia::*column;
  };
  for (const Run& run : {Run{100, 20, 0.005, 48, &Ghia::re100}, Run{400, 40, 0.01, 64, &Ghia::re400},
                         Run{1000, 60, 0.025, 64, &Ghia::re1000}}) {
    const Problem p = cavity(run.cells, run.reynolds);
    const State<double> end = steady_cavity(p, run.time);
    for (const Ghia& g : ghia_u)
      EXPECT_NEAR(u_on_centre_line(p, end, g.at), g.*run.column, run.tolerance) << run.reynolds << " at " << g.at;
  }
}

TEST(FlowSolverOnCores, RefusesWhatItCannotDo) {
  const Problem p = box(4, 4, 4, 0.1);
  const auto refused = [](auto make) { EXPECT_THROW(make(), std::invalid_argument); };
  refused([&] { Solver<double>(p, {.tolerance = 1e-16}); });
  refused([&] { Solver<double>(p, {.tolerance = 1}); });
  refused([&] { Solver<double>(p, {.max_iterations = 0}); });
  refused([&] { Solver<double>(p, {.threads = -1}); });
  Solver<double> solver(p);
  refused([&] { solver.step(0); });
  refused([&] { solver.step(-1); });
  refused([&] { solver.step(NAN); });
  refused([&] { solver.set(State<double>({4, 4, 5})); });
  Problem solids = p;
  add_cube(solids, 0, 0, 0, 1);
  refused([&] { Solver<double>(solids, {.pressure = Pressure::direct}); });
  refused([&] { stable_step(p, {Scheme::s3}, 2, 1); });
  refused([&] { stable_step(p, {Scheme::w3}, 1.74, 1); });
  refused([&] { stable_step(p, {Scheme::w3}, 0, 1); });
}

TEST(FlowSolverOnCores, AFlowThatIsNotFiniteIsSeenInItsRate) {
  const Problem p = box(8, 8, 8, 0.1);
  State<double> s(p.extents());
  Solver<double> solver(p);
  solver.set(s);
  EXPECT_EQ(solver.convection_rate(), 0);
  s.velocity[1][77] = 3;
  solver.set(s);
  EXPECT_NEAR(solver.convection_rate(), 3 * 8 / turn, 1e-12);
  s.velocity[1][77] = NAN;
  solver.set(s);
  EXPECT_TRUE(std::isnan(solver.convection_rate()));
}

}  // namespace
}  // namespace speedwell::incompressible_flow
