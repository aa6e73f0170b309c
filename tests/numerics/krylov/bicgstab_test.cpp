// BiCGSTAB on the host: systems that are exact, a breakdown, and what it refuses.
#include "speedwell/numerics/krylov/bicgstab.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "tests/numerics/krylov/small_system.hpp"

namespace speedwell::krylov {
namespace {

TEST(Bicgstab, TheIdentityTakesOneIteration) {
  std::vector<double> b = {3, 1, 4, 1, 5}, x(5, 0.0);
  const auto identity = [](auto v, auto y) { std::copy(v.begin(), v.end(), y.begin()); };
  const auto result = bicgstab(identity, b, x);
  EXPECT_EQ(result.iterations, 1);
  EXPECT_EQ(x, b);
  EXPECT_EQ(bicgstab(identity, b, x).iterations, 0);
}

// After an iteration the residual is orthogonal to the first one, exactly: it begins again, and finds (-1/2, 2, 1/2).
TEST(Bicgstab, ADivisionByZeroIsGotOverByBeginningAgain) {
  std::vector<double> b(breaks_down_once.right_hand_side, breaks_down_once.right_hand_side + 3), x(3, 0.0);
  const auto result = bicgstab([](auto v, auto y) { breaks_down_once.multiply(v.data(), y.data()); }, b, x);
  EXPECT_EQ(result.outcome, BicgstabOutcome::converged);
  EXPECT_EQ(result.restarts, 1);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(x[i], breaks_down_once.solution[i], 1e-12);
}

TEST(Bicgstab, WhatCannotBeIsRefusedOrReported) {
  std::vector<double> b(5, 1.0), x(5, 0.0), other(4);
  const auto zero = [](auto, auto y) { std::fill(y.begin(), y.end(), 0.0); };
  EXPECT_EQ(bicgstab(zero, b, x).outcome, BicgstabOutcome::breakdown);
  // A rotation of the plane: the first direction is orthogonal to what it gives.
  std::vector<double> plane = {1, 0}, start(2, 0.0);
  const auto turn = [](auto v, auto y) {
    y[0] = -v[1];
    y[1] = v[0];
  };
  const auto turned = bicgstab(turn, plane, start, {.iterations = 50});
  EXPECT_NE(turned.outcome, BicgstabOutcome::converged);
  EXPECT_THROW(bicgstab(zero, b, other), std::invalid_argument);
  EXPECT_THROW(bicgstab(zero, b, x, {.tolerance = 0}), std::invalid_argument);
  EXPECT_THROW(bicgstab(zero, b, x, {.iterations = 0}), std::invalid_argument);
}

TEST(Bicgstab, TheToleranceIsThatOfTheRelativeResidual) {
  // A tridiagonal system; the criterion does not depend on the magnitude of b.
  constexpr std::size_t n = 200;
  const auto apply = [](auto v, auto y) {
    for (std::size_t i = 0; i < n; ++i) y[i] = 2.5 * v[i] - (i > 0 ? v[i - 1] : 0) - (i + 1 < n ? 0.5 * v[i + 1] : 0);
  };
  int iterations = 0;
  for (const double scale : {1.0, 0x1p-40, 0x1p40}) {
    std::vector<double> b(n), x(n, 0.0), ax(n);
    for (std::size_t i = 0; i < n; ++i) b[i] = scale * std::sin(static_cast<double>(i));
    const BicgstabResult result = bicgstab(apply, b, x, {.tolerance = 1e-8});
    EXPECT_EQ(result.outcome, BicgstabOutcome::converged);
    EXPECT_LE(result.residual, 1e-8);
    if (scale == 1) iterations = result.iterations;
    EXPECT_EQ(result.iterations, iterations);
    apply(std::span<const double>(x), std::span<double>(ax));
    double rr = 0, bb = 0;
    for (std::size_t i = 0; i < n; ++i) {
      rr += (b[i] - ax[i]) * (b[i] - ax[i]);
      bb += b[i] * b[i];
    }
    EXPECT_NEAR(std::sqrt(rr / bb), result.residual, 1e-14);
  }
  std::vector<double> zero(n, 0.0), x(n, 1.0);
  EXPECT_EQ(bicgstab(apply, zero, x).iterations, 0);
  EXPECT_EQ(x, zero);
}

}  // namespace
}  // namespace speedwell::krylov
