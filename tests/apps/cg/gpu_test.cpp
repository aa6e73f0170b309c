// Conjugate gradients on a GPU against published reference values and the residual that the oracle computes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>

#include "speedwell/apps/cg/reference.hpp"
#include "speedwell/apps/stencil/fields.hpp"
#include "speedwell/apps/stencil/gpu_stencil.hpp"
#include "tests/apps/cg/anchors.hpp"

namespace speedwell::cg {

using namespace stencil;

namespace {

template <class T>
struct Solution {
  CgResult result;
  std::vector<T> x;
};

/// For compute-sanitizer, which does not support conditional nodes of graphs.
bool loops_by_host() { return std::getenv("SPEEDWELL_LOOPS_BY_HOST") != nullptr; }

template <class T>
Solution<T> solved(const Operator<T>& a, const std::vector<T>& b, const CgOptions& options, T guess = 0,
                   CgMethod method = CgMethod::best, bool by_host = loops_by_host()) {
  const core::Stream stream;
  core::DeviceBuffer<T> on_device_b(b.size()), on_device_x(b.size());
  Solution<T> solution{{}, std::vector<T>(b.size(), guess)};
  core::copy_async(on_device_b.data(), b.data(), b.size(), stream);
  core::copy_async(on_device_x.data(), solution.x.data(), b.size(), stream);
  GpuCg<T> cg(a, options, stream, method);
  cg.loop_by_host(by_host);
  cg.run(on_device_b.data(), on_device_x.data(), stream);
  solution.result = cg.result(stream);
  core::copy_async(solution.x.data(), on_device_x.data(), b.size(), stream);
  stream.synchronize();
  return solution;
}

TEST(CgOnGpu, TakesThePublishedIterationsToThePublishedSolution) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Anchor& anchor : anchors)
    for (const auto& [preconditioner, omega, iterations] : anchor.methods())
      for (const CgMethod method : {CgMethod::best, CgMethod::passes}) {
        const UnitLaplacian<double> unit({anchor.n, anchor.n, anchor.n});
        const std::vector<double> b = anchor.right_hand_side();
        const auto [result, x] =
            solved(unit.op(), b, {.preconditioner = preconditioner, .omega = omega, .tolerance = 1e-10}, 0.0, method);
        EXPECT_EQ(result.outcome, CgOutcome::converged);
        EXPECT_NEAR(result.iterations, iterations, 1) << anchor.n << " omega " << omega;
        anchor.expect_solution(x.data());
        EXPECT_LE(reference_residual(unit.op(), b.data(), x.data()), 1.01e-10);
      }
}

TEST(CgOnGpu, SolvesOnNonUniformMeshesAndGivesTheSameBitsAgain) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Form form : {Form::face_metric, Form::face_coefficient})
    for (const Boundary boundary : {Boundary::periodic, Boundary::zero, Boundary::none})
      for (const auto& [preconditioner, method] :
           {std::pair{Preconditioner::none, CgMethod::best}, std::pair{Preconditioner::none, CgMethod::passes},
            std::pair{Preconditioner::jacobi, CgMethod::best}, std::pair{Preconditioner::polynomial, CgMethod::best}})
        for (const Grid& g : {Grid{13, 7, 9}, Grid{36, 20, 17}, Grid{3, 33, 3}, Grid{65, 16, 4}}) {
          const Fields<double> fields(
              {.form = form, .boundary = boundary, .grid = g, .values = Values::random, .seed = 2});
          const std::vector<double> b(fields.x().begin(), fields.x().end());
          const auto first = solved(fields.op(), b, {.preconditioner = preconditioner}, 0.5, method);
          EXPECT_EQ(first.result.outcome, CgOutcome::converged);
          EXPECT_LE(reference_residual(fields.op(), b.data(), first.x.data()), 2e-10);
          EXPECT_EQ(solved(fields.op(), b, {.preconditioner = preconditioner}, 0.5, method).x, first.x);
        }
}

TEST(CgOnGpu, IterationsThatTheHostDecidesOnHaveTheSameBits) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  if (loops_by_host()) GTEST_SKIP() << "compares with a graph's conditional node";
  const Fields<double> fields({.form = Form::face_metric, .boundary = Boundary::zero, .grid = {13, 7, 9}, .seed = 2});
  const std::vector<double> b(fields.x().begin(), fields.x().end());
  for (const auto preconditioner : {Preconditioner::none, Preconditioner::jacobi, Preconditioner::polynomial}) {
    const CgOptions options{.preconditioner = preconditioner};
    const auto by_host = solved(fields.op(), b, options, 0.0, CgMethod::passes, true),
               by_graph = solved(fields.op(), b, options, 0.0, CgMethod::passes, false);
    EXPECT_EQ(by_host.x, by_graph.x);
    EXPECT_EQ(by_host.result.iterations, by_graph.result.iterations);
  }
}

TEST(CgOnGpu, ProjectsTheMeanStopsAndCountsAsOnTheHost) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const UnitLaplacian<double> box({8, 6, 10}, Boundary::periodic);
  std::vector<double> b(480), zero(480, 0.0);
  double mean = 0;
  for (std::size_t c = 0; c < b.size(); ++c) mean += b[c] = std::sin(static_cast<double>(c * c % 101)) + 0.3;
  std::vector<double> b_without_mean = b;
  for (double& value : b_without_mean) value -= mean / 480;
  for (const CgMethod method : {CgMethod::best, CgMethod::passes}) {
    const auto singular = solved(box.op(), b, {.project_mean = true}, 3.0, method);
    EXPECT_EQ(singular.result.outcome, CgOutcome::converged);
    EXPECT_LE(reference_residual(box.op(), b_without_mean.data(), singular.x.data()), 2e-10);
  }
  const auto nothing = solved(box.op(), zero, {.project_mean = true}, 3.0);
  EXPECT_EQ(nothing.result.outcome, CgOutcome::converged);
  EXPECT_EQ(nothing.x, zero);
  const UnitLaplacian<double> unit({16, 16, 16});
  const auto cut = solved(unit.op(), anchors[0].right_hand_side(), {.tolerance = 1e-10, .iterations = 7});
  EXPECT_EQ(cut.result.outcome, CgOutcome::iteration_limit);
  EXPECT_EQ(cut.result.iterations, 7);
  Operator<double> indefinite =
      Fields<double>({.form = Form::constant, .boundary = Boundary::zero, .grid = {5, 5, 5}}).op();
  indefinite.weight[3] = -1;
  EXPECT_EQ(solved(indefinite, std::vector<double>(125, 1.0), {}).result.outcome, CgOutcome::not_positive);
}

TEST(CgOnGpu, AFewBricksGiveTheOraclesResidual) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Boundary boundary : {Boundary::periodic, Boundary::zero, Boundary::none}) {
    const Fields<double> fields(
        {.form = Form::face_metric, .boundary = boundary, .grid = {40, 20, 6}, .values = Values::random, .seed = 3});
    const std::vector<double> b(fields.x().begin(), fields.x().end());
    const auto [result, x] = solved(fields.op(), b, {});
    EXPECT_EQ(result.outcome, CgOutcome::converged);
    EXPECT_LE(reference_residual(fields.op(), b.data(), x.data()), 2e-10);
  }
}

// Bricks of every size, from boxes that one just fits to boxes that the largest barely fit, on any device.
TEST(CgOnGpu, OnChipAndInPassesAreTheSameIterationsForBricksOfEverySize) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const auto compare = [&]<class T>(const Grid& g, const Boundary boundary, T tolerance) {
    const Fields<T> fields(
        {.form = Form::face_metric, .boundary = boundary, .grid = g, .values = Values::random, .seed = 5});
    const std::vector<T> b(fields.x().begin(), fields.x().end());
    const CgOptions options{.tolerance = 0, .iterations = 6};
    const auto on_chip = solved<T>(fields.op(), b, options, T(0.25)),
               passes = solved<T>(fields.op(), b, options, T(0.25), CgMethod::passes);
    EXPECT_EQ(on_chip.result.iterations, 6);
    EXPECT_NEAR(on_chip.result.residual / passes.result.residual, 1, tolerance);
    double difference = 0, largest = 0;
    for (std::size_t c = 0; c < b.size(); ++c) {
      difference = std::max(difference, std::abs(static_cast<double>(on_chip.x[c] - passes.x[c])));
      largest = std::max(largest, std::abs(static_cast<double>(passes.x[c])));
    }
    // Six iterations of a well-conditioned system: a different order of summation changes a few last digits.
    EXPECT_LE(difference, tolerance * largest) << g.nx << " x " << g.ny << " x " << g.nz;
  };
  for (const Boundary boundary : {Boundary::periodic, Boundary::zero, Boundary::none})
    for (const Grid& g : {Grid{32, 16, 4}, Grid{63, 47, 31}, Grid{64, 64, 64}, Grid{97, 80, 65}, Grid{100, 101, 103},
                          Grid{128, 128, 128}, Grid{160, 130, 150}}) {
      compare(g, boundary, 1e-12);
      compare(g, boundary, 1e-4f);
    }
}

TEST(CgOnGpu, InFloatWithCorrectionsInDoubleGivesAnswersInDouble) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  for (const Anchor& anchor : anchors)
    for (const auto& [preconditioner, omega, iterations] : anchor.methods()) {
      const UnitLaplacian<double> unit({anchor.n, anchor.n, anchor.n});
      const std::vector<double> b = anchor.right_hand_side();
      const core::Stream stream;
      core::DeviceBuffer<double> on_device_b(b.size()), on_device_x(b.size());
      core::copy_async(on_device_b.data(), b.data(), b.size(), stream);
      core::fill_bytes_async(on_device_x, 0, stream);
      GpuMixedCg cg(unit.op(), {.preconditioner = preconditioner, .omega = omega, .tolerance = 1e-11}, stream);
      cg.loop_by_host(loops_by_host());
      const CgResult result = cg.solve(on_device_b.data(), on_device_x.data(), stream);
      std::vector<double> x(b.size());
      core::copy_async(x.data(), on_device_x.data(), x.size(), stream);
      stream.synchronize();
      EXPECT_EQ(result.outcome, CgOutcome::converged);
      anchor.expect_solution(x.data());
      EXPECT_LE(reference_residual(unit.op(), b.data(), x.data()), 1.01e-11);
      // Restarts discard the Krylov space: the number of iterations grows moderately.
      EXPECT_LT(result.iterations, 4 * iterations);
    }
}

}  // namespace
}  // namespace speedwell::cg
