// The public operator and BiCGSTAB against elimination, and what they refuse.
#include "speedwell/apps/blast_wave/blocks7.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "speedwell/numerics/bicgstab.hpp"
#include "tests/apps/blast_wave/block_system.hpp"

namespace speedwell::blast_wave {
namespace {

TEST(BlastWaveBlocks, BicgstabFindsTheSolutionOfElimination) {
  for (const Extents& e : {Extents{3, 3, 3}, Extents{4, 3, 5}, Extents{5, 5, 4}}) {
    const Blocks7 a = random_blocks(e, 3);
    const auto n = static_cast<std::size_t>(e.points());
    std::vector<double> b(a.vector_size(), 0.0), x(b), side(5 * n);
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t c = 0; c < 5; ++c)
        side[5 * p + c] = b[c * a.stride() + p] = std::sin(static_cast<double>(p + 100 * c));
    const auto result = numerics::bicgstab([&](auto v, auto y) { a.multiply(v, y, 1); }, b, x);
    EXPECT_EQ(result.outcome, numerics::BicgstabOutcome::converged);
    const std::vector<double> exact = dense_solution(a, side);
    std::vector<double> ax(a.vector_size());
    a.multiply(x, ax, 1);
    double squares = 0;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t c = 0; c < 5; ++c) {
        EXPECT_NEAR(x[c * a.stride() + p], exact[5 * p + c], 1e-11);
        squares += std::pow(b[c * a.stride() + p] - ax[c * a.stride() + p], 2);
      }
    EXPECT_LE(std::sqrt(squares), 1e-10 + 1e-12);  // the true residual
  }
}

TEST(BlastWaveBlocks, TheIdentityTakesOneIteration) {
  std::vector<double> b = {3, 1, 4, 1, 5}, x(5, 0.0);
  const auto identity = [](auto v, auto y) { std::copy(v.begin(), v.end(), y.begin()); };
  const auto result = numerics::bicgstab(identity, b, x);
  EXPECT_EQ(result.iterations, 1);
  EXPECT_EQ(x, b);
  EXPECT_EQ(numerics::bicgstab(identity, b, x).iterations, 0);
}

// After an iteration the residual is orthogonal to the first one, exactly: it begins again, and finds (-1/2, 2, 1/2).
TEST(BlastWaveBlocks, ADivisionByZeroIsGotOverByBeginningAgain) {
  std::vector<double> b(breaks_down_once.right_hand_side, breaks_down_once.right_hand_side + 3), x(3, 0.0);
  const auto result = numerics::bicgstab([](auto v, auto y) { breaks_down_once.multiply(v.data(), y.data()); }, b, x);
  EXPECT_EQ(result.outcome, numerics::BicgstabOutcome::converged);
  EXPECT_EQ(result.restarts, 1);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(x[i], breaks_down_once.solution[i], 1e-12);
}

TEST(BlastWaveBlocks, WhatCannotBeIsRefusedOrReported) {
  std::vector<double> b(5, 1.0), x(5, 0.0), other(4);
  const auto zero = [](auto, auto y) { std::fill(y.begin(), y.end(), 0.0); };
  EXPECT_EQ(numerics::bicgstab(zero, b, x).outcome, numerics::BicgstabOutcome::breakdown);
  // A rotation of the plane: the first direction is orthogonal to what it gives.
  std::vector<double> plane = {1, 0}, start(2, 0.0);
  const auto turn = [](auto v, auto y) {
    y[0] = -v[1];
    y[1] = v[0];
  };
  const auto turned = numerics::bicgstab(turn, plane, start, {.iterations = 50});
  EXPECT_NE(turned.outcome, numerics::BicgstabOutcome::converged);
  EXPECT_THROW(numerics::bicgstab(zero, b, other), std::invalid_argument);
  EXPECT_THROW(numerics::bicgstab(zero, b, x, {.tolerance = 0}), std::invalid_argument);
  EXPECT_THROW(numerics::bicgstab(zero, b, x, {.iterations = 0}), std::invalid_argument);
  EXPECT_THROW(Blocks7({2, 5, 5}), std::invalid_argument);
  EXPECT_THROW(Blocks7({100000, 100000, 5}), std::invalid_argument);
  const Blocks7 a({3, 3, 3});
  EXPECT_THROW(a.multiply(b, x), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::blast_wave
