// The oracle against published vectors, exact solutions and properties.
#include "speedwell/apps/stencil/verify/reference.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <tuple>

#include "speedwell/apps/stencil/verify/verify.hpp"
#include "tests/apps/stencil/expect_vectors.hpp"

namespace speedwell::stencil {
namespace {

TEST(StencilReference, GivesTheStudysOperatorBitForBit) {
  for (const Vector& v : vectors) {
    if (v.n > 128) continue;  // n = 256 is compared with this oracle by the variants
    const Fields<double> fields(published_problem(v.n, Form::cell_metric, v.boundary));
    const std::vector<double> y = reference_product(fields.op(), fields.x().data());
    expect_vector(v, y.data());
    if (v.n == 8 && v.boundary == Boundary::periodic) {
      const auto largest = std::max_element(y.begin(), y.end()), least = std::min_element(y.begin(), y.end());
      EXPECT_EQ(*largest, 8.560546875);
      EXPECT_EQ(largest - y.begin(), (Grid{8, 8, 8}.cell(4, 7, 7)));
      EXPECT_EQ(*least, -8.621536254882812);
      EXPECT_EQ(least - y.begin(), (Grid{8, 8, 8}.cell(1, 0, 4)));
    }
  }
}

TEST(StencilReference, SweepsToThePublishedValues) {
  for (const SweepVector& v : sweep_vectors) {
    if (v.n > 64) continue;
    const Fields<double> fields(published_problem(v.n, Form::constant, Boundary::periodic));
    expect_sweep_vector(v, reference_sweeps(fields.op(), fields.x().data(), v.sweeps).data());
  }
}

// By hand: three cells in a row with zero boundary and unit coefficients. (2,1,1) - neighbours, times the six
// coefficients.
TEST(StencilReference, AgreesWithARowOfThreeCellsDoneByHand) {
  const UnitLaplacian<double> unit({3, 1, 1});
  const double x[] = {2, 1, 5};
  EXPECT_EQ(reference_product(unit.op(), x), (std::vector<double>{11, -1, 29}));
}

TEST(StencilReference, ScalesASineByItsEigenvalue) {
  const std::int64_t n = 12;
  const UnitLaplacian<double> unit({n, n, n});
  const double h = 1.0 / static_cast<double>(n + 1), pi = std::numbers::pi;
  std::vector<double> x(static_cast<std::size_t>(n * n * n));
  const auto s = [&](std::int64_t i) { return std::sin(pi * static_cast<double>(i + 1) * h); };
  for (std::int64_t k = 0; k < n; ++k)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) x[static_cast<std::size_t>((k * n + j) * n + i)] = s(i) * s(j) * s(k);
  const std::vector<double> y = reference_product(unit.op(), x.data());
  const double eigenvalue = 12 * std::pow(std::sin(pi * h / 2), 2);
  for (std::size_t c = 0; c < x.size(); ++c) EXPECT_NEAR(y[c], eigenvalue * x[c], 1e-14);
}

class Symmetric : public testing::TestWithParam<std::tuple<Form, Boundary>> {};

TEST_P(Symmetric, LinksActAlikeBothWaysAndLeaveAConstantToSigma) {
  const auto [form, boundary] = GetParam();
  const Problem problem{.form = form, .boundary = boundary, .grid = {7, 5, 6}, .values = Values::random, .seed = 3};
  Fields<double> fields(problem);
  const Fields<double> other(
      {.form = form, .boundary = boundary, .grid = {7, 5, 6}, .values = Values::random, .seed = 4});
  const std::vector<double> ax = reference_product(fields.op(), fields.x().data());
  const std::vector<double> ay = reference_product(fields.op(), other.x().data());
  double y_ax = 0, x_ay = 0;
  for (std::size_t c = 0; c < ax.size(); ++c) {
    y_ax += other.x()[c] * ax[c];
    x_ay += fields.x()[c] * ay[c];
  }
  EXPECT_NEAR(y_ax / x_ay, 1, 1e-13);
  if (boundary == Boundary::zero) return;
  const std::vector<double> ones(ax.size(), 1);
  for (const double value : reference_product(fields.op(), ones.data())) EXPECT_NEAR(value, fields.op().sigma, 1e-14);
}
INSTANTIATE_TEST_SUITE_P(StencilReference, Symmetric,
                         testing::Combine(testing::Values(Form::face_metric, Form::face_coefficient),
                                          testing::Values(Boundary::periodic, Boundary::zero, Boundary::none)));

TEST(StencilOperator, RefusesWhatItCannotBe) {
  const auto refused = [](Grid g, Form form, Boundary boundary) {
    EXPECT_THROW(require_grid(g, form, boundary), std::invalid_argument);
  };
  refused({0, 3, 3}, Form::cell_metric, Boundary::zero);
  refused({3, -1, 3}, Form::cell_metric, Boundary::zero);
  refused({2, 3, 3}, Form::cell_metric, Boundary::periodic);
  refused({3, 3, 3}, Form::cell_metric, Boundary::none);
  refused({std::int64_t{1} << 31, std::int64_t{1} << 31, 4}, Form::constant, Boundary::zero);
  require_grid({1, 1, 1}, Form::face_metric, Boundary::none);
  Operator<double> bare{.form = Form::cell_metric, .grid = {3, 3, 3}};
  EXPECT_THROW(require_operator(bare), std::invalid_argument);
  Fields<double> fields({.form = Form::face_coefficient, .grid = {3, 4, 5}});
  require_finite(fields.op());
  fields.cell(1)[7] = std::nan("");
  EXPECT_THROW(require_finite(fields.op()), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::stencil
