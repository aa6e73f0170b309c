// Eigenvectors along an axis, and the pressure that is found with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/axis_modes.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/mode_solver.hpp"
#include "speedwell/apps/incompressible_flow/mesh/geometry.hpp"
#include "speedwell/apps/incompressible_flow/statistics/spectrum.hpp"
#include "speedwell/apps/incompressible_flow/statistics/statistics.hpp"
#include "tests/apps/incompressible_flow/cases.hpp"

namespace speedwell::incompressible_flow {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

std::vector<double> random_symmetric(int n, std::uint64_t seed) {
  std::vector<double> a(static_cast<std::size_t>(n * n));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      a[static_cast<std::size_t>(i * n + j)] = a[static_cast<std::size_t>(j * n + i)] =
          core::random_uniform(seed, static_cast<std::uint64_t>(i * n + j)) - 0.5;
  return a;
}

// A v = lambda v and unit vectors at right angles. Both are right within a small multiple of n eps times the norm: each
// of some 3 n turns and reflections adds eps.
void expect_modes_of(const std::vector<double>& a, int n, const SymmetricModes& modes) {
  const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
  const double norm = std::sqrt(std::inner_product(a.begin(), a.end(), a.begin(), 0.0)), bound = 10 * n * eps;
  ASSERT_EQ(modes.values.size(), static_cast<std::size_t>(n));
  for (int m = 0; m < n; ++m) {
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += a[at(i, j)] * modes.vectors[at(m, j)];
      EXPECT_NEAR(sum, modes.values[static_cast<std::size_t>(m)] * modes.vectors[at(m, i)], bound * (norm + 1e-300));
    }
    for (int other = 0; other <= m; ++other) {
      double product = 0;
      for (int i = 0; i < n; ++i) product += modes.vectors[at(m, i)] * modes.vectors[at(other, i)];
      EXPECT_NEAR(product, m == other, bound);
    }
  }
}

TEST(FlowSymmetricModes, TwoByTwoMatricesAgreeWithHandComputation) {
  const std::vector<double> a = {2, 1, 1, 2};
  SymmetricModes modes = symmetric_modes(a, 2);
  expect_modes_of(a, 2, modes);
  std::sort(modes.values.begin(), modes.values.end());
  EXPECT_NEAR(modes.values[0], 1, 4 * eps);
  EXPECT_NEAR(modes.values[1], 3, 4 * eps);
}

TEST(FlowSymmetricModes, RandomDiagonalZeroAndRepeatedMatrices) {
  for (const int n : {1, 2, 3, 4, 7, 20, 65})
    for (const std::uint64_t seed : {1, 2, 3}) {
      const auto a = random_symmetric(n, seed);
      expect_modes_of(a, n, symmetric_modes(a, n));
    }
  std::vector<double> diagonal(25), ones(36, 1.0);
  for (std::size_t i = 0; i < 5; ++i) diagonal[i * 6] = static_cast<double>(i % 2) - 3;
  expect_modes_of(diagonal, 5, symmetric_modes(diagonal, 5));
  expect_modes_of(ones, 6, symmetric_modes(ones, 6));  // five times 0, once 6
  const std::vector<double> zero(16);
  expect_modes_of(zero, 4, symmetric_modes(zero, 4));
}

TEST(FlowSymmetricModes, RefuseWhatIsNoMatrix) {
  EXPECT_THROW(symmetric_modes(std::vector<double>(5), 2), std::invalid_argument);
  EXPECT_THROW(symmetric_modes({}, 0), std::invalid_argument);
  EXPECT_THROW(symmetric_modes(std::vector<double>{NAN}, 1), std::invalid_argument);
}

TEST(FlowAxisModes, UniformMeshesHaveTheEigenvaluesOfTransforms) {
  for (const bool walls : {false, true}) {
    Problem p = box(24, 1, 1, 0.1);
    if (walls) close(p, 0);
    AxisModes modes = axis_modes(p, 0);
    std::vector<double> expected;
    for (int m = 0; m < 24; ++m) expected.push_back(eigenvalue(m, 24, turn / 24, !walls));
    std::sort(expected.begin(), expected.end());
    std::sort(modes.values.begin(), modes.values.end());
    for (std::size_t m = 0; m < 24; ++m) EXPECT_NEAR(modes.values[m], expected[m], 10 * 24 * eps * -expected[0]);
  }
}

// from L to = the second difference, cell by cell.
TEST(FlowAxisModes, MakeTheSecondDifferenceOfAnyMesh) {
  for (const bool walls : {false, true})
    for (const int n : {1, 2, 3, 10, 33}) {
      Problem p = box(n, 1, 1, 0.1);
      p.faces[0] = random_faces(n, 3, 7);
      if (walls) close(p, 0);
      const Geometry g(p);
      const AxisModes modes = axis_modes(p, 0);
      const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
      EXPECT_EQ(modes.values[0], 0);
      std::vector<double> x, hat(static_cast<std::size_t>(n)), got(hat), back(hat);
      for (int i = 0; i < n; ++i) x.push_back(core::random_uniform(5, static_cast<std::uint64_t>(i)));
      for (int m = 0; m < n; ++m)
        for (int i = 0; i < n; ++i)
          hat[static_cast<std::size_t>(m)] += modes.to_modes[at(m, i)] * x[static_cast<std::size_t>(i)];
      double largest = 0;
      for (int i = 0; i < n; ++i)
        for (int m = 0; m < n; ++m) {
          const double part = modes.from_modes[at(i, m)] * hat[static_cast<std::size_t>(m)];
          back[static_cast<std::size_t>(i)] += part;
          got[static_cast<std::size_t>(i)] += modes.values[static_cast<std::size_t>(m)] * part;
          largest = std::max(largest, std::abs(modes.values[static_cast<std::size_t>(m)]));
        }
      for (int i = 0; i < n; ++i) {
        const auto value = [&](int j) { return x[static_cast<std::size_t>(g.inside(0, j))]; };
        const bool low = i > 0 || !walls, high = i + 1 < n || !walls;
        const double expected = ((high ? (value(i + 1) - value(i)) / g.distance(0, i) : 0) -
                                 (low ? (value(i) - value(i - 1)) / g.distance(0, i - 1) : 0)) /
                                g.width(0, i);
        EXPECT_NEAR(got[static_cast<std::size_t>(i)], expected, 30 * n * eps * (largest + 1)) << n << " " << walls;
        EXPECT_NEAR(back[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(i)], 30 * n * eps);
      }
    }
}

Problem stretched(int nx, int ny, int nz, int walls) {
  Problem p = box(nx, ny, nz, 0.02);
  p.faces = {random_faces(nx, 2, 1), random_faces(ny, 1, 2), random_faces(nz, 3, 3)};
  for (int axis = 0; axis < 3; ++axis)
    if (walls >> axis & 1) close(p, axis);
  p.acceleration = {0.3, -0.2, 0.1};
  return p;
}

TEST(FlowPressureChoice, TakesEigenvectorsWhereFewerThanTwoAxesHaveEqualCells) {
  Problem p = box(9, 8, 30, 0.02);
  p.faces[2] = two_sided_faces(30, 2, 1.5);
  EXPECT_FALSE(choose(p, Pressure::automatic).by_modes) << "x and y have equal cells";
  p.faces[0] = wavy_faces(9, 1, 0.3);
  const Choice choice = choose(p, Pressure::automatic);
  EXPECT_TRUE(choice.by_modes);
  EXPECT_EQ(choice.pressure, Pressure::direct);
  EXPECT_EQ(choice.order, (std::array{0, 1, 2})) << "the longest axis third";
  EXPECT_EQ(choice.reason, "direct: eigenvectors along x and y, tridiagonal systems along z");
  EXPECT_EQ(choose(stretched(30, 9, 8, 0), Pressure::direct).order, (std::array{1, 2, 0}));
  EXPECT_EQ(choose(p, Pressure::conjugate_gradients).pressure, Pressure::conjugate_gradients);
  add_cube(p, 1, 1, 1, 2);
  EXPECT_EQ(choose(p, Pressure::automatic).pressure, Pressure::conjugate_gradients) << "solids";
  const Problem large = stretched(1025, 1026, 1, 0);
  EXPECT_EQ(choose(large, Pressure::automatic).pressure, Pressure::conjugate_gradients);
  EXPECT_TRUE(choose(large, Pressure::direct).by_modes);
}

TEST(FlowModeSolver, LeavesNoDivergenceOnAnyMeshAndOnNumbersOfCellsAroundATile) {
  for (const auto& [nx, ny, nz] :
       {std::array{16, 5, 33}, {17, 3, 18}, {31, 15, 65}, {5, 4, 6}, {1, 9, 12}, {2, 2, 3}, {7, 1, 8}})
    for (int walls = 0; walls < 8; ++walls) {
      const Problem p = stretched(nx, ny, nz, walls);
      ASSERT_TRUE(choose(p, Pressure::automatic).by_modes || direct_order(p)) << nx << " " << ny << " " << nz;
      Solver<double> solver(p, {.pressure = Pressure::direct, .threads = 2});
      State<double> state(p.extents());
      add_noise(p, 3, 1, {}, state);
      solver.set(state);
      for (int s = 0; s < 3; ++s) solver.step(0.002);
      solver.get(state);
      // Times a cell's width over the largest velocity: each of the sums over nx, ny and nz terms leaves some eps.
      EXPECT_LT(statistics_of(p, state).divergence, 20 * (nx + ny + nz) * eps)
          << nx << " " << ny << " " << nz << ", walls " << walls;
    }
}

TEST(FlowModeSolver, GivesTheSameBitsOnAnyNumberOfThreadsAndInstructionSetsAgree) {
  const Problem p = stretched(40, 30, 50, 3);
  const auto after = [&](int threads, core::Isa isa) {
    Solver<double> solver(p, {.threads = threads, .isa = isa});
    State<double> state(p.extents());
    add_noise(p, 3, 1, {}, state);
    solver.set(state);
    for (int s = 0; s < 2; ++s) solver.step(0.002);
    solver.get(state);
    return state;
  };
  const State<double> one = after(1, core::best_isa());
  for (const int threads : {2, 3, 5}) {
    const State<double> several = after(threads, core::best_isa());
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_EQ(std::memcmp(one.velocity[c].data(), several.velocity[c].data(), one.velocity[c].bytes()), 0) << threads;
  }
  const State<double> plain = after(2, core::Isa::baseline);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < one.velocity[c].size(); ++i)
      ASSERT_NEAR(one.velocity[c].data()[i], plain.velocity[c].data()[i], 1e-11);
}

}  // namespace
}  // namespace speedwell::incompressible_flow
