// The public operator and BiCGSTAB against elimination, and what they refuse.
#include "speedwell/apps/blast_wave/blocks7.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "speedwell/numerics/krylov/bicgstab.hpp"
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
    const auto result = krylov::bicgstab([&](auto v, auto y) { a.multiply(v, y, 1); }, b, x, {.tolerance = 1e-12});
    EXPECT_EQ(result.outcome, krylov::BicgstabOutcome::converged);
    const std::vector<double> exact = dense_solution(a, side);
    std::vector<double> ax(a.vector_size());
    a.multiply(x, ax, 1);
    double squares = 0, squares_of_b = 0;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t c = 0; c < 5; ++c) {
        EXPECT_NEAR(x[c * a.stride() + p], exact[5 * p + c], 1e-11);
        squares_of_b += std::pow(b[c * a.stride() + p], 2);
        squares += std::pow(b[c * a.stride() + p] - ax[c * a.stride() + p], 2);
      }
    EXPECT_LE(std::sqrt(squares), 1e-12 * std::sqrt(squares_of_b) + 1e-12);  // the true residual
  }
}

TEST(BlastWaveBlocks, RefusesSizesThatCannotBe) {
  std::vector<double> b(5, 1.0), x(5, 0.0);
  EXPECT_THROW(Blocks7({2, 5, 5}), std::invalid_argument);
  EXPECT_THROW(Blocks7({100000, 100000, 5}), std::invalid_argument);
  const Blocks7 a({3, 3, 3});
  EXPECT_THROW(a.multiply(b, x), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::blast_wave
