// Conjugate gradients on 1 to 8 ranks: as many iterations as one process within one, residuals that are what they say,
// and the same bits at every call.
#include "speedwell/apps/stencil/distributed_cg.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "speedwell/apps/stencil/fields.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "tests/apps/stencil/expect_residual.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::stencil {
namespace {

using test::ranks;
bool is_root() { return ranks().rank() == 0; }

template <class T>
void expect_solved(const Operator<T>& op, const std::vector<T>& b, const CgOptions& options) {
  std::vector<T> one_process(b.size(), T(0)), got(b.size());
  CgOptions single = options;
  single.threads = 1;
  const CgResult expected = solve<T>(op, b, one_process, single);
  for (const std::array<int, 3> along : {std::array<int, 3>{0, 0, 0}, {1, ranks().size(), 1}, {ranks().size(), 1, 1}}) {
    DistributedOperator<T> a(ranks(), {op.form, op.boundary, op.grid}, 1, along);
    SCOPED_TRACE(std::string(to_string(op.form)) + ", preconditioner " +
                 std::to_string(static_cast<int>(options.preconditioner)) + ", " + a.division_text());
    a.set(is_root() ? &op : nullptr);
    DistributedCg<T> cg(a, options);
    cg.prepare();
    auto x = a.make_field(), right = a.make_field();
    a.scatter(is_root() ? b.data() : nullptr, right.span());
    const CgResult result = cg.solve(right.span(), x.span());
    EXPECT_EQ(result.outcome, CgOutcome::converged);
    EXPECT_NEAR(result.iterations, expected.iterations, 1);
    a.gather(x.span(), got.data());
    if (is_root()) {
      expect_residual<T>(op, b, got, result.residual, options.tolerance);
    }
    auto again = a.make_field();
    const CgResult second = cg.solve(right.span(), again.span());
    EXPECT_EQ(second.iterations, result.iterations);
    EXPECT_EQ(second.residual, result.residual);
    EXPECT_EQ(std::memcmp(x.data(), again.data(), x.bytes()), 0);
  }
}

TEST(DistributedCg, SolvesTheModelProblem) {
  const Grid grid{20, 17, 23};
  const UnitLaplacian<double> laplacian(grid);
  for (const Preconditioner preconditioner : {Preconditioner::none, Preconditioner::jacobi, Preconditioner::polynomial})
    expect_solved<double>(laplacian.op(), make_rhs<double>(grid),
                          {.preconditioner = preconditioner, .tolerance = 1e-9});
  const UnitLaplacian<float> single(grid);
  expect_solved<float>(single.op(), make_rhs<float>(grid), {.tolerance = 1e-4});
}

TEST(DistributedCg, SolvesStretchedAndVariableCoefficients) {
  const Grid grid{12, 19, 16};
  for (const Form form : {Form::face_metric, Form::face_coefficient})
    for (const Boundary boundary : {Boundary::periodic, Boundary::zero, Boundary::none}) {
      const Fields<double> fields(
          {.form = form, .boundary = boundary, .grid = grid, .values = Values::random, .seed = 4});
      for (const Preconditioner preconditioner : {Preconditioner::none, Preconditioner::polynomial})
        expect_solved<double>(fields.op(), make_rhs<double>(grid),
                              {.preconditioner = preconditioner, .tolerance = 1e-9});
    }
}

TEST(DistributedCg, StopsAtTheLimitAndOfANegativeOperator) {
  const Grid grid{9, 10, 11};
  const UnitLaplacian<double> laplacian(grid);
  DistributedOperator<double> a(ranks(), {laplacian.op().form, laplacian.op().boundary, grid});
  a.set(is_root() ? &laplacian.op() : nullptr);
  auto b = a.make_field(), x = a.make_field();
  const std::vector<double> whole = make_rhs<double>(grid);
  a.scatter(is_root() ? whole.data() : nullptr, b.span());
  DistributedCg<double> cg(a, {.tolerance = 1e-12, .iterations = 3});
  const CgResult result = cg.solve(b.span(), x.span());
  EXPECT_EQ(result.iterations, 3);
  EXPECT_EQ(result.outcome, CgOutcome::iteration_limit);
  Operator<double> negative = laplacian.op();
  for (double& w : negative.weight) w = -w;
  a.set(is_root() ? &negative : nullptr);
  EXPECT_EQ(cg.solve(b.span(), x.span()).outcome, CgOutcome::not_positive);
  auto zero = a.make_field();
  EXPECT_EQ(cg.solve(zero.span(), x.span()).outcome, CgOutcome::converged);
  a.for_cells([&](std::int64_t i) { EXPECT_EQ(x.data()[i], 0); });
  EXPECT_THROW(DistributedCg<double>(a, {.omega = 2}), std::invalid_argument);
  EXPECT_THROW(DistributedCg<double>(a, {.tolerance = -1}), std::invalid_argument);
  DistributedCg<double> conditioned(a, {.preconditioner = Preconditioner::jacobi});
  EXPECT_THROW(conditioned.prepare(), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::stencil
