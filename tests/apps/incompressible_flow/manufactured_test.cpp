// A steady flow between walls that a known force drives: of second order on uniform and on stretched meshes.
#include <gtest/gtest.h>

#include <cmath>

#include "speedwell/apps/incompressible_flow/incompressible_flow.hpp"
#include "tests/apps/incompressible_flow/cases.hpp"

namespace speedwell::incompressible_flow {
namespace {

constexpr double pi = std::numbers::pi, viscosity = 0.5;

// The flow of psi = sin^2(pi x) sin^2(pi y) / pi, at rest on the walls of the unit square, without a pressure.
double exact(int c, double x, double y) {
  const double sx = std::sin(pi * x), sy = std::sin(pi * y);
  return c == 0 ? sx * sx * std::sin(2 * pi * y) : c == 1 ? -std::sin(2 * pi * x) * sy * sy : 0;
}
// The force that keeps it steady: (u . grad) u - nu lap u.
double force(int c, double x, double y) {
  const double u = exact(0, x, y), v = exact(1, x, y), s2x = std::sin(2 * pi * x), s2y = std::sin(2 * pi * y),
               c2x = std::cos(2 * pi * x), c2y = std::cos(2 * pi * y), ssx = std::pow(std::sin(pi * x), 2),
               ssy = std::pow(std::sin(pi * y), 2);
  if (c == 0)
    return u * pi * s2x * s2y + v * 2 * pi * ssx * c2y -
           viscosity * (2 * pi * pi * c2x * s2y - 4 * pi * pi * ssx * s2y);
  if (c == 1)
    return -u * 2 * pi * c2x * ssy - v * pi * s2x * s2y -
           viscosity * (4 * pi * pi * s2x * ssy - 2 * pi * pi * s2x * c2y);
  return 0;
}

// The force comes before and after each step, half of it each: of second order in the step, which shrinks with the
// square of the cells. By time 0.6 what was there at the beginning is less than exp(-2 pi^2 nu 0.6) = 0.3 % of the
// error.
double error_of(const Problem& p) {
  Solver<double> solver(p, {.tolerance = 1e-9, .threads = 1});
  State<double> s(p.extents()), half(p.extents()), wanted(p.extents());
  const auto at = [](auto function) { return [=](int c, double x, double y, double) { return function(c, x, y); }; };
  add_velocity(p, at(exact), s);
  add_velocity(p, at(exact), wanted);
  add_velocity(p, at(force), half);
  solver.set(s);
  const int steps = static_cast<int>(std::ceil(0.6 / stable_step(p, {}, 0.5, 1e-9)));
  const double dt = 0.6 / steps;
  const auto push = [&] {
    solver.get(s);
    for (std::size_t c = 0; c < 2; ++c)
      for (std::size_t n = 0; n < s.velocity[c].size(); ++n) s.velocity[c][n] += 0.5 * dt * half.velocity[c][n];
    solver.set(s);
  };
  for (int n = 0; n < steps; ++n) {
    push();
    solver.step(dt);
    push();
  }
  // What the last push added that no pressure has taken out yet is of no divergence-free flow: one projection more.
  solver.step(1e-3 * dt);
  solver.get(s);
  double sum = 0, area = 0;
  for (int j = 0; j < p.extents().ny; ++j)
    for (int i = 0; i < p.extents().nx; ++i) {
      const std::size_t n = p.extents().at(i, j, 0);
      const auto x = static_cast<std::size_t>(i), y = static_cast<std::size_t>(j);
      const double cell = (p.faces[0][x + 1] - p.faces[0][x]) * (p.faces[1][y + 1] - p.faces[1][y]);
      for (std::size_t c = 0; c < 2; ++c) sum += cell * std::pow(s.velocity[c][n] - wanted.velocity[c][n], 2);
      area += cell;
    }
  return std::sqrt(sum / area);
}

TEST(FlowManufactured, SolutionBetweenWallsIsOfSecondOrderOnUniformAndStretchedMeshes) {
  const auto square = [](int n, bool stretch_x, bool stretch_y) {
    Problem p = box(n, n, 1, viscosity, 1);
    close(p, 0);
    close(p, 1);
    if (stretch_x) p.faces[0] = two_sided_faces(n, 1, 1.2);
    if (stretch_y) p.faces[1] = two_sided_faces(n, 1, 1.2);
    return p;
  };
  for (const auto& [x, y] : {std::pair{false, false}, {false, true}, {true, true}}) {
    // Conjugate gradients, which two stretched axes take, have fewer cells for the sake of time.
    const int n = x && y ? 10 : 16;
    const double coarse = error_of(square(n, x, y)), fine = error_of(square(2 * n, x, y));
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.15) << x << y << " " << coarse << " " << fine;
    EXPECT_LT(fine * 4 * n * n, 3) << x << y;
  }
}

}  // namespace
}  // namespace speedwell::incompressible_flow
