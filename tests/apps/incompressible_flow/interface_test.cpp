// The basis of conjugate gradients beside solids: the direct solver of the box without solids leaves no residual but
// there, and the recurrences on the list lead to the solution, with direct solutions in single precision, too.
#include "speedwell/apps/incompressible_flow/linear_solvers/interface.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "speedwell/apps/incompressible_flow/gpu/interface_scalars.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/direct_solver.hpp"
#include "speedwell/core/simd/isa.hpp"
#include "tests/apps/incompressible_flow/cases.hpp"

namespace speedwell::incompressible_flow {
namespace {

// By hand: gamma = 4, M^-1 r . A M^-1 r = 2 give alpha = 2; then gamma = 1 and 3: beta = 1/4, alpha = 1 / (3 - 1/8).
TEST(IncompressibleInterface, AStepWithoutPositiveCurvatureEndsTheSolveAndIsCounted) {
  gpu::InterfaceScalars s;
  gpu::begin_step(s, 4, 2);
  EXPECT_EQ(s.alpha, 2);
  EXPECT_EQ(s.running, 1);
  ++s.iteration;
  gpu::begin_step(s, 1, 3);
  EXPECT_EQ(s.beta, 0.25);
  EXPECT_EQ(s.alpha, 1 / 2.875);
  EXPECT_EQ(s.running, 1);
  EXPECT_EQ(s.breakdowns, 0);
  ++s.iteration;
  gpu::begin_step(s, 1, 2.875);  // curvature 2.875 - 1 * 1 / alpha = 0
  EXPECT_EQ(s.running, 0);
  EXPECT_EQ(s.breakdowns, 1);
  s.iteration = 0;
  for (const double product : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    gpu::begin_step(s, 4, product);
  gpu::begin_step(s, std::nan(""), 1);
  EXPECT_EQ(s.running, 0);
  EXPECT_EQ(s.breakdowns, 5);
}

/// Axes in the order of the direct solver: equal cells along x and y.
std::vector<Case> boxes() {
  std::vector<Case> all;
  Problem p = box(12, 10, 9, 0);
  add_cube(p, 2, 3, 4, 3);
  add_cube(p, 10, 8, 7, 4);
  all.push_back({"periodic", p});
  p = box(8, 9, 10, 0);
  close(p, 0);
  close(p, 1, Edge::slip);
  add_cube(p, 0, 2, 3, 3);
  add_cube(p, 5, 6, 6, 2);
  all.push_back({"walls along x and y", p});
  p = box(8, 7, 10, 0);
  p.faces[2] = two_sided_faces(10, 2, 1.2);
  close(p, 2);
  add_cube(p, 6, 2, 0, 3);
  all.push_back({"stretched between walls", p});
  return all;
}

template <class T>
std::vector<double> solved(const Problem& p, const std::vector<double>& residual) {
  const Extents e = p.extents();
  DirectSolver<T> direct(p, 1, core::best_isa());
  std::vector<T> row(static_cast<std::size_t>(e.nx));
  const auto width = [&](std::size_t d, int i) { return p.faces[d][i + 1u] - p.faces[d][static_cast<std::size_t>(i)]; };
  for (int k = 0; k < e.nz; ++k)
    for (int j = 0; j < e.ny; ++j) {
      for (int i = 0; i < e.nx; ++i)
        row[static_cast<std::size_t>(i)] =
            static_cast<T>(-residual[e.at(i, j, k)] / (width(0, i) * width(1, j) * width(2, k)));
      direct.put(j, k, row.data());
    }
  direct.solve();
  std::vector<double> z(residual.size());
  for (int k = 0; k < e.nz; ++k)
    for (int j = 0; j < e.ny; ++j) {
      direct.get(j, k, row.data());
      for (int i = 0; i < e.nx; ++i) z[e.at(i, j, k)] = static_cast<double>(row[static_cast<std::size_t>(i)]);
    }
  return z;
}

/// The negative Laplacian times volumes through open faces, longhand.
std::vector<double> product(const Problem& p, const std::vector<double>& x) {
  const Extents e = p.extents();
  std::vector<double> y(x.size());
  const auto width = [&](int d, int i) {
    const auto& f = p.faces[static_cast<std::size_t>(d)];
    return f[static_cast<std::size_t>(i) + 1] - f[static_cast<std::size_t>(i)];
  };
  for (int k = 0; k < e.nz; ++k)
    for (int j = 0; j < e.ny; ++j)
      for (int i = 0; i < e.nx; ++i) {
        const int at[] = {i, j, k};
        for (int d = 0; d < 3; ++d)
          for (const int by : {-1, 1}) {
            int next[] = {i, j, k};
            next[d] += by;
            if (next[d] < 0 || next[d] >= e.extent(d)) {
              if (!p.periodic(d)) continue;
              next[d] = (next[d] + e.extent(d)) % e.extent(d);
            }
            const std::size_t here = e.at(i, j, k), there = e.at(next[0], next[1], next[2]);
            if (p.solid[here] || p.solid[there]) continue;
            double area = 1;
            for (int b = 0; b < 3; ++b)
              if (b != d) area *= width(b, at[b]);
            y[here] += area / (0.5 * (width(d, at[d]) + width(d, next[d]))) * (x[here] - x[there]);
          }
      }
  return y;
}

/// The flow through closed faces, on the list. Solutions are by cell here, the list has indices of transforms.
std::vector<double> through_closed(const Problem& p, const Interface& beside, const std::vector<double>& z) {
  const Extents e = p.extents();
  std::vector<std::size_t> cell_of(z.size());
  const auto place = [&](int d, int i) {
    return p.periodic(d) || d == 2 ? i : i % 2 == 0 ? i / 2 : e.extent(d) - (i + 1) / 2;
  };
  for (int k = 0; k < e.nz; ++k)
    for (int j = 0; j < e.ny; ++j)
      for (int i = 0; i < e.nx; ++i) cell_of[e.at(place(0, i), place(1, j), k)] = e.at(i, j, k);
  std::vector<double> sums;
  for (std::size_t n = 0; n < beside.cell.size(); ++n) {
    EXPECT_EQ(cell_of[static_cast<std::size_t>(beside.transform_index[n])], static_cast<std::size_t>(beside.cell[n]));
    double sum = 0;
    for (int f = beside.first[n]; f < beside.first[n + 1]; ++f)
      sum += beside.weight[static_cast<std::size_t>(f)] *
             (z[static_cast<std::size_t>(beside.cell[n])] -
              z[cell_of[static_cast<std::size_t>(beside.to[static_cast<std::size_t>(f)])]]);
    sums.push_back(sum);
  }
  return sums;
}

/// Random in fluid, of sum 0.
std::vector<double> residual_of(const Problem& p) {
  std::vector<double> r(static_cast<std::size_t>(p.extents().cells()));
  double sum = 0, fluid = 0;
  for (std::size_t n = 0; n < r.size(); ++n)
    if (!p.solid[n]) {
      r[n] = core::random_uniform(3, n) - 0.5;
      sum += r[n];
      ++fluid;
    }
  for (std::size_t n = 0; n < r.size(); ++n)
    if (!p.solid[n]) r[n] -= sum / fluid;
  return r;
}

double norm(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

TEST(FlowInterface, TheDirectSolverLeavesAResidualBesideSolidsAlone) {
  for (const auto& [name, p] : boxes()) {
    const Interface beside = interface_of(p);
    const std::vector<double> r = residual_of(p), z = solved<double>(p, r), y = product(p, z),
                              closed = through_closed(p, beside, z);
    std::vector<double> left(r.size());
    for (std::size_t n = 0; n < r.size(); ++n) left[n] = r[n] - y[n];
    double beside_solids = 0;
    for (std::size_t n = 0; n < closed.size(); ++n) {
      double& here = left[static_cast<std::size_t>(beside.cell[n])];
      EXPECT_NEAR(here, closed[n], 1e-12) << name;
      EXPECT_GT(beside.inverse_volume[n], 0);
      beside_solids += here * here;
      here = 0;
    }
    EXPECT_GT(beside_solids, 1e-3) << name;
    for (const double x : left) EXPECT_NEAR(x, 0, 1e-12) << name;  // some hundred roundings of numbers of order 1
  }
}

// The recurrences of gpu/interface_cg.cu, longhand.
template <class P>
void expect_solution(const std::string& name, const Problem& p, double least, double expected) {
  const Interface beside = interface_of(p);
  const std::size_t count = beside.cell.size();
  const std::vector<double> b = residual_of(p);
  std::vector<double> r = through_closed(p, beside, solved<double>(p, b)), s(count), q(count), y(count);
  const double start = norm(r);
  double gamma = 0, alpha = 0;
  int iterations = 0;
  for (; iterations < 100 && norm(r) > least * start; ++iterations) {
    std::vector<double> field(b.size());
    for (std::size_t n = 0; n < count; ++n) field[static_cast<std::size_t>(beside.cell[n])] = r[n];
    const std::vector<double> z = solved<P>(p, field), closed = through_closed(p, beside, z);
    double now = 0, delta = 0;
    for (std::size_t n = 0; n < count; ++n) {
      const double value = z[static_cast<std::size_t>(beside.cell[n])];
      now += r[n] * value;
      delta += value * (r[n] - closed[n]);
    }
    const double beta = iterations == 0 ? 0 : now / gamma,
                 curvature = delta - (iterations == 0 ? 0 : beta * now / alpha);
    gamma = now;
    alpha = now / curvature;
    for (std::size_t n = 0; n < count; ++n) {
      s[n] = r[n] + beta * s[n];
      q[n] = r[n] - closed[n] + beta * q[n];
      y[n] += alpha * s[n];
      r[n] -= alpha * q[n];
    }
  }
  std::vector<double> right = b;
  for (std::size_t n = 0; n < count; ++n) right[static_cast<std::size_t>(beside.cell[n])] += y[n];
  const std::vector<double> x = solved<double>(p, right), again = product(p, x);
  std::vector<double> left(b.size());
  for (std::size_t n = 0; n < b.size(); ++n) left[n] = b[n] - again[n];
  EXPECT_LT(iterations, 25) << name;
  EXPECT_LT(norm(left), expected * norm(b)) << name << " after " << iterations;
}

TEST(FlowInterface, ConjugateGradientsOnTheListLeadToTheSolution) {
  for (const auto& [name, p] : boxes()) {
    expect_solution<double>(name, p, 1e-10, 1e-10);
    expect_solution<float>(name, p, 2e-6, 1e-6);
  }
}

}  // namespace
}  // namespace speedwell::incompressible_flow
