// Conjugate gradients against published counts, an exact solution and the residual that the oracle computes.
#include "speedwell/apps/stencil/cg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "speedwell/apps/cg/reference.hpp"
#include "speedwell/apps/cg/verify.hpp"
#include "speedwell/apps/stencil/fields.hpp"
#include "speedwell/apps/stencil/verify/reference.hpp"
#include "tests/apps/cg/anchors.hpp"

namespace speedwell::cg {

using namespace stencil;

namespace {

struct ProblemOnBox {
  Form form;
  Boundary boundary;
  Grid grid;
};

TEST(CgOnTheHost, TakesThePublishedIterationsToThePublishedSolution) {
  for (const Anchor& anchor : anchors)
    for (const auto& [preconditioner, omega, iterations] : anchor.methods()) {
      const UnitLaplacian<double> unit({anchor.n, anchor.n, anchor.n});
      const std::vector<double> b = anchor.right_hand_side();
      std::vector<double> x(b.size(), 0.0);
      const CgResult result = solve<double>(
          unit.op(), b, x, {.preconditioner = preconditioner, .omega = omega, .tolerance = 1e-10, .threads = 1});
      EXPECT_EQ(result.outcome, CgOutcome::converged);
      EXPECT_NEAR(result.iterations, iterations, 1) << anchor.n << " omega " << omega;
      anchor.expect_solution(x.data());
      EXPECT_LE(reference_residual(unit.op(), b.data(), x.data()), 1.01e-10);
    }
}

// The norm of a residual is r sqrt(1 + (e / r)^2): an orthogonal error e = 1e-9 with r = 0.1 changes it by 5e-18. Only
// the solution itself reveals it.
TEST(CgOnTheHost, VerdictsSeeASmoothErrorThatTheNormOfTheResidualHides) {
  const Problem problem{.grid = {16, 12, 20}, .values = Values::random};
  const Fields<double> fields(problem);
  const UnitLaplacian<double> unit(problem.grid);
  const std::span<const double> b = fields.x().span();
  constexpr int steps = 8;
  const ReferenceCg expected = reference_cg(unit.op(), b.data(), steps, 0);
  std::vector<double> x(b.size(), 0.0);
  const CgResult result = solve<double>(unit.op(), b, x, {.tolerance = 0, .iterations = steps, .threads = 1});
  EXPECT_TRUE(verify_cg<double>(unit.op(), b, expected, result, x).passed);
  for (std::int64_t k = 0; k < 20; ++k)
    for (std::int64_t j = 0; j < 12; ++j)
      for (std::int64_t i = 0; i < 16; ++i)
        x[static_cast<std::size_t>(problem.grid.cell(i, j, k))] +=
            1e-9 * std::sin(std::numbers::pi * static_cast<double>(i + 1) / 17);
  const core::Verdict verdict = verify_cg<double>(unit.op(), b, expected, result, x);
  EXPECT_FALSE(verdict.passed);
  EXPECT_GT(verdict.error, 100) << "far above the bound";
}

TEST(CgOnTheHost, InFloatWithCorrectionsInDoubleGivesAnswersInDouble) {
  for (const Anchor& anchor : anchors)
    for (const auto& [preconditioner, omega, iterations] : anchor.methods()) {
      const UnitLaplacian<double> unit({anchor.n, anchor.n, anchor.n});
      const std::vector<double> b = anchor.right_hand_side();
      std::vector<double> x(b.size(), 0.0);
      const CgResult result = solve_mixed(
          unit.op(), b, x, {.preconditioner = preconditioner, .omega = omega, .tolerance = 1e-11, .threads = 1});
      EXPECT_EQ(result.outcome, CgOutcome::converged);
      anchor.expect_solution(x.data());
      EXPECT_LE(reference_residual(unit.op(), b.data(), x.data()), 1.01e-11);
      // Restarts discard the Krylov space: the number of iterations grows moderately.
      EXPECT_LT(result.iterations, 4 * iterations);
    }
  const UnitLaplacian<double> box({8, 6, 10}, Boundary::periodic);
  std::vector<double> b(480, 1.0), x(480, 3.0);
  b[7] = 2;
  EXPECT_THROW(solve_mixed(box.op(), b, x), std::invalid_argument);
  EXPECT_EQ(solve_mixed(box.op(), b, x, {.project_mean = true}).outcome, CgOutcome::converged);
  for (double& value : b) value -= 481.0 / 480;
  EXPECT_LE(reference_residual(box.op(), b.data(), x.data()), 2e-10);
  EXPECT_EQ(solve_mixed(box.op(), b, x, {.tolerance = 1e-10, .iterations = 0, .project_mean = true}).iterations, 0);
}

TEST(CgOnTheHost, SolvesForAnEigenvectorInOneIteration) {
  const std::int64_t n = 20;
  const UnitLaplacian<double> unit({n, n, n});
  const double h = 1.0 / static_cast<double>(n + 1), pi = std::numbers::pi;
  std::vector<double> b(static_cast<std::size_t>(n * n * n)), x(b.size(), 0.0);
  const auto s = [&](std::int64_t i) { return std::sin(pi * static_cast<double>(i + 1) * h); };
  for (std::int64_t c = 0; c < n * n * n; ++c)
    b[static_cast<std::size_t>(c)] = s(c % n) * s(c / n % n) * s(c / (n * n));
  const CgResult result = solve<double>(unit.op(), b, x);
  EXPECT_EQ(result.iterations, 1);
  const double eigenvalue = 12 * std::pow(std::sin(pi * h / 2), 2);
  for (std::size_t c = 0; c < b.size(); ++c) EXPECT_NEAR(x[c], b[c] / eigenvalue, 1e-12);
}

TEST(CgOnTheHost, SolvesOnNonUniformMeshesInBothForms) {
  for (const Form form : {Form::face_metric, Form::face_coefficient})
    for (const Boundary boundary : {Boundary::periodic, Boundary::zero, Boundary::none})
      for (const auto preconditioner : {Preconditioner::none, Preconditioner::jacobi, Preconditioner::polynomial}) {
        const Fields<double> fields(
            {.form = form, .boundary = boundary, .grid = {13, 7, 9}, .values = Values::random, .seed = 2});
        std::vector<double> x(fields.x().size(), 0.5);
        const CgResult result =
            solve<double>(fields.op(), fields.x().span(), x, {.preconditioner = preconditioner, .threads = 2});
        EXPECT_EQ(result.outcome, CgOutcome::converged);
        EXPECT_LE(reference_residual(fields.op(), fields.x().data(), x.data()), 2e-10);
      }
}

TEST(CgOnTheHost, ProjectsTheMeanOfASingularSystemOrRefusesIt) {
  const UnitLaplacian<double> unit({8, 6, 10}, Boundary::periodic);
  std::vector<double> b(480), x(480, 3.0);
  double mean = 0;
  for (std::size_t c = 0; c < b.size(); ++c) mean += b[c] = std::sin(static_cast<double>(c * c % 101)) + 0.3;
  mean /= 480;
  EXPECT_THROW(solve<double>(unit.op(), b, x), std::invalid_argument);
  const CgResult result = solve<double>(unit.op(), b, x, {.project_mean = true});
  EXPECT_EQ(result.outcome, CgOutcome::converged);
  double of_x = 0;
  for (const double value : x) of_x += value;
  EXPECT_NEAR(of_x, 0, 1e-11);
  for (double& value : b) value -= mean;
  EXPECT_LE(reference_residual(unit.op(), b.data(), x.data()), 2e-10);
  EXPECT_EQ(solve<double>(unit.op(), b, x).outcome, CgOutcome::converged);
}

TEST(CgOnTheHost, StopsWhereTheOperatorIsNotPositive) {
  Fields<double> fields({.form = Form::constant, .boundary = Boundary::zero, .grid = {5, 5, 5}});
  Operator<double> a = fields.op();  // 5/8 on the diagonal, 1/16 off the diagonal: positive definite
  std::vector<double> x(125, 0.0);
  EXPECT_EQ(solve<double>(a, fields.x().span(), x).outcome, CgOutcome::converged);
  a.weight[3] = -1;
  std::fill(x.begin(), x.end(), 0.0);
  EXPECT_EQ(solve<double>(a, fields.x().span(), x).outcome, CgOutcome::not_positive);
}

TEST(CgOnTheHost, RefusesWhatItCannotSolve) {
  const auto refused = [](const Operator<double>& a, const CgOptions& options) {
    std::vector<double> b(static_cast<std::size_t>(a.grid.size()), 1.0), x(b.size());
    EXPECT_THROW(solve<double>(a, b, x, options), std::invalid_argument);
  };
  const Grid g{4, 4, 4};
  refused(Fields<double>({.form = Form::cell_metric, .grid = g}).op(), {});
  refused(Fields<double>({.form = Form::general, .grid = g}).op(), {});
  Fields<double> faces({.form = Form::face_coefficient, .grid = g});
  refused(faces.op(), {.omega = 1.5});
  refused(faces.op(), {.tolerance = std::nan("")});
  refused(faces.op(), {.iterations = -1});
  faces.cell(2)[9] = -0.5;
  refused(faces.op(), {});
}

TEST(CgOnTheHost, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Fields<double> fields({.form = Form::face_coefficient, .grid = {33, 17, 20}, .values = Values::random});
  std::vector<double> one(fields.x().size(), 0.0), three(one);
  solve<double>(fields.op(), fields.x().span(), one, {.threads = 1});
  solve<double>(fields.op(), fields.x().span(), three, {.threads = 3});
  EXPECT_EQ(one, three);
}

// Boxes thinner than a thread's rows, rows that end within a vector, strips and ring buffers that wrap around:
// recomputed products must equal the stored ones.
TEST(CgOnTheHost, InTwoPassesIsTheTextbooksOnAwkwardBoxes) {
  const auto compare = [](auto one, const ProblemOnBox& box) {
    using T = decltype(one);
    Fields<T> fields({.form = box.form, .boundary = box.boundary, .grid = box.grid, .values = Values::random});
    std::vector<T> passes(fields.x().size(), T(0.25)), textbook(passes);
    const CgOptions options{.tolerance = 0, .iterations = 5, .threads = 3};
    CgOptions stored = options;
    stored.two_passes = false;
    CgSolver<T> solver(box.grid, options);
    for (int times = 0; times < 2; ++times) {  // the second solve must not use the results of the first
      std::fill(passes.begin(), passes.end(), T(0.25));
      solver.solve(fields.op(), fields.x().span(), passes);
    }
    solve<T>(fields.op(), fields.x().span(), textbook, stored);
    for (std::size_t c = 0; c < passes.size(); ++c)
      EXPECT_NEAR(passes[c], textbook[c], 200 * std::numeric_limits<T>::epsilon()) << c;
  };
  for (const Grid& grid : {Grid{3, 3, 3}, Grid{9, 3, 40}, Grid{33, 40, 5}, Grid{16, 64, 4}, Grid{1030, 31, 9}})
    for (const Boundary boundary : {Boundary::periodic, Boundary::zero, Boundary::none})
      for (const Form form : {Form::constant, Form::face_metric, Form::face_coefficient}) {
        if (form == Form::constant && boundary == Boundary::none) continue;
        compare(1.0, {form, boundary, grid});
        compare(1.0F, {form, boundary, grid});
      }
}

TEST(CgReference, ConjugateGradientsTakeThePublishedNumberOfIterations) {
  const std::int64_t n = 16;
  const UnitLaplacian<double> unit({n, n, n});
  const double h = 1.0 / 17;
  const std::vector<double> b(static_cast<std::size_t>(n * n * n), h * h);
  const ReferenceCg cg = reference_cg(unit.op(), b.data(), 1000, 1e-10);
  EXPECT_NEAR(static_cast<double>(cg.residuals.size()), 44, 1);
  EXPECT_NEAR(*std::max_element(cg.x.begin(), cg.x.end()), 0.0554891548606, 1e-9);
  EXPECT_NEAR(cg.x[0], 0.00226450822515, 1e-9);
}

}  // namespace
}  // namespace speedwell::cg
