// A flow between the points of its mesh, and how far it is from a steady one.
#include "speedwell/apps/incompressible_flow/statistics/samples.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "cases.hpp"
#include "same_statistics.hpp"
#include "speedwell/apps/incompressible_flow/statistics/steadiness.hpp"

namespace speedwell::incompressible_flow {
namespace {

using Point = std::array<double, 3>;

double middle(const std::vector<double>& f, int i) {
  const auto at = static_cast<std::size_t>(i);
  return (f[at] + f[at + 1]) / 2;
}

// The position of velocity c (or of the pressure, c = 3) of a cell.
Point place(const Problem& p, int c, int i, int j, int k) {
  const std::array<int, 3> at = {i, j, k};
  Point x;
  for (int d = 0; d < 3; ++d) {
    const auto& f = p.faces[static_cast<std::size_t>(d)];
    x[static_cast<std::size_t>(d)] = d == c ? f[static_cast<std::size_t>(at[static_cast<std::size_t>(d)]) + 1]
                                            : middle(f, at[static_cast<std::size_t>(d)]);
  }
  return x;
}

template <class Velocity, class Pressure>
State<double> filled(const Problem& p, const Velocity& u, const Pressure& pressure) {
  State<double> s(p.extents());
  for (int k = 0; k < s.extents.nz; ++k)
    for (int j = 0; j < s.extents.ny; ++j)
      for (int i = 0; i < s.extents.nx; ++i) {
        const std::size_t at = s.extents.at(i, j, k);
        for (int c = 0; c < 3; ++c) s.velocity[static_cast<std::size_t>(c)][at] = u(c, place(p, c, i, j, k));
        s.pressure[at] = pressure(place(p, 3, i, j, k));
      }
  return s;
}

// Couette flow is linear, and so is a pressure: both are exact at every height, walls included.
TEST(Samples, LinearFieldsAreExactUpToTheWalls) {
  Problem p = box(4, 1, 3, 0.1, 2);
  p.faces[1] = random_faces(7, 2, 5);
  close(p, 1);
  p.sides[1][0].velocity = {-1, 0, 0.5};
  p.sides[1][1].velocity = {3, 0, -2};
  const auto u = [](int c, const Point& x) { return c == 0 ? -1 + 2 * x[1] : c == 2 ? 0.5 - 1.25 * x[1] : 0.0; };
  const auto pressure = [](const Point& x) { return 7 - 3 * x[1]; };
  const State<double> s = filled(p, u, pressure);
  for (int n = 0; n <= 40; ++n) {
    const Point x = {0.05 * n, 0.05 * n, 2 - 0.05 * n};
    const Sample got = sample(p, s, x);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(got.velocity[static_cast<std::size_t>(c)], u(c, x), 1e-14) << n;
    EXPECT_NEAR(got.pressure, pressure(x), 1e-13) << n;
  }
}

// Linear interpolation is off by h^2 / 8 times the second derivative along each axis, at most: here 1/8 h^2 times 2.
TEST(Samples, WavesAreOfSecondOrderAcrossPeriodicSides) {
  double before = 0;
  for (const int n : {16, 32, 64}) {
    const Problem p = box(n, n, 1, 0.1);
    const auto u = [](int c, const Point& x) {
      return c == 0 ? std::sin(x[0]) * std::cos(x[1]) : c == 1 ? -std::cos(x[0]) * std::sin(x[1]) : 0.0;
    };
    const auto pressure = [](const Point& x) { return (std::cos(2 * x[0]) + std::cos(2 * x[1])) / 4; };
    const State<double> s = filled(p, u, pressure);
    double largest = 0;
    for (int i = 0; i <= 50; ++i)
      for (int j = 0; j <= 50; ++j) {
        const Point x = {turn * i / 50, turn * j / 50, 3};
        const Sample got = sample(p, s, x);
        for (int c = 0; c < 2; ++c)
          largest = std::max(largest, std::abs(got.velocity[static_cast<std::size_t>(c)] - u(c, x)));
        EXPECT_NEAR(got.pressure, pressure(x), turn * turn / n / n / 4);  // its second derivatives are 1 at most
      }
    EXPECT_LE(largest, turn * turn / n / n / 4);
    if (before > 0) {
      EXPECT_NEAR(before / largest, 4, 0.5) << n;
    }
    before = largest;
  }
}

TEST(Samples, FlowAlongASideWithoutStressContinuesAndNoneCrossesIt) {
  Problem p = box(3, 4, 1, 0.1, 1);
  close(p, 1, Edge::slip);
  const State<double> s = filled(
      p, [](int c, const Point& x) { return c == 0   ? 5.0
                                            : c == 1 ? x[1] * (1 - x[1])
                                                     : 0.0; },
      [](const Point&) { return 0.0; });
  for (const double y : {0.0, 0.05, 1.0}) {
    EXPECT_DOUBLE_EQ(sample(p, s, {0.5, y, 0.5}).velocity[0], 5);
  }
  EXPECT_EQ(sample(p, s, {0.5, 0, 0.5}).velocity[1], 0);
  EXPECT_NEAR(sample(p, s, {0.5, 0.125, 0.5}).velocity[1], 0.25 * 0.75 / 2, 1e-15);
}

TEST(Samples, PointsOutsideOfTheBoxAreRefused) {
  const Problem p = box(3, 4, 1, 0.1, 1);
  EXPECT_NO_THROW(require_inside(p, {0, 1, 0.5}));
  for (const Point& x : {Point{-0.1, 0, 0}, Point{0, 1.1, 0}, Point{0, 0, std::nan("")}})
    EXPECT_THROW(require_inside(p, x), std::invalid_argument);
}

// From the values of the cells that are asked for alone, in walls, corners and across periodic sides.
TEST(Samples, AtPointsHaveTheBitsOfTheState) {
  for (const Case& c : cases()) {
    const State<double> s = beginning(c.problem);
    std::vector<Point> points;
    for (std::uint64_t n = 0; n < 60; ++n) {
      Point x;
      for (std::size_t d = 0; d < 3; ++d) {
        const auto& f = c.problem.faces[d];
        const double share = core::random_uniform(4, 3 * n + d);
        x[d] = share < 0.1 ? f.front() : share > 0.9 ? f.back() : f.front() + share * (f.back() - f.front());
      }
      points.push_back(x);
    }
    int calls = 0;
    const auto values = [&](std::span<const CellValue> cells) {
      ++calls;
      return values_of(s, {cells.begin(), cells.end()});
    };
    const std::vector<Sample> got = samples_at<double>(c.problem, points, values);
    ASSERT_EQ(got.size(), points.size());
    EXPECT_EQ(calls, 1);
    for (std::size_t n = 0; n < points.size(); ++n) {
      const Sample expected = sample(c.problem, s, points[n]);
      EXPECT_EQ(got[n].velocity, expected.velocity) << c.name << ", " << n;
      EXPECT_EQ(got[n].pressure, expected.pressure) << c.name << ", " << n;
    }
  }
}

TEST(Steadiness, IsTheLargestChangeOverTheLargestVelocity) {
  const Problem p = box(3, 4, 2, 0.1, 1);
  State<double> a(p.extents()), b(p.extents());
  b.time = 0.5;
  EXPECT_EQ(steadiness(a, b), 0);
  a.velocity[1][5] = 2;
  b.velocity[1][5] = 1.5;
  b.velocity[2][7] = -4;
  a.velocity[2][7] = -4;
  EXPECT_DOUBLE_EQ(steadiness(a, b), 0.5 / 0.5 / 4);
  b.velocity[0][0] = std::nan("");
  EXPECT_TRUE(std::isnan(steadiness(a, b)));
  EXPECT_THROW(steadiness(b, a), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::incompressible_flow
