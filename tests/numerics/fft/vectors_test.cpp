// The oracle against published values.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/numerics/fft/published.hpp"
#include "tests/numerics/fft/support.hpp"

namespace speedwell::fft {
namespace {

// The values are given to 13 digits of the largest.
constexpr double digits = 1e-12;

TEST(FftReference, GivesThePublishedLines) {
  for (const PublishedLine& p : published_lines) {
    const auto x = random_complex<double>(p.n);
    const auto transformed = reference::forward(extended(x));
    const double bound = digits * std::sqrt(static_cast<double>(p.n));
    const auto near = [&](std::int64_t k, std::complex<double> expected) {
      EXPECT_LE(std::abs(std::complex<double>(transformed[k]) - expected), bound) << p.n << ", bin " << k;
    };
    near(0, p.first);
    near(1, p.second);
    near(p.n / 2, p.middle);
    near(3 * p.n / 4 + 1, p.three_quarters);
    EXPECT_NEAR(static_cast<double>(energy<double>(x)), p.energy, 1e-12 * p.energy) << p.n;  // Parseval
  }
}

TEST(FftReference, GivesThePublishedCubes) {
  for (const PublishedCube& p : published_cubes) {
    const std::int64_t n = p.n, extents[] = {n, n, n};
    auto x = extended(random_complex<double>(n * n * n));
    reference::forward(std::span(x), extents);
    const auto near = [&](std::int64_t i, std::int64_t j, std::int64_t k, std::complex<double> expected) {
      EXPECT_LE(std::abs(std::complex<double>(x[(k * n + j) * n + i]) - expected), 1e-11 * std::pow(n, 1.5)) << n;
    };
    near(0, 0, 0, p.first);
    near(1, 2, 3, p.second);
    near(n / 2, n / 4, 1, p.third);
  }
}

}  // namespace
}  // namespace speedwell::fft
